// A tool call as AHP writes it.
import type { ApprovalOption } from "../../model/chat/approval.ts";
import type {
  CompletedToolCall,
  FailedToolCall,
  PendingToolCall,
  ToolCall,
  ToolCallDetails,
  ToolCancelReason,
} from "../../model/chat/tool-call.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ChatStyle } from "./chat-style.ts";
import type { ToolCallPlace } from "./edit-uri.ts";
import { showFileEdits, showToolContents } from "./tool-content.ts";
import type {
  WireChatMessage,
  WireMeta,
  WireOption,
  WirePendingToolCall,
  WireToolCall,
  WireToolCallBase,
  WireToolResult,
} from "./wire-chat.ts";

/** A tool call in its state. */
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
    options: call.approval.options.map(showOption),
    edits: showFileEdits(call.content, place),
  };
}

/** What every state of a call has. */
export function showBase(call: ToolCall, style: ChatStyle): WireToolCallBase {
  const { toolCallId, toolName, displayName, contributor } = call;
  const base = { toolCallId, toolName, displayName, _meta: showMeta(call) };
  if (contributor.kind !== "client") return base;
  const { clientId } = contributor;
  return style.contributor === "contributor"
    ? { ...base, contributor: { kind: "client", clientId } }
    : { ...base, toolClientId: clientId };
}

/** What a call gave back. */
export function showToolResult(
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
    structuredContent: isObject(rawOutput) ? rawOutput : undefined,
    error: error && { message: error.message, code: error.code },
  };
}

/** Why a call was not carried out; AHP knows a refusal and everything else. */
export function showRefusal(
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
export function showInput(rawInput: JsonValue | undefined): string | undefined {
  return rawInput === undefined || typeof rawInput === "string" ? rawInput : JSON.stringify(rawInput);
}

/** Options that allow and options that refuse are kept apart as two groups. */
function showOption({ id, label, kind }: ApprovalOption): WireOption {
  return isAllowing(kind) ? { id, label, kind: "approve", group: 1 } : { id, label, kind: "deny", group: 2 };
}

/** Whether choosing an option lets the call run. */
export function isAllowing(kind: ApprovalOption["kind"]): boolean {
  return kind.startsWith("allow");
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
    const { id, action, target, expiresAt } = call.approval;
    holdfast["approval"] = { id, action, target, ...(expiresAt !== undefined && { expiresAt }) };
  }
  return { holdfast };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
