// The terminal of a tool call: live while it is there, and what it left behind afterwards.
import type { ReactNode } from "react";
import type { ToolContent } from "@holdfast/ahp";
import { sizeWords } from "../frame/time-words.ts";
import { useTerminal } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { PlainText } from "./plain-text.ts";
import { TerminalPanel } from "./terminal-panel.tsx";
import style from "./terminal-panel.module.css";
import { exitWords, hasEndedWell } from "./terminal-words.ts";

export interface ToolTerminalProps {
  readonly content: Extract<ToolContent, { type: "terminal" }>;
  /** The title of the tool call, which stands above. */
  readonly knownTitle: string | undefined;
  readonly onGrow: (() => void) | undefined;
}

export function ToolTerminal({ content, knownTitle, onGrow }: ToolTerminalProps): ReactNode {
  const { stream, view } = useTerminal(content.resource);
  if (view.status === "live") {
    return (
      <TerminalPanel
        stream={stream}
        state={view.state}
        variant="tool-call"
        knownTitle={knownTitle}
        onGrow={onGrow}
      />
    );
  }
  if (view.status === "loading" && content.result === undefined) {
    return <p className={style.loading}>Opening the terminal …</p>;
  }
  return <LeftBehind content={content} />;
}

function LeftBehind({ content }: Pick<ToolTerminalProps, "content">): ReactNode {
  const { title, result: resultAtEnd, lateResult: result = resultAtEnd } = content;
  return (
    <section className={style.panel} data-variant="tool-call" aria-label={`Terminal: ${title}`}>
      <header className={style.head}>
        <span className={style.title}>{title}</span>
        {result?.exit !== undefined && (
          <span className={hasEndedWell(result.exit) ? control.chipGood : control.chipBad}>
            {exitWords(result.exit)}
          </span>
        )}
      </header>
      <pre className={style.text} tabIndex={0} aria-label={`Output of ${title}`}>
        {result !== undefined &&
          result.skippedBytes > 0 &&
          `… ${sizeWords(result.skippedBytes)} before this\n`}
        {plain(result?.preview ?? "")}
      </pre>
    </section>
  );
}

function plain(text: string): string {
  const lines = new PlainText(2000);
  lines.append(text);
  return lines.lines.join("\n");
}
