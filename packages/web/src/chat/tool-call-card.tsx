// A tool call: what it does, how far it is, what it shows, and the question that it may wait for.
import type { ChatUri, ToolCall, TurnId } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { ApprovalCard } from "../approval/approval-card.tsx";
import { TimeSince } from "../frame/time-since.tsx";
import { spanWords } from "../frame/time-words.ts";
import control from "../style/control.module.css";
import style from "./tool-call-card.module.css";
import { ToolContentView } from "./tool-content-view.tsx";

interface ToolCallCardProps {
  readonly call: ToolCall;
  readonly turnId: TurnId;
  readonly chatUri: ChatUri;
  readonly onGrow: (() => void) | undefined;
}

export function ToolCallCard({ call, turnId, chatUri, onGrow }: ToolCallCardProps): ReactNode {
  const words = toolCallWords(call);
  const title = call.invocationMessage ?? call.displayName;
  // A terminal says that it runs, for how long, and how it ended.
  const isInTerminal =
    call.content.some(({ type }) => type === "terminal") &&
    (call.status === "running" || call.status === "completed" || call.status === "failed");
  return (
    <article className={style.card} data-status={call.status} aria-label={`Tool call: ${title}`}>
      <header className={style.head}>
        <span className={style.kind}>{call.toolKind.replace("_", " ")}</span>
        <span className={style.title}>{title}</span>
        {!isInTerminal && (
          <>
            <span className={control.time}>{callTimeWords(call)}</span>
            <span className={chipOf(words)}>
              {words.text}
              {call.status === "running" && call.startedAt !== undefined && (
                <TimeSince startedAt={call.startedAt} />
              )}
            </span>
          </>
        )}
      </header>
      {call.locations.length > 0 && !call.content.some(({ type }) => type === "fileEdit") && (
        <p className={style.places}>
          {call.locations
            .map(({ path, line }) => (line === undefined ? path : `${path}:${line}`))
            .join(" · ")}
        </p>
      )}
      {call.content.map((content, index) => (
        <ToolContentView key={index} content={content} knownTitle={title} onGrow={onGrow} />
      ))}
      {call.status === "pending-confirmation" && (
        <ApprovalCard call={call} turnId={turnId} chatUri={chatUri} />
      )}
      {call.status === "failed" && call.result.error !== undefined && (
        <p className={style.problem}>{call.result.error.message}</p>
      )}
      <ToolInput call={call} />
    </article>
  );
}

/** The input as the agent gave it, behind a disclosure. */
function ToolInput({ call }: { readonly call: ToolCall }): ReactNode {
  if (call.rawInput === undefined) return null;
  return (
    <details className={style.input}>
      <summary>Input</summary>
      <pre tabIndex={0} aria-label="Input of the tool call">
        {JSON.stringify(call.rawInput, undefined, 2)}
      </pre>
    </details>
  );
}

function chipOf({ tone }: ToolCallWords): string | undefined {
  switch (tone) {
    case "good":
      return control.chipGood;
    case "bad":
      return control.chipBad;
    case "attention":
      return control.chipAttention;
    case "accent":
      return control.chipAccent;
    case "plain":
      return control.chip;
  }
}

interface ToolCallWords {
  readonly text: string;
  readonly tone: "good" | "bad" | "attention" | "accent" | "plain";
}

const cancelWords = {
  denied: "Denied",
  expired: "Expired",
  skipped: "Skipped",
  "turn-cancelled": "Stopped",
  interrupted: "Interrupted",
} as const;

function toolCallWords(call: ToolCall): ToolCallWords {
  switch (call.status) {
    case "streaming":
      return { text: "Preparing", tone: "accent" };
    case "pending-confirmation":
      return { text: "Needs approval", tone: "attention" };
    case "running":
      return { text: "Running", tone: "accent" };
    case "completed":
      return { text: "Done", tone: "good" };
    case "failed":
      return { text: "Failed", tone: "bad" };
    case "cancelled":
      return { text: cancelWords[call.reason], tone: call.reason === "skipped" ? "plain" : "bad" };
  }
}

/** How long a call took; undefined while it is not over, and where nobody saw its start or its end. */
function callTimeWords(call: ToolCall): string | undefined {
  switch (call.status) {
    case "completed":
    case "failed":
      return spanWords(call.startedAt, call.endedAt);
    case "cancelled":
      return call.reason === "interrupted" ? undefined : spanWords(call.startedAt, call.endedAt);
    case "streaming":
    case "pending-confirmation":
    case "running":
      return undefined;
  }
}
