// How a tool call moves from one state to the next.
import { applyChanges } from "../immutable.ts";
import { appendPart, replacePart } from "./part-reducer.ts";
import type { Confirmation, ToolCallAction } from "./tool-call-actions.ts";
import {
  cancelToolCall,
  detailsOf,
  isUnfinished,
  type Confirmed,
  type ToolCall,
  type ToolCallDetails,
} from "./tool-call.ts";
import type { ActiveTurn } from "./turn.ts";

type ActionOf<Type extends ToolCallAction["type"]> = Extract<ToolCallAction, { type: Type }>;

/**
 * Applies an action to its tool call in the running turn.
 * Costs a search from the end of the turn's parts, which only a new call takes to their start, and one copy of their list.
 */
export function reduceToolCalls(turn: ActiveTurn, action: ToolCallAction): ActiveTurn {
  const index = turn.responseParts.findLastIndex(
    (part) => part.kind === "toolCall" && part.toolCall.toolCallId === action.toolCallId,
  );
  const part = turn.responseParts[index];
  if (action.type === "chat/toolCallStart") {
    return part ? turn : appendPart(turn, { kind: "toolCall", toolCall: startToolCall(action) });
  }
  if (part?.kind !== "toolCall") return turn;
  const toolCall = reduceToolCall(part.toolCall, action);
  return toolCall === part.toolCall ? turn : replacePart(turn, index, { kind: "toolCall", toolCall });
}

function startToolCall(action: ActionOf<"chat/toolCallStart">): ToolCall {
  const { toolCallId, toolName, displayName, toolKind, contributor, locations = [], rawInput } = action;
  const { startedAt } = action;
  return {
    status: "streaming",
    toolCallId,
    toolName,
    displayName,
    toolKind,
    contributor,
    locations,
    rawInput,
    content: [],
    decisions: [],
    startedAt,
  };
}

function reduceToolCall(
  call: ToolCall,
  action: Exclude<ToolCallAction, { type: "chat/toolCallStart" }>,
): ToolCall {
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
function makeReady(call: ToolCall, action: ActionOf<"chat/toolCallReady">): ToolCall {
  const { invocationMessage, rawInput = call.rawInput, confirmation } = action;
  const details: ToolCallDetails = { ...detailsOf(call), invocationMessage, rawInput };
  if (call.status === "pending-confirmation" && !concerns(confirmation, call.approval.id)) return call;
  if (confirmation.kind === "needed") {
    return { ...details, status: "pending-confirmation", approval: confirmation.approval };
  }
  if (call.status === "running") return { ...details, status: "running", confirmed: call.confirmed };
  const { startedAt = call.startedAt } = action;
  return { ...details, status: "running", confirmed: confirmation.kind, startedAt };
}

function concerns(confirmation: Confirmation, approvalId: string): boolean {
  return confirmation.kind === "needed" && confirmation.approval.id === approvalId;
}

/** The first decision on the approval that is pending counts, any other changes nothing (M14). */
function confirm(call: ToolCall, { decision }: ActionOf<"chat/toolCallConfirmed">): ToolCall {
  if (call.status !== "pending-confirmation" || call.approval.id !== decision.approvalId) return call;
  const details: ToolCallDetails = { ...detailsOf(call), decisions: [...call.decisions, decision] };
  if (decision.outcome === "approved") {
    return {
      ...details,
      status: "running",
      confirmed: decision.by.kind === "policy" ? "setting" : "user-action",
      startedAt: decision.at,
    };
  }
  if (decision.outcome === "cancelled") return cancelToolCall(details, "skipped");
  return cancelToolCall(details, decision.by.kind === "expiry" ? "expired" : "denied");
}

function complete(call: ToolCall, action: ActionOf<"chat/toolCallComplete">): ToolCall {
  const { result, content = call.content, endedAt } = action;
  const details: ToolCallDetails = { ...detailsOf(call), content };
  const confirmed: Confirmed = call.status === "running" ? call.confirmed : "not-needed";
  return result.success
    ? { ...details, status: "completed", confirmed, result, endedAt }
    : { ...details, status: "failed", confirmed, result, endedAt };
}
