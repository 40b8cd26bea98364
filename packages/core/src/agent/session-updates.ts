// Conversion of updates outside a turn to actions, and of an agent's modes and options to the model.
import type { ChatAction, ConfigChoice, ConfigOption, SessionAction, SessionModes } from "@holdfast/ahp";
import {
  jsonOf,
  type AcpConfigChoice,
  type AcpConfigOption,
  type AcpModels,
  type AcpModes,
  type AcpUpdate,
} from "./acp.ts";

/** Where an action goes. */
export type Translated =
  | { readonly to: "chat"; readonly action: ChatAction }
  | { readonly to: "session"; readonly action: SessionAction };

/** The id of the option that stands for an agent's models where it has no option for them itself. */
export const LEGACY_MODEL_OPTION_ID = "acp.models";

const settings = new Set([
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
]);

/** Whether an update is about a session's settings, and not about its transcript. */
export function isSetting({ sessionUpdate }: AcpUpdate): boolean {
  return settings.has(sessionUpdate);
}

/** An update of the agent's options leaves out models that it reports separately: they stay (N38). */
export function keepLegacyModels(update: AcpUpdate, known: readonly ConfigOption[]): AcpUpdate {
  if (update.sessionUpdate !== "config_option_update") return update;
  const options = (update["configOptions"] ?? []) as readonly AcpConfigOption[];
  const models = known.find(({ id }) => id === LEGACY_MODEL_OPTION_ID);
  if (models?.type !== "select" || options.some(({ category }) => category === "model")) return update;
  return { ...update, configOptions: [{ ...models, options: models.choices }, ...options] };
}

/** The actions for an update that belongs to no turn. */
export function translateOutsideTurn(update: AcpUpdate): Translated[] {
  switch (update.sessionUpdate) {
    case "available_commands_update":
      return [
        session({ type: "session/commandsChanged", commands: readCommands(update["availableCommands"]) }),
      ];
    case "current_mode_update":
      return typeof update["currentModeId"] === "string"
        ? [session({ type: "session/modeChanged", modeId: update["currentModeId"] })]
        : [];
    case "config_option_update":
      return [
        session({
          type: "session/configOptionsChanged",
          configOptions: readConfigOptions(update["configOptions"] as AcpConfigOption[]),
        }),
      ];
    case "session_info_update":
      return typeof update["title"] === "string"
        ? [session({ type: "session/titleChanged", title: update["title"] })]
        : [];
    case "usage_update":
      return [chat({ type: "chat/contextUsageChanged", contextUsage: readUsage(update) })];
    default:
      return [
        chat({
          type: "chat/agentUpdateReceived",
          updateKind: update.sessionUpdate,
          update: jsonOf(update),
        }),
      ];
  }
}

/** An agent's modes as the model has them. */
export function readModes({ availableModes, currentModeId }: AcpModes): SessionModes {
  const available = availableModes.map(({ id, name, description }) => ({
    id,
    name,
    ...(typeof description === "string" && { description }),
  }));
  return { available, currentModeId };
}

/** Models that an agent reports separately from its options, converted to an option. */
export function readModels({ availableModels, currentModelId }: AcpModels): ConfigOption {
  const choices = availableModels.map(({ modelId, name = modelId, description }) => ({
    value: modelId,
    name,
    ...(typeof description === "string" && { description }),
  }));
  return {
    id: LEGACY_MODEL_OPTION_ID,
    name: "Model",
    category: "model",
    type: "select",
    currentValue: currentModelId,
    choices,
  };
}

/** An agent's options as the model has them; an option of an unknown type is left out, as the protocol asks. */
export function readConfigOptions(options: readonly AcpConfigOption[] | undefined): ConfigOption[] {
  return (options ?? []).flatMap((option): ConfigOption[] => {
    const text = {
      id: option.id,
      name: option.name,
      ...(typeof option.description === "string" && { description: option.description }),
      ...(typeof option.category === "string" && { category: option.category }),
    };
    if (option.type === "boolean") {
      return [{ ...text, type: "boolean", currentValue: option.currentValue === true }];
    }
    if (option.type !== "select") return [];
    return [
      {
        ...text,
        type: "select",
        currentValue: String(option.currentValue),
        choices: readChoices(option.options ?? []),
      },
    ];
  });
}

function readChoices(choices: readonly AcpConfigChoice[], group?: string): ConfigChoice[] {
  return choices.flatMap((choice): ConfigChoice[] => {
    if (choice.options !== undefined) return readChoices(choice.options, choice.name);
    if (choice.value === undefined) return [];
    return [
      {
        value: choice.value,
        name: choice.name,
        ...(typeof choice.description === "string" && { description: choice.description }),
        ...(group !== undefined && { group }),
      },
    ];
  });
}

function readCommands(commands: unknown): { name: string; description: string; inputHint?: string }[] {
  if (!Array.isArray(commands)) return [];
  return (commands as { name: string; description?: string; input?: { hint?: string } | null }[]).map(
    ({ name, description = "", input }) => ({
      name,
      description,
      ...(typeof input?.hint === "string" && { inputHint: input.hint }),
    }),
  );
}

function readUsage(update: AcpUpdate): {
  usedTokens: number;
  sizeTokens: number;
  cost?: { amount: number; currency: string };
} {
  const cost = update["cost"] as { amount: number; currency: string } | null | undefined;
  return {
    usedTokens: Number(update["used"] ?? 0),
    sizeTokens: Number(update["size"] ?? 0),
    ...(cost !== undefined && cost !== null && { cost: { amount: cost.amount, currency: cost.currency } }),
  };
}

/** An action of the chat. */
export function chat(action: ChatAction): Translated {
  return { to: "chat", action };
}

function session(action: SessionAction): Translated {
  return { to: "session", action };
}
