// Response of a turn to a caller that waits for its end, and that nobody can ask.
import { type TurnEnd, type TurnId, turnParts } from "@holdfast/ahp";
import { type ChatResponse, type ErrorCode, HostError } from "@holdfast/protocol";
import type { HostSession } from "./host-session.ts";
import type { Turn } from "./turn.ts";

export async function awaitTurn(session: HostSession, sentId: TurnId): Promise<ChatResponse> {
  const turn = await session.turns.begun(sentId);
  await turn?.ended;
  const turnId = turn?.id ?? session.chat.turnOf(sentId);
  const ended = session.chat.endedTurn(turnId);
  // Removed from the queue before it began.
  if (ended === undefined) return { text: "", stop_reason: "cancelled" };
  const denied = turn === undefined ? [] : describeDenied(turn);
  const answers = turnParts(ended).filter((part) => part.kind === "markdown");
  return {
    text: answers.map(({ content }) => content).join(""),
    stop_reason: stopReasonOf(ended.end),
    ...(answers.some(({ omittedChars }) => omittedChars !== undefined) && {
      truncated: true,
      turn_id: turnId,
    }),
    ...(denied.length > 0 && { denied }),
    ...(ended.usage !== undefined && { usage: { ...ended.usage } }),
  };
}

function describeDenied({ denied }: Turn): NonNullable<ChatResponse["denied"]> {
  return denied.map(({ toolCallId, title, target, kind }) => ({
    action: kind ?? "other",
    target,
    toolCallId,
    title,
    ...(kind !== undefined && { kind }),
  }));
}

/** Why a turn stopped; one that failed is an error instead. */
function stopReasonOf(end: TurnEnd): string {
  if (end.state === "complete") return end.stopReason;
  if (end.state === "cancelled") return "cancelled";
  throw new HostError(asErrorCode(end.error.code), end.error.message, { details: { ...end.error } });
}

/** The errors of turns that have their own codes. */
const turnErrors = [
  "ACP_AGENT_EXITED",
  "ACP_TURN_TIMEOUT",
  "ACP_SESSION_INIT_FAILED",
  "ACP_CONTEXT_LOST",
  "ACP_INVALID_OPTION",
  "ACP_ATTACHMENT_NOT_SUPPORTED",
  "ACP_ATTACHMENT_NOT_STORED",
  "HOST_STOPPING",
  "STORAGE_UNAVAILABLE",
] as const satisfies readonly ErrorCode[];

function asErrorCode(code: string): ErrorCode {
  return turnErrors.find((known) => known === code) ?? "ACP_TURN_FAILED";
}
