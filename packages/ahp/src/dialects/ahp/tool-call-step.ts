// How AHP is told that a tool call has changed: its states follow another order than the model's.
import type { PendingToolCall, RunningToolCall, ToolCall } from "../../model/chat/tool-call.ts";
import type { ChatStyle } from "./chat-style.ts";
import type { ToolCallPlace } from "./edit-uri.ts";
import { showBase, showInput, showPendingToolCall, showRefusal, showToolResult } from "./tool-call.ts";
import { showToolContents } from "./tool-content.ts";
import { stepOf, type WireAction, type WireStep } from "./wire-step.ts";

/** What tells a client that has the call as it was before, if it had it, how it is now. */
export function stepToolCall(
  before: ToolCall | undefined,
  after: ToolCall,
  place: ToolCallPlace,
  style: ChatStyle,
): WireStep {
  const { turnId, toolCallId } = place;
  const base = showBase(after, style);
  const call: CallFields = { turnId, toolCallId, _meta: base._meta };
  if (!before) return stepOf([{ type: "toolCallStart", ...base, turnId }]);
  switch (after.status) {
    case "streaming":
      return stepOf([
        { type: "toolCallDelta", ...call, content: "", invocationMessage: after.invocationMessage },
      ]);
    case "pending-confirmation":
      return stepOf([askForPermission(before, after, call, place, style)]);
    case "running":
      return stepOf(run(before, after, call, place, style));
    case "completed":
    case "failed": {
      const complete = { type: "toolCallComplete", ...call, result: showToolResult(after, place, style) };
      const isReady = before.status === "running" || before.status === "pending-confirmation";
      return isReady ? { main: complete } : { lead: [ready(after, after.confirmed, call)], main: complete };
    }
    case "cancelled":
      return stepOf([refuse(after, call, style)]);
  }
}

interface CallFields {
  readonly turnId: string;
  readonly toolCallId: string;
  readonly _meta?: object | undefined;
}

function ready(
  { invocationMessage = "", rawInput }: ToolCall,
  confirmed: string,
  call: CallFields,
): WireAction {
  return { type: "toolCallReady", ...call, invocationMessage, toolInput: showInput(rawInput), confirmed };
}

/** Everything on this action is also in the state of a pending call (E10). */
function askForPermission(
  before: ToolCall,
  after: PendingToolCall,
  call: CallFields,
  place: ToolCallPlace,
  style: ChatStyle,
): WireAction {
  const shown = showPendingToolCall(after, place, style);
  const { invocationMessage, toolInput, options } = shown;
  // A call that waits already would keep edits that are not named.
  const edits = shown.edits ?? (before.status === "pending-confirmation" ? { items: [] } : undefined);
  return { type: "toolCallReady", ...call, invocationMessage, toolInput, options, edits };
}

/** A call begins to run, or is described anew while it does: that empties its content, which follows again. */
function run(
  before: ToolCall,
  after: RunningToolCall,
  call: CallFields,
  place: ToolCallPlace,
  style: ChatStyle,
): readonly WireAction[] {
  const content = showToolContents(after.content, place, style);
  const showContent = { type: "toolCallContentChanged", ...call, content: content ?? [] };
  const withContent = (action: WireAction): readonly WireAction[] =>
    content ? [action, showContent] : [action];
  if (before.status === "pending-confirmation") return withContent(approve(after, call));
  const isDescribedAnew =
    before.status !== "running" ||
    before.invocationMessage !== after.invocationMessage ||
    before.rawInput !== after.rawInput;
  return isDescribedAnew ? withContent(ready(after, after.confirmed, call)) : [showContent];
}

function approve({ decisions, confirmed }: RunningToolCall, call: CallFields): WireAction {
  return {
    type: "toolCallConfirmed",
    ...call,
    approved: true,
    confirmed,
    selectedOptionId: decisions.at(-1)?.optionId,
  };
}

function refuse(
  after: Extract<ToolCall, { status: "cancelled" }>,
  call: CallFields,
  style: ChatStyle,
): WireAction {
  return {
    type: "toolCallConfirmed",
    ...call,
    approved: false,
    ...showRefusal(after.reason, after, style),
    selectedOptionId: after.decisions.at(-1)?.optionId,
  };
}
