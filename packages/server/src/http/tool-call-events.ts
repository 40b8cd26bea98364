// A tool call and the questions about it as events of a turn's stream.
import type { Approval, ApprovalDecision, JsonValue, ToolCall } from "@holdfast/ahp";
import { permissionOption, type TurnEventOf } from "@holdfast/protocol";
import { describeContent } from "./tool-content.ts";
import { statusEvent } from "./turn-events.ts";

const summaryLength = 500;

/** The call as a whole, as it stands; a call that will not be carried out is told as failed (A31). */
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
  const { id, action, target, options, expiresAt = null } = approval;
  const { toolCallId, toolKind, displayName, rawInput } = call;
  return {
    type: "permission_request",
    data: {
      requestId: id,
      action,
      target,
      options: options.map(({ id: optionId, label, kind }) =>
        permissionOption({ optionId, name: label, kind }),
      ),
      expiresAt,
      toolCallId,
      kind: toolKind,
      title: displayName,
      ...(rawInput !== undefined && { rawInput }),
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

/** The text that a finished call shows, where the agent gave no output of its own. */
function textOf(call: ToolCall): string | undefined {
  if (statusOf(call) === "running") return undefined;
  return call.content.find((content) => content.type === "text")?.text;
}

function summarize(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // `toWellFormed` would replace half a character by a sign of its own; cutting it off is kinder.
  return text.length <= summaryLength ? text : text.slice(0, summaryLength).replace(/[\uD800-\uDBFF]$/, "");
}
