// The settings of a session in ACP's shapes: modes, options, commands, title.
import type { AvailableCommand, ConfigOption, SessionModes, SessionState } from "@holdfast/ahp";
import type { EditorFeatures } from "./features.ts";
import type { SessionUpdate } from "./tool-call.ts";

/** The settings in the response to a request that opens a session. */
export function describeSettings(state: SessionState, features: EditorFeatures): object {
  const { modes, configOptions } = state;
  return {
    ...(modes !== undefined && { modes: describeModes(modes) }),
    ...(configOptions.length > 0 && { configOptions: describeOptions(configOptions, features) }),
  };
}

export function describeOptions(
  options: readonly ConfigOption[],
  { booleanOptions }: EditorFeatures,
): object[] {
  return options.flatMap((option): object[] => {
    if (option.type === "boolean") return booleanOptions ? [option] : [];
    const { choices, ...others } = option;
    return [{ ...others, options: groupChoices(choices) }];
  });
}

/** Choices under headings are groups in ACP, where either all choices are grouped or none is. */
function groupChoices(choices: Extract<ConfigOption, { type: "select" }>["choices"]): object[] {
  if (choices.length === 0 || choices.some(({ group }) => group === undefined)) {
    return choices.map(({ group: _group, ...choice }) => choice);
  }
  const groups = new Map<string, object[]>();
  for (const { group = "", ...choice } of choices) {
    const options = groups.get(group) ?? [];
    groups.set(group, [...options, choice]);
  }
  return [...groups].map(([name, options]) => ({ group: name, name, options }));
}

/** The settings that only updates carry. */
export function describeStart(state: SessionState): SessionUpdate[] {
  const { commands } = state;
  return [...(commands.length > 0 ? [commandsUpdate(commands)] : []), titleUpdate(state)];
}

export function commandsUpdate(commands: readonly AvailableCommand[]): SessionUpdate {
  return {
    sessionUpdate: "available_commands_update",
    availableCommands: commands.map(({ name, description, inputHint }) => ({
      name,
      description,
      ...(inputHint !== undefined && { input: { hint: inputHint } }),
    })),
  };
}

export function titleUpdate({ title, label, lastActivityAt }: SessionState): SessionUpdate {
  return { sessionUpdate: "session_info_update", title: label ?? title, updatedAt: lastActivityAt };
}

export function optionsUpdate({ configOptions }: SessionState, features: EditorFeatures): SessionUpdate {
  return {
    sessionUpdate: "config_option_update",
    configOptions: describeOptions(configOptions, features),
  };
}

function describeModes({ currentModeId, available }: SessionModes): object {
  return { currentModeId, availableModes: available };
}
