// Sessions in the storage whose agents never ran: a test that needs many of them starts no processes.
import {
  defaultChatUri,
  makeId,
  newChatState,
  newSessionState,
  type SessionOwner,
  sessionUri,
  summarizeChat,
} from "@holdfast/ahp";
import type { Hub } from "@holdfast/core";

const at = "2026-01-01T00:00:00.000Z";

/** Stores open sessions of an owner, one for each name; the keys end in the names. */
export async function storeSessions(
  hub: Hub,
  names: readonly string[],
  owner: SessionOwner = { kind: "person" },
): Promise<void> {
  for (const name of names) {
    const resource = sessionUri(makeId("session", name));
    const chat = newChatState({ resource: defaultChatUri(resource), title: name, at });
    const key = makeId("session key", `agent:mine:acp:${name}`);
    const provider = makeId("agent", "mine");
    const opening = { resource, key, provider, owner, title: name, at, workingDirectories: [] };
    hub.open(resource, "session", newSessionState(opening));
    hub.open(chat.resource, "chat", chat);
    hub.dispatch(resource, { type: "session/chatAdded", chat: summarizeChat(chat) });
    hub.dispatch(resource, { type: "session/defaultChatChanged", defaultChat: chat.resource });
    hub.dispatch(resource, { type: "session/ready", at, backendId: name });
  }
  await hub.settled();
}
