// A turn from its message to its whole answer, for a caller who waits and whom nobody can ask.
import { type TurnEnd, turnParts } from "@holdfast/ahp";
import { type ChatResponse, type ErrorCode, HostError } from "@holdfast/protocol";
import type { HostSession } from "../session/host-session.ts";
import type { TurnRequest } from "../session/session-turns.ts";
import type { Turn } from "../session/turn.ts";

/** Runs a turn to its end; nobody is asked, so a policy must say what would be. */
export async function chatToEnd(session: HostSession, request: TurnRequest): Promise<ChatResponse> {
  if (session.policy === undefined) throw new HostError("APPROVAL_POLICY_REQUIRED");
  const { turnId, begun } = session.turns.take(request, false);
  const turn = await begun;
  await turn?.ended;
  const ended = session.conversation.endedTurn(turnId);
  // Taken out of the line before it began.
  if (ended === undefined) return { text: "", stop_reason: "cancelled" };
  const denied = turn === undefined ? [] : describeDenied(turn);
  return {
    text: turnParts(ended)
      .map((part) => (part.kind === "markdown" ? part.content : ""))
      .join(""),
    stop_reason: stopReasonOf(ended.end),
    ...(denied.length > 0 && { denied }),
  };
}

function describeDenied({ denied }: Turn): NonNullable<ChatResponse["denied"]> {
  return denied.map(({ toolCallId, title, kind }) => ({
    action: kind ?? "other",
    target: title,
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

/** The errors of turns that have codes of their own. */
const turnErrors = [
  "ACP_AGENT_EXITED",
  "ACP_TURN_TIMEOUT",
  "ACP_SESSION_INIT_FAILED",
  "ACP_CONTEXT_LOST",
  "ACP_INVALID_OPTION",
  "ACP_ATTACHMENT_NOT_SUPPORTED",
  "HOST_STOPPING",
] as const satisfies readonly ErrorCode[];

function asErrorCode(code: string): ErrorCode {
  return turnErrors.find((known) => known === code) ?? "ACP_TURN_FAILED";
}
