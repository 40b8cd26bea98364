// What happens to a session during a turn, as status events of the turn's stream.
import type { AvailableCommand, ConfigOption, SessionAction } from "@holdfast/ahp";
import type { TurnEvent } from "@holdfast/protocol";
import { statusEvent } from "./turn-events.ts";

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
      return [statusEvent("resuming", "The agent is being started again")];
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
