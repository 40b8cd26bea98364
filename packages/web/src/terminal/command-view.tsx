// A command that an agent runs: live while it runs, one line that opens its output when it is over (Z803).
import type { ToolCall, ToolContent } from "@holdfast/ahp";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { spanWords } from "../frame/time-words.ts";
import { useTerminal } from "../host/use-host.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { useKeptChoice } from "../ui/kept-state.tsx";
import { OutputFoot } from "./output-foot.tsx";
import { PlainText } from "./plain-text.ts";
import { foldedRows } from "./screen-layout.ts";
import { CommandLine, EndLabel, TerminalPanel } from "./terminal-panel.tsx";
import style from "./terminal-panel.module.css";
import { exitWords, hasEndedWell } from "./terminal-words.ts";

type TerminalContent = Extract<ToolContent, { type: "terminal" }>;

interface CommandViewProps {
  readonly call: ToolCall;
  readonly content: TerminalContent;
  /** Whether the output of a finished command is shown. */
  readonly isOpenAtFirst: boolean;
  readonly onGrow: (() => void) | undefined;
}

export function CommandView({ call, content, isOpenAtFirst, onGrow }: CommandViewProps): ReactNode {
  const [choice, setChoice] = useKeptChoice("command");
  const isOver = resultOf(content)?.exit !== undefined;
  const isOpen = choice ?? (isOpenAtFirst || !isOver);
  // A line needs no output, so a finished terminal is followed only while it is open.
  if (isOver && !isOpen) {
    return <LeftBehind call={call} content={content} isOpen={false} onToggle={setChoice} isLineOnly />;
  }
  return <OpenCommand call={call} content={content} isOpen={isOpen} onToggle={setChoice} onGrow={onGrow} />;
}

interface OpenCommandProps extends Omit<CommandViewProps, "isOpenAtFirst"> {
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function OpenCommand({ call, content, isOpen, onToggle, onGrow }: OpenCommandProps): ReactNode {
  const { stream, view } = useTerminal(content.resource);
  if (view.status === "live") {
    return (
      <TerminalPanel
        stream={stream}
        state={view.state}
        variant="tool-call"
        isOpen={isOpen}
        onToggle={onToggle}
        onGrow={onGrow}
      />
    );
  }
  if (view.status === "loading" && content.result === undefined) {
    return <p className={style.opening}>Opening the terminal…</p>;
  }
  return <LeftBehind call={call} content={content} isOpen={isOpen} onToggle={onToggle} />;
}

interface LeftBehindProps extends Omit<OpenCommandProps, "onGrow"> {
  /** Whether it is a line that stands for a terminal, which is there. */
  readonly isLineOnly?: boolean;
}

/** The output and exit that a terminal which is no longer there left with its tool call. */
function LeftBehind({ call, content, isOpen, onToggle, isLineOnly = false }: LeftBehindProps): ReactNode {
  const { title } = content;
  const result = resultOf(content);
  const skippedBytes = result?.skippedBytes ?? 0;
  const [isUnfolded = false, setIsUnfolded] = useKeptChoice("output");
  const output = useMemo(() => plain(result?.preview ?? ""), [result?.preview]);
  const pre = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // The end is what a folded terminal shows, too.
    if (!isUnfolded) pre.current?.scrollTo(0, pre.current.scrollHeight);
  }, [isUnfolded, isOpen, output]);
  return (
    <article className={style.panel} data-variant="tool-call" aria-label={`Terminal: ${title}`}>
      <header className={style.head}>
        <CommandLine title={title} isOpen={isOpen} onToggle={onToggle} />
        {result?.exit !== undefined && (
          <EndLabel isGood={hasEndedWell(result.exit)} words={exitWords(result.exit)} time={timeOf(call)} />
        )}
        {isOpen && !isLineOnly && (
          <CopyButton label="Copy output" text={() => wholeText(result?.preview ?? "")} />
        )}
      </header>
      {isOpen && (
        <div className={style.body}>
          <pre
            ref={pre}
            className={style.text}
            tabIndex={0}
            aria-label={`Output of ${title}`}
            data-unfolded={isUnfolded}
            data-ended={result?.exit !== undefined}
          >
            {output.lines.join("\n")}
          </pre>
          <OutputFoot
            extent={{
              isFoldable: output.lines.length > foldedRows,
              isCut: skippedBytes > 0 || output.isCut,
            }}
            sizeBytes={skippedBytes + new Blob([result?.preview ?? ""]).size}
            isUnfolded={isUnfolded}
            onUnfold={setIsUnfolded}
          />
        </div>
      )}
    </article>
  );
}

function resultOf({ result, lateResult = result }: TerminalContent): TerminalContent["result"] {
  return lateResult;
}

function timeOf(call: ToolCall): string | undefined {
  return "endedAt" in call ? spanWords(call.startedAt, call.endedAt) : undefined;
}

/** The text to copy, with lines of any length. */
function wholeText(text: string): string {
  const whole = new PlainText(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  whole.append(text);
  return whole.lines.join("\n");
}

function plain(text: string): PlainText {
  const lines = new PlainText(2000);
  lines.append(text);
  return lines;
}
