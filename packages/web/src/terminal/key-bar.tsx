// Keys that touch keyboards lack, below a terminal that is typed into.
import { ArrowDownIcon, ArrowLeftIcon, ArrowRightIcon, ArrowUpIcon } from "@primer/octicons-react";
import { type ReactNode, useState } from "react";
import { hasTouchKeyboard } from "../chat/message-focus.ts";
import style from "./terminal-panel.module.css";
import type { ArrowLetter, TerminalStream } from "./terminal-stream.ts";

interface Key {
  readonly name: string;
  readonly data: string | { readonly arrow: ArrowLetter };
  readonly icon?: ReactNode;
}

const keys: readonly Key[] = [
  { name: "Esc", data: "\u001B" },
  { name: "Tab", data: "\t" },
  { name: "Left", data: { arrow: "D" }, icon: <ArrowLeftIcon /> },
  { name: "Up", data: { arrow: "A" }, icon: <ArrowUpIcon /> },
  { name: "Down", data: { arrow: "B" }, icon: <ArrowDownIcon /> },
  { name: "Right", data: { arrow: "C" }, icon: <ArrowRightIcon /> },
  { name: "Ctrl-C", data: "\u0003" },
];

/** The bar; only on devices with a touch keyboard, which stays open while it is used. */
export function KeyBar({ stream }: { readonly stream: TerminalStream }): ReactNode {
  const [isControl, setIsControl] = useState(false);
  if (!hasTouchKeyboard) return null;
  const press = (pressed: Key["data"]): void => {
    const data = typeof pressed === "string" ? pressed : stream.arrowData(pressed.arrow);
    void stream.dispatch({ type: "terminal/input", data });
  };
  return (
    <div
      className={style.keys}
      role="toolbar"
      aria-label="Terminal keys"
      // A tap must not take the focus, and so the keyboard, from the screen.
      onPointerDown={(event) => event.preventDefault()}
    >
      <button
        type="button"
        aria-pressed={isControl}
        onClick={() => {
          stream.armControl(!isControl, () => setIsControl(false));
          setIsControl(!isControl);
        }}
      >
        Ctrl
      </button>
      {keys.map(({ name, data, icon }) => (
        <button key={name} type="button" aria-label={name} onClick={() => press(data)}>
          {icon ?? name}
        </button>
      ))}
    </div>
  );
}
