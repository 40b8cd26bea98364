// A tool call as AHP writes it: its states, and the actions for each change.
import { isAllowing, type ApprovalOption } from "../../model/chat/approval.ts";
import type {
  CompletedToolCall,
  FailedToolCall,
  PendingToolCall,
  RunningToolCall,
  ToolCall,
  ToolCallDetails,
  ToolCancelReason,
} from "../../model/chat/tool-call.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import type { ChatStyle } from "./chat.ts";
import { showFileEdits, showToolContents } from "./tool-content.ts";
import type { ToolCallPlace } from "./uri.ts";
import type {
  WireChatMessage,
  WireMeta,
  WireOption,
  WirePendingToolCall,
  WireToolCall,
  WireToolCallBase,
  WireToolResult,
} from "./wire-chat.ts";
import { stepOf, type WireAction, type WireStep } from "./wire-action.ts";

export function showToolCall(call: ToolCall, place: ToolCallPlace, style: ChatStyle): WireToolCall {
  const base = showBase(call, style);
  const invocation = { invocationMessage: call.invocationMessage ?? "", toolInput: showInput(call.rawInput) };
  switch (call.status) {
    case "streaming":
      return { ...base, status: "streaming", invocationMessage: call.invocationMessage };
    case "pending-confirmation":
      return showPendingToolCall(call, place, style);
    case "running":
      return {
        ...base,
        ...invocation,
        status: "running",
        confirmed: call.confirmed,
        selectedOption: selectedOption(call),
        content: showToolContents(call.content, place, style),
      };
    case "completed":
    case "failed":
      return {
        ...base,
        ...invocation,
        status: "completed",
        confirmed: call.confirmed,
        selectedOption: selectedOption(call),
        ...showToolResult(call, place, style),
      };
    case "cancelled":
      return {
        ...base,
        ...invocation,
        status: "cancelled",
        selectedOption: selectedOption(call),
        ...showRefusal(call.reason, call, style),
      };
  }
}

/** A call that waits for permission, with everything a person needs to decide. */
export function showPendingToolCall(
  call: PendingToolCall,
  place: ToolCallPlace,
  style: ChatStyle,
): WirePendingToolCall {
  return {
    ...showBase(call, style),
    invocationMessage: call.invocationMessage ?? "",
    toolInput: showInput(call.rawInput),
    status: "pending-confirmation",
    confirmationTitle: titleOf(call),
    options: call.approval.options.map(showOption),
    edits: showFileEdits(call.content, place),
  };
}

/**
 * The title of a question is what would be done, where the host knows it, never what the agent calls it. It is always
 * written: viewers keep the one that they have.
 */
function titleOf({ approval, invocationMessage }: PendingToolCall): string {
  return approval.subject === undefined ? (invocationMessage ?? "") : approval.target;
}

function showBase(call: ToolCall, style: ChatStyle): WireToolCallBase {
  const { toolCallId, toolName, displayName, contributor } = call;
  const base = { toolCallId, toolName, displayName, _meta: showMeta(call) };
  if (contributor.kind !== "client") return base;
  const { clientId } = contributor;
  return style.contributor === "contributor"
    ? { ...base, contributor: { kind: "client", clientId } }
    : { ...base, toolClientId: clientId };
}

function showToolResult(
  { result, content, rawInput: _rawInput, ...call }: CompletedToolCall | FailedToolCall,
  place: ToolCallPlace,
  style: ChatStyle,
): WireToolResult {
  const { success, pastTenseMessage = call.displayName, rawOutput } = result;
  const error = result.success ? undefined : result.error;
  return {
    success,
    pastTenseMessage,
    content: showToolContents(content, place, style),
    structuredContent: isJsonObject(rawOutput) ? rawOutput : undefined,
    error: error && { message: error.message, code: error.code },
  };
}

/** Why a call did not run; AHP knows a refusal and everything else. */
function showRefusal(
  reason: ToolCancelReason,
  { decisions }: ToolCallDetails,
  { messageField }: ChatStyle,
): {
  readonly reason: "denied" | "skipped";
  readonly reasonMessage?: string;
  readonly userSuggestion?: WireChatMessage;
} {
  if (reason !== "denied" && reason !== "expired") return { reason: "skipped" };
  const suggestion = decisions.at(-1)?.suggestion;
  const message = { text: suggestion ?? "", ...(messageField === "message" && { origin: { kind: "user" } }) };
  return {
    reason: "denied",
    reasonMessage: reason === "expired" ? "Nobody answered in time." : undefined,
    userSuggestion: suggestion === undefined ? undefined : message,
  };
}

/** The input as text, which is how AHP carries it. */
function showInput(rawInput: JsonValue | undefined): string | undefined {
  return rawInput === undefined || typeof rawInput === "string" ? rawInput : JSON.stringify(rawInput);
}

/** Options that allow and options that refuse are kept apart as two groups. */
function showOption({ id, label, kind }: ApprovalOption): WireOption {
  return isAllowing(kind) ? { id, label, kind: "approve", group: 1 } : { id, label, kind: "deny", group: 2 };
}

/** The state keeps which option was chosen but not its label. */
function selectedOption({ decisions }: ToolCallDetails): WireOption | undefined {
  const last = decisions.at(-1);
  if (last?.optionId === undefined) return undefined;
  return { id: last.optionId, label: last.optionId, kind: last.outcome === "approved" ? "approve" : "deny" };
}

function showMeta(call: ToolCall): WireMeta {
  const { toolKind, locations, contributor, status } = call;
  const holdfast: Record<string, JsonValue> = { toolKind };
  if (locations.length > 0) {
    holdfast["locations"] = locations.map(({ path, line }): JsonObject =>
      line === undefined ? { path } : { path, line },
    );
  }
  if (contributor.kind === "host") holdfast["contributor"] = "host";
  if (status === "pending-confirmation") {
    // A state of the model is JSON, but for fields that are undefined.
    const { options: _options, requestedAt: _requestedAt, ...approval } = call.approval;
    holdfast["approval"] = approval as JsonObject;
  }
  return { holdfast };
}

/** The actions that take a client from the call as it was, if it was there, to the call as it is. */
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
    case "cancelled": {
      const refusal = refuse(after, call, style);
      if (before.status === "pending-confirmation") return stepOf([refusal]);
      // Nobody was asked, but AHP only knows the refusal of a call that waits.
      const { invocationMessage = "", rawInput } = after;
      const wait = {
        type: "toolCallReady",
        ...call,
        invocationMessage,
        toolInput: showInput(rawInput),
        options: [],
      };
      return { lead: [wait], main: refusal };
    }
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
  return {
    type: "toolCallReady",
    ...call,
    invocationMessage,
    confirmationTitle: titleOf(after),
    toolInput,
    options,
    edits,
  };
}

/** A call begins to run, or gets a new description while it runs: that empties its content, which follows again. */
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
  const hasNewDescription =
    before.status !== "running" ||
    before.invocationMessage !== after.invocationMessage ||
    before.rawInput !== after.rawInput;
  return hasNewDescription ? withContent(ready(after, after.confirmed, call)) : [showContent];
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
