// The actions on a session that clients dispatch, in the model's terms.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { flag, id, jsonObject, jsonValue, list, object, optional, text } from "../../model/shape.ts";
import type { SessionAction } from "../../model/session/session-actions.ts";
import type { ActiveClient, SessionState } from "../../model/session/session.ts";
import type { ClientId } from "../../model/ids.ts";
import type { Author } from "../judge/verdict.ts";
import { reader, type ActionReader } from "./action-reader.ts";
import { modeSetting } from "./config.ts";

type Context = Author & { readonly state: SessionState };

/** The shape of a client that announces itself. */
export const activeClientShape = object<ActiveClient>({
  clientId: id("client"),
  displayName: optional(text),
  tools: list(jsonValue),
});

/** A reader for each type. */
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

/** What the model keeps of a client. */
export function plainClient({ clientId, displayName, tools }: ActiveClient): ActiveClient {
  return { clientId, ...(displayName !== undefined && { displayName }), tools };
}

/** The agent's mode is one of the settings on the wire and a thing of its own in the model. */
function readConfig(config: JsonObject, state: SessionState): SessionAction | string {
  const mode = modeSetting(state);
  if (mode === undefined || !(mode in config)) return { type: "session/configChanged", config };
  const modeId: JsonValue | undefined = config[mode];
  if (Object.keys(config).length > 1) return "Change the mode and other settings one after the other.";
  if (typeof modeId !== "string") return "The mode must be a string.";
  return { type: "session/modeChanged", modeId };
}
