// A session as all versions of AHP have it: its settings, and the actions that clients dispatch.
import type { ClientId } from "../../model/ids.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ActiveClient, SessionAction, SessionState } from "../../model/session/session.ts";
import type { ConfigOption, SessionModes } from "../../model/session/settings.ts";
import { flag, id, jsonObject, jsonValue, list, object, optional, text } from "../../model/shape.ts";
import type { Sender, StepOf } from "../dialect.ts";
import { reader, withMembers, type ActionReader, type WireAction } from "./wire-action.ts";

interface WireConfigProperty {
  readonly type: "string" | "boolean";
  readonly title: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly enumLabels?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly sessionMutable: true;
}

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
function modeSetting({ configOptions, modes }: Settings): string | undefined {
  return modes && !configOptions.some((option) => option.id === MODE) ? MODE : undefined;
}

function showOption(option: ConfigOption): WireConfigProperty {
  const described = { title: option.name, description: option.description, sessionMutable: true } as const;
  if (option.type === "boolean") return { type: "boolean", ...described };
  return {
    type: "string",
    ...described,
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
    enum: available.map((mode) => mode.id),
    enumLabels: available.map(({ name }) => name),
    enumDescriptions: available.map(({ description = "" }) => description),
  };
}

/**
 * A client that changed settings waits for its own action: the entry that says so is that action, with the values as they
 * are now, whatever else changed with it (E325).
 */
export function configEcho({ action, after }: StepOf<"session">): readonly WireAction[] {
  if (action.type !== "session/runtimeOptionsChanged") return [];
  const { extras, runtimeMode } = action.changes;
  const mode = runtimeMode === undefined ? undefined : modeSetting(after);
  const names = [...Object.keys(extras ?? {}), ...(mode === undefined ? [] : [mode])];
  const values = showConfig(after)?.values ?? {};
  const config = Object.fromEntries(
    names.filter((name) => name in values).map((name) => [name, values[name]]),
  );
  return Object.keys(config).length === 0 ? [] : [{ type: "session/configChanged", config }];
}

/** AHP has an action for new values but none for new settings: a client sees those with its next snapshot (E15). */
export function configActions(before: SessionState, after: SessionState): readonly WireAction[] {
  if (before.configOptions === after.configOptions && before.modes === after.modes) return [];
  const from = showConfig(before)?.values;
  const to = showConfig(after)?.values;
  if (!to || JSON.stringify(from) === JSON.stringify(to)) return [];
  return [{ type: "session/configChanged", config: to, replace: true }];
}

type Context = Sender & { readonly state: SessionState };

/** A client as it announces itself; it may write members beyond these. */
export type WrittenClient = Omit<ActiveClient, "members">;

export const activeClientShape = object<WrittenClient>({
  clientId: id("client"),
  displayName: optional(text),
  tools: list(jsonValue),
});

export const sessionActionReaders: { readonly [type: string]: ActionReader<Context, SessionAction> } = {
  "session/titleChanged": reader(object({ title: text }), ({ title }) => ({
    type: "session/titleChanged",
    title,
  })),
  "session/isReadChanged": reader(object({ isRead: flag }), ({ isRead }) => ({
    type: "session/isReadChanged",
    isRead,
  })),
  "session/isArchivedChanged": reader(object({ isArchived: flag }), ({ isArchived }) => ({
    type: "session/isArchivedChanged",
    isArchived,
  })),
  "session/activeClientSet": reader(object({ activeClient: activeClientShape }), ({ activeClient }) => ({
    type: "session/activeClientSet",
    client: plainClient(activeClient),
  })),
  "session/activeClientRemoved": reader(
    object<{ clientId: ClientId }>({ clientId: id("client") }),
    (fields) => ({
      type: "session/activeClientRemoved",
      clientId: fields.clientId,
    }),
  ),
  "session/configChanged": reader(object({ config: jsonObject }), ({ config }, { state }) =>
    readConfig(config, state),
  ),
};

/** A client as the model keeps it, from one that was written with any members (E763). */
export function plainClient(written: WrittenClient): ActiveClient {
  const { clientId, displayName, tools, ...members } = written;
  return { clientId, ...(displayName !== undefined && { displayName }), tools, ...withMembers(members) };
}

/** A client as it was written. */
export function showClient({ members, ...client }: ActiveClient): object {
  return { ...members, ...client };
}

/** The agent's mode is one of the settings on the wire, and separate from them in the model. */
function readConfig(config: JsonObject, state: SessionState): SessionAction | string {
  const mode = modeSetting(state);
  if (mode === undefined || !(mode in config)) return { type: "session/configChanged", config };
  const modeId: JsonValue | undefined = config[mode];
  if (Object.keys(config).length > 1) return "Change the mode and other settings one after the other.";
  if (typeof modeId !== "string") return "The mode must be a string.";
  return { type: "session/modeChanged", modeId };
}
