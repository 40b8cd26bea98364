// The commands of a shell in a row, with how each ended.
import type { ReactNode } from "react";
import { durationWords } from "../frame/time-words.ts";
import control from "../style/control.module.css";
import type { ShellCommand } from "./command-history.ts";
import style from "./terminal-panel.module.css";

/** The commands, the newest first. */
export function CommandTimeline({ commands }: { readonly commands: readonly ShellCommand[] }): ReactNode {
  if (commands.length === 0) return null;
  return (
    <ol className={style.timeline} aria-label="Commands" tabIndex={0}>
      {commands.toReversed().map((command) => (
        <li key={command.commandId} className={chipOf(command)} title={command.commandLine}>
          <span className={style.commandLine}>{command.commandLine}</span> {endWords(command)}
        </li>
      ))}
    </ol>
  );
}

function endWords({ end }: ShellCommand): string {
  if (end === undefined) return "runs";
  const code = end.exitCode === undefined ? "cut off" : end.exitCode === 0 ? "✓" : `exit ${end.exitCode}`;
  return end.durationMs === undefined ? code : `${code} ${durationWords(end.durationMs)}`;
}

function chipOf({ end }: ShellCommand): string | undefined {
  if (end === undefined) return control.chipAccent;
  return end.exitCode === 0 ? control.chipGood : control.chipBad;
}
