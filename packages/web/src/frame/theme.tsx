// Theme: light or dark, as the person chose, else as their system is.
import { DeviceDesktopIcon, MoonIcon, SunIcon } from "@primer/octicons-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { IconButton } from "../ui/button.tsx";

type ThemeChoice = "system" | "light" | "dark";

const storageKey = "holdfast-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let choice: ThemeChoice = readChoice();

function themeChoice(): ThemeChoice {
  return choice;
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(listenToTheme, themeChoice);
}

/** Chooses, and remembers it in this browser. */
export function chooseTheme(chosen: ThemeChoice): void {
  choice = chosen;
  localStorage.setItem(storageKey, chosen);
  apply();
}

/** Notifies a listener of every change of the colours, until the returned function is called. */
export function listenToTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows the chosen theme from now on. */
export function startTheme(): void {
  apply();
  systemIsDark.addEventListener("change", apply);
}

function readChoice(): ThemeChoice {
  const kept = localStorage.getItem(storageKey);
  return kept === "light" || kept === "dark" ? kept : "system";
}

function apply(): void {
  const isDark = choice === "system" ? systemIsDark.matches : choice === "dark";
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const listener of listeners) listener();
}

/** Changes to the next theme: light, dark, as the system. */
export function changeTheme(): void {
  chooseTheme(next[choice]);
}

const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: "light", light: "dark", dark: "system" };
const signs: Readonly<Record<ThemeChoice, ReactNode>> = {
  system: <DeviceDesktopIcon />,
  light: <SunIcon />,
  dark: <MoonIcon />,
};

export function ThemeSwitch(): ReactNode {
  const shown = useThemeChoice();
  const label = `Theme: ${shown}. Change to ${next[shown]}.`;
  return <IconButton label={label} icon={signs[shown]} onClick={changeTheme} />;
}
