// One row of a conversation.
import { memo, type ReactNode } from "react";
import { waitingFor, type ActiveTurn, type ChatUri, type Turn } from "@holdfast/ahp";
import { durationWords, secondsWords } from "../frame/time-words.ts";
import { useNow } from "../frame/use-now.ts";
import type { ConversationRow } from "./conversation-rows.ts";
import style from "./conversation.module.css";
import { MessageView } from "./message-view.tsx";
import { PartView } from "./part-view.tsx";
import { PlanView } from "./plan-view.tsx";

/** What a row needs. */
export interface ConversationRowProps {
  readonly row: ConversationRow;
  readonly chatUri: ChatUri;
  /** Called when the row becomes taller by itself. */
  readonly onGrow: (() => void) | undefined;
}

/** One row. */
export const ConversationRowView = memo(function ConversationRowView(props: ConversationRowProps): ReactNode {
  const { row, chatUri, onGrow } = props;
  switch (row.kind) {
    case "message":
      return <MessageView message={row.turn.message} />;
    case "plans":
      return row.turn.plans.map((plan) => <PlanView key={plan.id} plan={plan} />);
    case "part":
      return (
        <PartView
          part={row.part}
          turnId={row.turn.id}
          isOpen={row.isOpen}
          chatUri={chatUri}
          onGrow={onGrow}
        />
      );
    case "working":
      return <WorkingRow turn={row.turn} />;
    case "end":
      return <EndRow turn={row.turn} />;
  }
});

const waitWords = {
  model: "thinks",
  tool: "runs a tool",
  permission: "waits for your permission",
  input: "waits for your answer",
} as const;

function WorkingRow({ turn }: { readonly turn: ActiveTurn }): ReactNode {
  const nowMs = useNow(1000);
  const waits = waitingFor(turn);
  return (
    <div className={style.working}>
      <span
        className={style.pulse}
        data-asks={waits === "permission" || waits === "input"}
        aria-hidden="true"
      />
      {waitWords[waits]} · {secondsWords(nowMs - Date.parse(turn.startedAt))}
    </div>
  );
}

function EndRow({ turn }: { readonly turn: Turn }): ReactNode {
  const { end, durationMs, usage } = turn;
  if (end.state === "failed" || end.state === "interrupted") {
    return (
      <div className={style.endBad} role="alert">
        {end.error.message}
        {end.error.stderrTail !== undefined && end.error.stderrTail.length > 0 && (
          <pre>{end.error.stderrTail.join("\n")}</pre>
        )}
      </div>
    );
  }
  return (
    <div className={style.end}>
      <span>{endWords(turn)}</span>
      <span>{durationWords(durationMs)}</span>
      {usage?.totalTokens !== undefined && <span>{usage.totalTokens} tokens</span>}
      {usage?.model !== undefined && <span>{usage.model}</span>}
    </div>
  );
}

function endWords({ end }: Turn): string {
  if (end.state === "cancelled") return end.reason === undefined ? "stopped" : `stopped: ${end.reason}`;
  if (end.state !== "complete") return end.state;
  switch (end.stopReason) {
    case "end_turn":
      return "done";
    case "max_tokens":
      return "ended at the limit of tokens";
    case "max_turn_requests":
      return "ended at the limit of requests";
    case "refusal":
      return "the agent refused";
    default:
      return `ended: ${end.stopReason}`;
  }
}
