// The reducer of a tool call.
import { applyChanges } from "../immutable.ts";
import type { ChatActionOf } from "./chat.ts";
import { PartList } from "./part-list.ts";
import { appendPart, replacePart } from "./turn-reducer.ts";
import {
  cancelToolCall,
  inState,
  isUnfinished,
  type Confirmation,
  type ToolCall,
  type ToolCallAction,
  type ToolContent,
} from "./tool-call.ts";
import type { ActiveTurn } from "./turn.ts";

/** Applies an action to its tool call in the running turn, at the same cost however many calls there are (M240). */
export function reduceToolCalls(turn: ActiveTurn, action: ToolCallAction): ActiveTurn {
  const parts = PartList.of(turn.responseParts);
  const index = parts.placeOf("toolCall", action.toolCallId);
  const part = parts.at(index);
  if (action.type === "chat/toolCallStart") {
    return part ? turn : appendPart(turn, { kind: "toolCall", toolCall: startToolCall(action) });
  }
  if (part?.kind !== "toolCall") return turn;
  const toolCall = reduceToolCall(part.toolCall, action);
  return toolCall === part.toolCall ? turn : replacePart(turn, index, { kind: "toolCall", toolCall });
}

function startToolCall(action: ChatActionOf<"chat/toolCallStart">): ToolCall {
  const { toolCallId, toolName, displayName, toolKind, contributor, locations = [] } = action;
  const { rawInput, startedAt } = action;
  return inState(
    { toolCallId, toolName, displayName, toolKind, contributor, locations, content: [], decisions: [] },
    { status: "streaming", rawInput, startedAt },
  );
}

function reduceToolCall(
  call: ToolCall,
  action: Exclude<ToolCallAction, { type: "chat/toolCallStart" }>,
): ToolCall {
  if (action.type === "chat/toolCallTerminalExited") return noteExit(call, action);
  if (!isUnfinished(call)) return call;
  switch (action.type) {
    case "chat/toolCallUpdated":
      return applyChanges<ToolCall>(call, action.changes);
    case "chat/toolCallContentChanged":
      return { ...call, content: action.content };
    case "chat/toolCallReady":
      return makeReady(call, action);
    case "chat/toolCallConfirmed":
      return confirm(call, action);
    case "chat/toolCallComplete":
      return complete(call, action);
  }
}

/** A pending approval is not passed over: only its decision, the call's or the turn's end takes it away (M15). */
function makeReady(call: ToolCall, action: ChatActionOf<"chat/toolCallReady">): ToolCall {
  const { invocationMessage, rawInput, confirmation, startedAt } = action;
  if (call.status === "pending-confirmation" && !concerns(confirmation, call.approval.id)) return call;
  if (confirmation.kind === "needed") {
    const { approval } = confirmation;
    return inState(call, { status: "pending-confirmation", approval, invocationMessage, rawInput });
  }
  if (confirmation.kind === "denied") {
    const decisions = [...call.decisions, confirmation.decision];
    return cancelToolCall({ ...call, invocationMessage, decisions }, "denied");
  }
  if (call.status === "running") {
    return inState(call, { status: "running", confirmed: call.confirmed, invocationMessage, rawInput });
  }
  const confirmed = confirmation.kind;
  return inState(call, { status: "running", confirmed, invocationMessage, rawInput, startedAt });
}

function concerns(confirmation: Confirmation, approvalId: string): boolean {
  return confirmation.kind === "needed" && confirmation.approval.id === approvalId;
}

/** The first decision on the approval that is pending counts, any other changes nothing (M14). */
function confirm(call: ToolCall, { decision }: ChatActionOf<"chat/toolCallConfirmed">): ToolCall {
  if (call.status !== "pending-confirmation" || call.approval.id !== decision.approvalId) return call;
  const decisions = [...call.decisions, decision];
  if (decision.outcome === "approved") {
    const confirmed = decision.by.kind === "policy" ? "setting" : "user-action";
    return inState(call, { decisions, status: "running", confirmed, startedAt: decision.at });
  }
  if (decision.outcome === "cancelled") return cancelToolCall({ ...call, decisions }, "skipped");
  return cancelToolCall({ ...call, decisions }, decision.by.kind === "expiry" ? "expired" : "denied");
}

/** The only thing that changes a finished call: its status, result and content stay as they were (M13). */
function noteExit(call: ToolCall, action: ChatActionOf<"chat/toolCallTerminalExited">): ToolCall {
  const { terminal, result } = action;
  const shows = (content: ToolContent): boolean =>
    content.type === "terminal" && content.resource === terminal && content.lateResult === undefined;
  if (isUnfinished(call) || !call.content.some(shows)) return call;
  const content = call.content.map((each) => (shows(each) ? { ...each, lateResult: result } : each));
  return { ...call, content };
}

function complete(call: ToolCall, action: ChatActionOf<"chat/toolCallComplete">): ToolCall {
  const { result, content = call.content, endedAt } = action;
  const confirmed = call.status === "running" ? call.confirmed : "not-needed";
  return result.success
    ? inState(call, { content, confirmed, endedAt, status: "completed", result })
    : inState(call, { content, confirmed, endedAt, status: "failed", result });
}
