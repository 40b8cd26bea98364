// The reference reducer of AHP for one tool call.
import {
  fieldsOf,
  listOf,
  textOf,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "./reference.ts";

/** A tool call after an action; the same object when the action does not fit its status. */
export function reduceToolCall(
  call: WireFields,
  action: ReferenceAction,
  version: ReferenceVersion,
): WireFields {
  const status = String(call["status"]);
  const base = baseOf(call, version.renewsMeta ? action : undefined);
  switch (action.type) {
    case "toolCallDelta":
      if (status !== "streaming") return call;
      return {
        ...call,
        ...(version.renewsMeta && action["_meta"] !== undefined && { _meta: action["_meta"] }),
        partialInput: textOf(call["partialInput"]) + textOf(action["content"]),
        invocationMessage: action["invocationMessage"] ?? call["invocationMessage"],
      };
    case "toolCallReady":
      return reduceReady(call, action, base, version);
    case "toolCallConfirmed":
      return status === "pending-confirmation" ? reduceConfirmed(call, action, base) : call;
    case "toolCallContentChanged": {
      if (status !== "running") return call;
      const meta = version.renewsMeta && action["_meta"] !== undefined && { _meta: action["_meta"] };
      return { ...call, ...meta, content: action["content"] };
    }
    case "toolCallComplete": {
      if (status !== "running" && status !== "pending-confirmation") return call;
      const isRunning = status === "running";
      return {
        ...base,
        ...invocationOf(call),
        confirmed: isRunning ? call["confirmed"] : "not-needed",
        selectedOption: isRunning ? call["selectedOption"] : undefined,
        ...fieldsOf(action["result"]),
        status: action["requiresResultConfirmation"] ? "pending-result-confirmation" : "completed",
      };
    }
    case "toolCallResultConfirmed": {
      if (status !== "pending-result-confirmation") return call;
      if (action["approved"] === true) return { ...call, ...base, status: "completed" };
      const { selectedOption } = call;
      return { ...base, ...invocationOf(call), selectedOption, status: "cancelled", reason: "result-denied" };
    }
    default:
      return call;
  }
}

/** A call that its turn's end cuts off. */
export function cutOff(call: WireFields): WireFields {
  if (call["status"] === "completed" || call["status"] === "cancelled") return call;
  const isStreaming = call["status"] === "streaming";
  return {
    ...baseOf(call, undefined),
    invocationMessage: call["invocationMessage"] ?? "",
    toolInput: isStreaming ? undefined : call["toolInput"],
    status: "cancelled",
    reason: "skipped",
  };
}

/** Whether a call waits for a person. */
export function isWaiting(call: WireFields): boolean {
  return call["status"] === "pending-confirmation" || call["status"] === "pending-result-confirmation";
}

function reduceReady(
  call: WireFields,
  action: ReferenceAction,
  base: WireFields,
  { redescribesWaiting }: ReferenceVersion,
): WireFields {
  const { status } = call;
  const pending = redescribesWaiting && status === "pending-confirmation" ? call : undefined;
  if (status !== "streaming" && status !== "running" && !pending) return call;
  const { invocationMessage, toolInput, confirmed } = action;
  if (confirmed !== undefined) return { ...base, invocationMessage, toolInput, confirmed, status: "running" };
  return {
    ...base,
    invocationMessage,
    toolInput: toolInput ?? pending?.["toolInput"],
    confirmationTitle: action["confirmationTitle"] ?? pending?.["confirmationTitle"],
    riskAssessment: action["riskAssessment"] ?? pending?.["riskAssessment"],
    edits: action["edits"] ?? pending?.["edits"],
    editable: action["editable"] ?? pending?.["editable"],
    options: action["options"] ?? pending?.["options"],
    status: "pending-confirmation",
  };
}

function reduceConfirmed(call: WireFields, action: ReferenceAction, base: WireFields): WireFields {
  const selectedOption = listOf(call["options"]).find(({ id }) => id === action["selectedOptionId"]);
  const { invocationMessage, toolInput } = call;
  if (action["approved"] === true) {
    return {
      ...base,
      invocationMessage,
      toolInput: action["editedToolInput"] ?? toolInput,
      confirmed: action["confirmed"],
      selectedOption,
      status: "running",
    };
  }
  const { reason, reasonMessage, userSuggestion } = action;
  return {
    ...base,
    invocationMessage,
    toolInput,
    reason,
    reasonMessage,
    userSuggestion,
    selectedOption,
    status: "cancelled",
  };
}

function baseOf(call: WireFields, action: ReferenceAction | undefined): WireFields {
  const { toolCallId, toolName, displayName, intention, contributor, toolClientId } = call;
  const _meta = action?.["_meta"] ?? call["_meta"];
  return { toolCallId, toolName, displayName, intention, contributor, toolClientId, _meta };
}

function invocationOf({ invocationMessage, toolInput }: WireFields): WireFields {
  return { invocationMessage, toolInput };
}
