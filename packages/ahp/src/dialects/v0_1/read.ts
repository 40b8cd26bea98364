// Input from clients of the seed: actions that name their own channel, and requests with other names for it.
import { reader, type ActionReader, type WireAction } from "../ahp/wire-action.ts";
import type { SessionAction, SessionState } from "../../model/session/session.ts";
import type { JsonValue } from "../../model/json.ts";
import { isId, makeId } from "../../model/ids.ts";
import { jsonValue, list, nullable, object, text } from "../../model/shape.ts";
import { defaultChatUri } from "../../model/uri.ts";
import type { ReadStyle } from "../ahp/read-action.ts";
import { chatActionReaders } from "../ahp/read-chat-action.ts";
import { readDispatchFrame, requestReaders, type RequestReaders } from "../ahp/request.ts";
import { activeClientShape, plainClient, sessionActionReaders, type WrittenClient } from "../ahp/session.ts";
import type { ReadDispatch, Sender } from "../dialect.ts";
import { SEED_ROOT_URI } from "./uri.ts";

type Context = Sender & { readonly state: SessionState };

const prefix = "session/";
/** Of the flags, the seed's session keeps what was read with its chat, and what is archived with itself. */
const ofSession = new Set([
  "session/titleChanged",
  "session/isArchivedChanged",
  "session/configChanged",
  "session/modelChanged",
  "session/activeClientChanged",
  "session/activeClientToolsChanged",
]);

const seedSessionReaders: { readonly [type: string]: ActionReader<Context, SessionAction> } = {
  ...sessionActionReaders,
  "session/modelChanged": reader(object({ model: object({ id: text }) }), ({ model }) => ({
    type: "session/runtimeOptionsChanged",
    changes: { model: model.id },
  })),
  "session/activeClientChanged": reader(
    object<{ activeClient: WrittenClient | null }>({ activeClient: nullable(activeClientShape) }),
    ({ activeClient }, { clientId }) =>
      activeClient === null
        ? { type: "session/activeClientRemoved", clientId }
        : { type: "session/activeClientSet", client: plainClient(activeClient) },
  ),
  "session/activeClientToolsChanged": reader(
    object<{ tools: readonly JsonValue[] }>({ tools: list(jsonValue) }),
    ({ tools }, { clientId, state }) => {
      const client = state.activeClients.find((active) => active.clientId === clientId);
      return client
        ? { type: "session/activeClientSet", client: { ...client, tools } }
        : "This client takes no part in the session.";
    },
  ),
};

/** How actions of the seed are read. */
export const seedReadStyle: ReadStyle = {
  chatPrefix: prefix,
  sessionReaders: seedSessionReaders,
  unknownChatActions: new Set(),
};

/** The requests of the seed. `fetchTurns` and `completions` name a session, which stands for its default chat. */
export const seedRequestReaders: RequestReaders = withDefaultChat(
  requestReaders({ subscription: "resource", session: "session", terminal: "terminal" }),
);

/** The dispatch with the channel that its action names, or the root; the prose of that time wrapped it once more. */
export function readSeedDispatch(params: unknown): ReadDispatch {
  const frame = readDispatchFrame(params, false);
  if (!frame.ok) return frame;
  const { clientSeq, action } = frame.value;
  const channel = channelOf(action);
  if (channel === undefined) {
    const problem = "action: names neither a session nor a terminal";
    return { ok: false, problem, answered: { clientSeq, action, sentTo: "" } };
  }
  return { ok: true, value: { clientSeq, action, sentTo: channel, channel } };
}

function channelOf({ type, session, terminal }: WireAction): string | undefined {
  if (type.startsWith("root/")) return SEED_ROOT_URI;
  if (type.startsWith("terminal/")) return isId("terminal URI", terminal) ? terminal : undefined;
  if (!type.startsWith(prefix) || !isId("session URI", session)) return undefined;
  const isOfChat = !ofSession.has(type) && Object.hasOwn(chatActionReaders, type.slice(prefix.length));
  return isOfChat ? defaultChatUri(session) : session;
}

function withDefaultChat(readers: RequestReaders): RequestReaders {
  const { fetchTurns } = readers;
  return {
    ...readers,
    fetchTurns: (params, context) => {
      const read = fetchTurns(params, context);
      if (!read.ok) return read;
      const channel = defaultChatUri(makeId("session URI", read.value.channel));
      return { ok: true, value: { ...read.value, channel } };
    },
  };
}
