// An agent's options and modes as the configuration of a session, as AHP writes it.
import type { ConfigOption, SessionModes } from "../../model/session/settings.ts";
import type { JsonValue } from "../../model/json.ts";

/** One setting, described. */
export interface WireConfigProperty {
  readonly type: "string" | "boolean";
  readonly title: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly enumLabels?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly sessionMutable: true;
}

/** All settings and their values. */
export interface WireConfig {
  readonly schema: {
    readonly type: "object";
    readonly properties: { readonly [name: string]: WireConfigProperty };
  };
  readonly values: { readonly [name: string]: JsonValue };
}

interface Settings {
  readonly configOptions: readonly ConfigOption[];
  readonly modes?: SessionModes;
}

/** The name of the setting that stands for the agent's modes. */
const MODE = "mode";

/** The settings of a session; absent when the agent offers none. */
export function showConfig({ configOptions, modes }: Settings): WireConfig | undefined {
  const properties: Record<string, WireConfigProperty> = {};
  const values: Record<string, JsonValue> = {};
  for (const option of configOptions) {
    properties[option.id] = showOption(option);
    values[option.id] = option.currentValue;
  }
  if (modes && !(MODE in properties)) {
    properties[MODE] = showModes(modes);
    values[MODE] = modes.currentModeId;
  }
  if (Object.keys(properties).length === 0) return undefined;
  return { schema: { type: "object", properties }, values };
}

/** The name under which a client sets the agent's mode; undefined when an option has taken it, or there are no modes. */
export function modeSetting({ configOptions, modes }: Settings): string | undefined {
  return modes && !configOptions.some(({ id }) => id === MODE) ? MODE : undefined;
}

function showOption(option: ConfigOption): WireConfigProperty {
  const text = { title: option.name, description: option.description, sessionMutable: true } as const;
  if (option.type === "boolean") return { type: "boolean", ...text };
  return {
    type: "string",
    ...text,
    enum: option.choices.map(({ value }) => value),
    enumLabels: option.choices.map(({ name }) => name),
    enumDescriptions: option.choices.map(({ description = "" }) => description),
  };
}

function showModes({ available }: SessionModes): WireConfigProperty {
  return {
    type: "string",
    title: "Mode",
    sessionMutable: true,
    enum: available.map(({ id }) => id),
    enumLabels: available.map(({ name }) => name),
    enumDescriptions: available.map(({ description = "" }) => description),
  };
}
