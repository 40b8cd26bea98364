// Chooses between light, dark and the system's own.
import { useState, type ReactNode } from "react";
import control from "../style/control.module.css";
import { chooseTheme, themeChoice, type ThemeChoice } from "./theme.ts";

const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: "light", light: "dark", dark: "system" };
const signs: Readonly<Record<ThemeChoice, string>> = { system: "◐", light: "☀", dark: "☾" };

/** A button that goes on to the next choice. */
export function ThemeSwitch(): ReactNode {
  const [choice, setChoice] = useState(themeChoice);
  const label = `Theme: ${choice}. Change to ${next[choice]}.`;
  return (
    <button
      type="button"
      className={control.quiet}
      aria-label={label}
      title={label}
      onClick={() => {
        chooseTheme(next[choice]);
        setChoice(next[choice]);
      }}
    >
      <span aria-hidden="true">{signs[choice]}</span>
    </button>
  );
}
