// Takes up what an earlier host left: nothing that died with it is shown as alive, and all of it says what became of it.
import { type ChatState, type SessionState, type TerminalState, makeId } from "@holdfast/ahp";
import type { Hub } from "../channel/hub.ts";
import type { HostWatchers } from "../host-watchers.ts";
import type { Storage } from "../ports.ts";

/** What recovering needs. */
export interface RecoveryTools {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly watchers: HostWatchers;
  readonly now: () => Date;
}

const restarted = {
  code: "HOST_RESTARTED",
  message: "The host was stopped in mid-turn. What was said so far is kept; send the message again to go on.",
  retryable: true,
} as const;

/** Brings a session back that was open; false when it had never begun, and so is over. */
export function recoverSession(tools: RecoveryTools, state: SessionState): boolean {
  const { hub, watchers, now } = tools;
  const uri = state.resource;
  hub.restore(uri, "session", state);
  if (state.lifecycle.status === "creating") {
    const error = { ...restarted, message: "The host was stopped while the agent was being started." };
    hub.dispatch(uri, { type: "session/creationFailed", error });
    watchers.tell(state, { type: "session_error", error });
    hub.close(uri);
    for (const chat of state.chats) closeKept(tools, chat.resource);
    return false;
  }
  for (const chat of state.chats) if (chat.phase.status === "busy") recoverChat(tools, state, chat.resource);
  // Last, because with it go the questions that nobody can answer any more.
  hub.dispatch(uri, { type: "session/stale", at: now().toISOString(), cause: "host-restarted" });
  return true;
}

/** Ends the terminals of an earlier host, which have ended with it; gives them as they were. */
export function recoverTerminals({ hub, storage, now }: RecoveryTools): readonly TerminalState[] {
  const open = storage.openChannels("terminal");
  for (const { uri, state } of open) {
    hub.restore(uri, "terminal", state);
    hub.dispatch(uri, {
      type: "terminal/exited",
      exitedAt: now().toISOString(),
      exit: { kind: "unknown", reason: "The host was restarted" },
    });
    hub.close(uri);
  }
  return open.map(({ state }) => state);
}

/** Ends the turn that was going on, and drops what waited behind it: nobody waits for it any more. */
function recoverChat(tools: RecoveryTools, session: SessionState, uri: string): void {
  const { hub, storage, watchers, now } = tools;
  const stored = storage.loadChannel(uri);
  if (stored?.kind !== "chat") return;
  const chat: ChatState = stored.state;
  hub.restore(uri, "chat", chat);
  const { activeTurn, queuedMessages } = chat;
  if (activeTurn !== undefined) {
    const endedAt = now();
    const durationMs = Math.max(0, endedAt.getTime() - Date.parse(activeTurn.startedAt));
    const end = { error: restarted, resumable: true } as const;
    const turnId = activeTurn.id;
    hub.dispatch(uri, {
      type: "chat/turnInterrupted",
      turnId,
      endedAt: endedAt.toISOString(),
      durationMs,
      ...end,
    });
    watchers.tell(session, { type: "turn_done", turnId, end: { state: "interrupted", ...end }, durationMs });
  }
  for (const { id } of queuedMessages) {
    hub.dispatch(uri, { type: "chat/pendingMessageRemoved", kind: "queued", id });
  }
  const phase = { status: "idle", lastTurn: "interrupted" } as const;
  hub.dispatch(session.resource, {
    type: "session/chatUpdated",
    chat: makeId("chat URI", uri),
    changes: { phase },
  });
}

function closeKept({ hub, storage }: RecoveryTools, uri: string): void {
  const stored = storage.loadChannel(uri);
  if (stored?.kind !== "chat") return;
  hub.restore(uri, "chat", stored.state);
  hub.close(uri);
}
