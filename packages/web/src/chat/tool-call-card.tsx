// A tool call: what it does, how far it is, what it shows, and the question that it may wait for.
import type { ReactNode } from "react";
import type { ChatUri, ToolCall, TurnId } from "@holdfast/ahp";
import { ApprovalCard } from "../approval/approval-card.tsx";
import { TimeSince } from "../frame/time-since.tsx";
import control from "../style/control.module.css";
import style from "./tool-call-card.module.css";
import { ToolContentView } from "./tool-content-view.tsx";
import { callTimeWords, toolCallWords, type ToolCallWords } from "./tool-call-words.ts";

/** A call with where it stands. */
export interface ToolCallCardProps {
  readonly call: ToolCall;
  readonly turnId: TurnId;
  readonly chatUri: ChatUri;
  readonly onGrow: (() => void) | undefined;
}

/** The call. */
export function ToolCallCard({ call, turnId, chatUri, onGrow }: ToolCallCardProps): ReactNode {
  const words = toolCallWords(call);
  const title = call.invocationMessage ?? call.displayName;
  return (
    <article className={style.card} data-status={call.status} aria-label={`Tool call: ${title}`}>
      <header className={style.head}>
        <span className={style.kind}>{call.toolKind.replace("_", " ")}</span>
        <span className={style.title}>{title}</span>
        <span className={control.time}>{callTimeWords(call)}</span>
        <span className={chipOf(words)}>
          {words.text}
          {call.status === "running" && call.startedAt !== undefined && (
            <TimeSince startedAt={call.startedAt} />
          )}
        </span>
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

/** The input as the agent gave it, for whoever wants to see. */
function ToolInput({ call }: { readonly call: ToolCall }): ReactNode {
  if (call.rawInput === undefined) return null;
  return (
    <details className={style.input}>
      <summary>Input</summary>
      <pre>{JSON.stringify(call.rawInput, undefined, 2)}</pre>
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
