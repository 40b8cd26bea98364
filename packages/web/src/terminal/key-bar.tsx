// Keys that touch keyboards lack, below a terminal that is typed into.
import { ArrowDownIcon, ArrowLeftIcon, ArrowRightIcon, ArrowUpIcon } from "@primer/octicons-react";
import { type ReactNode, useState } from "react";
import { hasTouchKeyboard } from "../chat/message-focus.ts";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";

interface Key {
  readonly name: string;
  readonly data: string;
  readonly icon?: ReactNode;
}

const keys: readonly Key[] = [
  { name: "Esc", data: "\u001B" },
  { name: "Tab", data: "\t" },
  { name: "Left", data: "\u001B[D", icon: <ArrowLeftIcon /> },
  { name: "Up", data: "\u001B[A", icon: <ArrowUpIcon /> },
  { name: "Down", data: "\u001B[B", icon: <ArrowDownIcon /> },
  { name: "Right", data: "\u001B[C", icon: <ArrowRightIcon /> },
  { name: "Ctrl-C", data: "\u0003" },
];

/** The bar; only on devices with a touch keyboard, which stays open while it is used. */
export function KeyBar({ stream }: { readonly stream: TerminalStream }): ReactNode {
  const [isControl, setIsControl] = useState(false);
  if (!hasTouchKeyboard) return null;
  const press = (data: string): void => {
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
