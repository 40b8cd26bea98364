// The channels of a session: opened for a new one, and again for one that is over.
import { pathToFileURL } from "node:url";
import {
  type Actor,
  defaultChatUri,
  formatSessionKey,
  makeId,
  newChatState,
  newSessionState,
  type SessionOwner,
  type SessionState,
  summarizeChat,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { HostSession } from "./host-session.ts";
import type { ChosenSession } from "./session-admission.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionName } from "./session-name.ts";

const NEVER_STARTED =
  "The agent of this session never started, so there is nothing to reopen. Open a new session.";

/** Opens the channels of a new session and of its chat; its agent is not started yet. */
export function openSession(
  deps: SessionDeps,
  { entry, options, runtimeOptions }: ChosenSession,
  { sessionId, uri }: SessionName,
  owner: SessionOwner,
): HostSession {
  const { hub } = deps;
  const { label, forwardedProvider, mcpServers, isolation = "none" } = options;
  const key = formatSessionKey({ handle: entry.handles[0] ?? entry.id, sessionId });
  const chat = defaultChatUri(uri);
  const at = deps.now().toISOString();
  const title = label ?? entry.label;
  hub.open(
    uri,
    "session",
    newSessionState({
      resource: uri,
      key,
      provider: makeId("agent", entry.id),
      owner,
      title,
      at,
      workingDirectories: [pathToFileURL(runtimeOptions.cwd).href],
      runtimeOptions,
      ...(label !== undefined && { label }),
      ...(forwardedProvider !== undefined && { forwardedProvider }),
      ...(mcpServers !== undefined && { mcpServers }),
      isolation: { wanted: isolation, level: isolation },
    }),
  );
  const chatState = newChatState({ resource: chat, title, at });
  hub.open(chat, "chat", chatState);
  hub.dispatch(uri, { type: "session/chatAdded", chat: summarizeChat(chatState) });
  hub.dispatch(uri, { type: "session/defaultChatChanged", defaultChat: chat });
  return new HostSession({ key, uri, chat, entry }, deps);
}

/** Throws when a session that is over cannot be opened again. */
export function requireStarted({ backendId }: SessionState): void {
  if (backendId === undefined) throw new HostError("ACP_SESSION_INIT_FAILED", NEVER_STARTED);
}

/** Opens the stored channels of a session that is over, as one without an agent (N810). */
export function reopenSession(
  deps: SessionDeps,
  state: SessionState,
  entry: AgentEntry,
  by: Actor,
): HostSession {
  const { hub, storage, now } = deps;
  const { key, resource: uri, defaultChat = defaultChatUri(uri) } = state;
  const chat = storage.loadChannel(defaultChat);
  if (chat?.kind !== "chat") throw new HostError("ACP_SESSION_NOT_FOUND");
  hub.reopen(uri, "session", state);
  hub.reopen(defaultChat, "chat", chat.state);
  hub.dispatch(uri, { type: "session/reopened", at: now().toISOString(), by });
  return new HostSession({ key, uri, chat: defaultChat, entry }, deps);
}
