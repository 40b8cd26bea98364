// Tool calls and their approvals as events of a turn's stream.
import {
  type Approval,
  type ApprovalDecision,
  type FileVersion,
  type JsonValue,
  parseChannelUri,
  type TerminalExit,
  type ToolCall,
  type ToolContent,
} from "@holdfast/ahp";
import { permissionOption, type TurnEventOf } from "@holdfast/protocol";
import { statusEvent } from "./turn-events.ts";

const summaryLength = 500;

/** The call as a whole, as it stands; a call that will not run is reported as failed (A31). */
export function toolCallEvent(
  call: ToolCall,
  tag: "tool_call" | "tool_call_update",
): TurnEventOf<"tool_call"> {
  const { toolCallId, displayName, toolKind, locations, rawInput, content } = call;
  const rawOutput = outputOf(call);
  return {
    type: "tool_call",
    data: {
      text: describeCall(call, rawOutput),
      title: displayName,
      toolCallId,
      status: statusOf(call),
      tag,
      kind: toolKind,
      ...(locations.length > 0 && { locations: [...locations] }),
      ...(rawInput !== undefined && { rawInput }),
      ...(rawOutput !== undefined && { rawOutput }),
      ...(content.length > 0 && { content: content.map(describeContent) }),
    },
  };
}

/** A question about a call, with its options under the names of every client. */
export function permissionRequest(call: ToolCall, approval: Approval): TurnEventOf<"permission_request"> {
  const { id, action, target, options, expiresAt = null, subject, source, agentTitle } = approval;
  const { toolCallId, toolKind, displayName, rawInput } = call;
  return {
    type: "permission_request",
    data: {
      requestId: id,
      action,
      target,
      options: options.map(({ id: optionId, label, kind, agentLabel }) =>
        permissionOption({ optionId, name: label, kind, agentName: agentLabel }),
      ),
      expiresAt,
      toolCallId,
      kind: toolKind,
      title: displayName,
      ...(rawInput !== undefined && { rawInput }),
      ...(subject !== undefined && { subject }),
      ...(source !== undefined && { source }),
      ...(agentTitle !== undefined && { agentTitle }),
    },
  };
}

/** The question is answered, here or on any other connection. */
export function permissionResolved(decision: ApprovalDecision): TurnEventOf<"status"> {
  const { approvalId, outcome, optionId, by } = decision;
  return statusEvent("permission_resolved", `Permission ${outcome}`, {
    requestId: approvalId,
    outcome,
    ...(optionId !== undefined && { optionId }),
    by: by.kind,
  });
}

function statusOf({ status }: ToolCall): "running" | "completed" | "failed" {
  if (status === "completed") return "completed";
  return status === "failed" || status === "cancelled" ? "failed" : "running";
}

function outputOf(call: ToolCall): JsonValue | undefined {
  return call.status === "completed" || call.status === "failed" ? call.result.rawOutput : undefined;
}

function describeCall(call: ToolCall, rawOutput: JsonValue | undefined): string {
  const status = call.status === "cancelled" ? call.reason : statusOf(call);
  const summary = summarize(rawOutput ?? textOf(call) ?? call.rawInput);
  return `${call.displayName} (${status})${summary === "" ? "" : `: ${summary}`}`;
}

/** The text or terminal output that a finished call shows, where the agent gave no output itself. */
function textOf(call: ToolCall): string | undefined {
  if (statusOf(call) === "running") return undefined;
  const text = call.content.find((content) => content.type === "text")?.text;
  if (text !== undefined) return text;
  const terminal = call.content.find((content) => content.type === "terminal");
  const output = (terminal?.lateResult ?? terminal?.result)?.preview;
  return output === "" ? undefined : output;
}

function summarize(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // `toWellFormed` would replace half a character by U+FFFD; cutting it off is kinder.
  return text.length <= summaryLength ? text : text.slice(0, summaryLength).replace(/[\uD800-\uDBFF]$/, "");
}

/** One piece of content as an ACP content block; what ACP has no field for stands beside its own fields. */
export function describeContent(content: ToolContent): object {
  switch (content.type) {
    case "text":
      return { type: "content", content: { type: "text", text: content.text } };
    case "embeddedResource":
      return { type: "content", content: describeEmbedded(content.data, content.contentType) };
    case "resource":
      return {
        type: "content",
        content: {
          type: "resource_link",
          uri: content.uri,
          name: content.uri,
          ...(content.contentType !== undefined && { mimeType: content.contentType }),
          ...(content.sizeBytes !== undefined && { size: content.sizeBytes }),
        },
      };
    case "fileEdit":
      return { type: "diff", path: content.path, ...describeEdit(content.before, content.after) };
    case "terminal":
      return describeTerminal(content);
    case "raw":
      return content.value;
  }
}

function describeEmbedded(data: string, mimeType: string): object {
  const [kind] = mimeType.split("/", 1);
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType };
  return { type: "resource", resource: { blob: data, mimeType } };
}

function describeEdit(before: FileVersion | undefined, after: FileVersion | undefined): object {
  return {
    oldText: before?.kind === "text" ? before.text : null,
    newText: after?.kind === "text" ? after.text : "",
    ...(before?.kind === "ref" && { oldUri: before.uri }),
    ...(after?.kind === "ref" && { newUri: after.uri }),
    ...(after === undefined && { deleted: true }),
  };
}

function describeTerminal(content: Extract<ToolContent, { type: "terminal" }>): object {
  const { resource, title, isPty, result: resultAtEnd, lateResult: result = resultAtEnd } = content;
  const address = parseChannelUri(resource);
  const terminalId = address?.kind === "terminal" ? address.terminalId : resource;
  return {
    type: "terminal",
    terminalId,
    resource,
    title,
    isPty,
    ...(result?.preview !== undefined && { output: result.preview }),
    ...(result !== undefined && { truncated: result.skippedBytes > 0 }),
    ...(result?.exit !== undefined && { exitStatus: describeExit(result.exit) }),
  };
}

function describeExit(exit: TerminalExit): object {
  return {
    exitCode: exit.kind === "code" ? exit.exitCode : null,
    signal: exit.kind === "signal" ? exit.signal : null,
    ...(exit.kind !== "unknown" && exit.limit !== undefined && { limit: exit.limit }),
  };
}
