// Events of a turn's stream, from the actions of its chat and session.
import type {
  AvailableCommand,
  ChatAction,
  ConfigOption,
  ErrorInfo,
  InputRequest,
  Plan,
  SessionAction,
  TextPart,
  WholePart,
} from "@holdfast/ahp";
import { type ErrorCode, ERRORS, textDelta, type TurnEvent, type TurnEventOf } from "@holdfast/protocol";

/** A status event: its tag, a text for people, and the data for programs. */
export function statusEvent(
  tag: string,
  text: string,
  facts: Readonly<Record<string, unknown>> = {},
): TurnEventOf<"status"> {
  return { type: "status", data: { text, tag, ...facts } };
}

/** The last events of a turn that completed or was cancelled. */
export function endWithDone(stopReason: string, usage?: object): TurnEvent[] {
  return [
    { type: "done", data: { stopReason, ...(usage !== undefined && { usage }) } },
    { type: "close", data: { success: true } },
  ];
}

/** The last events of a turn that failed, with the agent's last stderr lines where they explain it. */
export function endWithError(error: ErrorInfo): TurnEvent[] {
  const { message, code, retryable, detailCode, stderrTail = [], remedy } = error;
  return [
    {
      type: "error",
      data: {
        message,
        code,
        ...(retryable !== undefined && { retryable }),
        ...(detailCode !== undefined && { detailCode }),
        ...(stderrTail.length > 0 && { stderrTail }),
        ...(remedy !== undefined && { remedy }),
      },
    },
    { type: "close", data: { success: false } },
  ];
}

/** The last events of a stream that the host ends. */
export function endWithCode(code: ErrorCode, message: string = ERRORS[code].message): TurnEvent[] {
  return endWithError({ code, message });
}

/** The events for a new part: its first piece of text, or what it refers to. */
export function describePart(part: TextPart | WholePart): TurnEvent[] {
  switch (part.kind) {
    case "markdown":
      return part.content === "" ? [] : [textDelta(part.content, "output", part.id, part.repeats)];
    case "reasoning":
      return part.content === "" ? [] : [textDelta(part.content, "thought", part.id)];
    case "contentRef": {
      const { uri, contentType, sizeBytes, name } = part;
      const link = {
        type: "resource_link",
        uri,
        ...(name !== undefined && { name }),
        ...(contentType !== undefined && { mimeType: contentType }),
        ...(sizeBytes !== undefined && { size: sizeBytes }),
      };
      return [statusEvent("content", name ?? contentType ?? "Content", { update: link })];
    }
    case "systemNotification":
      return [statusEvent("notice", part.notice.title, { notice: part.notice })];
  }
}

/** A plan as it is now. */
export function describePlan(plan: Plan): TurnEvent {
  if (plan.kind === "markdown") return statusEvent("plan", plan.content, { planId: plan.id });
  const completed = plan.entries.filter((entry) => entry.status === "completed").length;
  const text = `${completed} of ${plan.entries.length} steps completed`;
  return statusEvent("plan", text, { entries: plan.entries, planId: plan.id });
}

/** A question to a person: a form to fill in or an address to visit. */
export function describeInputRequest(request: InputRequest): TurnEvent {
  const { id, message = "", ...fields } = request;
  return statusEvent("input_request", message, { requestId: id, message, ...fields });
}

/** The events for an action that concerns the chat as a whole while the turn runs. */
export function describeChatDetail(action: ChatAction): TurnEvent[] {
  switch (action.type) {
    case "chat/contextUsageChanged": {
      const { usedTokens: used, sizeTokens: size, cost } = action.contextUsage;
      const text = `${used} of ${size} tokens in context`;
      return [statusEvent("usage_update", text, { used, size, ...(cost !== undefined && { cost }) })];
    }
    case "chat/activityChanged":
      return action.activity === undefined ? [] : [statusEvent("activity", action.activity)];
    case "chat/agentUpdateReceived":
      return [statusEvent(action.updateKind, action.updateKind, { update: action.update })];
    default:
      return [];
  }
}

/** The events for an action of a session; none for what a follower of a turn has no use for. */
export function describeSessionAction(action: SessionAction): TurnEvent[] {
  switch (action.type) {
    case "session/commandsChanged": {
      const availableCommands = action.commands.map(describeCommand);
      const text = `${availableCommands.length} commands available`;
      return [statusEvent("available_commands_update", text, { availableCommands })];
    }
    case "session/modeChanged":
      return [statusEvent("current_mode_update", `Mode ${action.modeId}`, { currentModeId: action.modeId })];
    case "session/configOptionsChanged": {
      const configOptions = action.configOptions.map(describeOption);
      return [statusEvent("config_option_update", "Options changed", { configOptions })];
    }
    case "session/configChanged":
      return [statusEvent("config_option_update", "Options changed", { config: action.config })];
    case "session/titleChanged":
      return [statusEvent("session_info_update", action.title, { title: action.title })];
    case "session/contextLost":
      return [statusEvent("context_lost", action.reason)];
    case "session/resuming":
      return [statusEvent("resuming", "Restarting the agent")];
    case "session/noticeAdded":
      return [statusEvent("notice", action.notice.title, { notice: action.notice })];
    default:
      return [];
  }
}

function describeCommand({ name, description, inputHint }: AvailableCommand): object {
  return { name, description, ...(inputHint !== undefined && { input: { hint: inputHint } }) };
}

/** ACP calls the choices of an option its options. */
function describeOption(option: ConfigOption): object {
  if (option.type === "boolean") return option;
  const { choices, ...rest } = option;
  return { ...rest, options: choices };
}
