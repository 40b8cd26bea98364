// Recovery of what an earlier host left: nothing that died with it is shown as alive, and all of it says how it ended.
import {
  type ChatState,
  makeId,
  type SessionState,
  type TerminalState,
  type TurnEndAction,
  turnEndOf,
} from "@holdfast/ahp";
import { ERRORS } from "@holdfast/protocol";
import type { Audit } from "../audit/audit.ts";
import { recordLostCommands } from "../audit/command-audit.ts";
import type { Hub } from "../channel/hub.ts";
import type { HostWatchers } from "../host-watchers.ts";
import type { Storage } from "../ports.ts";
import { claimAfterExit } from "../rules/terminal-rules.ts";
import { terminalIdOf } from "../terminal/terminal-id.ts";
import type { SessionRemains } from "./host-session.ts";
import { continuesTurn, type Remains } from "./reattach.ts";
import { dropPending } from "./session-chat.ts";

/** Dependencies of the recovery. */
export interface RecoveryDeps {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly watchers: HostWatchers;
  readonly audit: Audit;
  readonly now: () => Date;
  /** The remains of the earlier host. */
  readonly remains?: Remains | undefined;
}

const restarted = {
  code: "HOST_RESTARTED",
  message: ERRORS.HOST_RESTARTED.message,
  retryable: true,
} as const;

/** Recovers a session that was open; false when it had never begun, and so is over. `ended` are all terminals that ran. */
export function recoverSession(
  deps: RecoveryDeps,
  state: SessionState,
  ended: readonly TerminalState[],
): boolean {
  const { hub, watchers, now } = deps;
  const uri = state.resource;
  hub.restore(uri, "session", state);
  if (state.lifecycle.status === "creating") {
    const error = { ...restarted, message: "The host was stopped while the agent was being started." };
    hub.dispatch(uri, { type: "session/creationFailed", error });
    watchers.notify(state, { type: "session_error", error });
    hub.close(uri);
    for (const chat of state.chats) closeKept(deps, chat.resource);
    return false;
  }
  const remains = deps.remains?.sessions.get(uri);
  const busy = state.chats.filter(({ phase }) => phase.status === "busy");
  const interrupted = busy.filter((chat) => !continueChat(deps, remains, chat.resource));
  for (const chat of interrupted) recoverChat(deps, state, chat.resource);
  // Its agent is there, or a turn begins that starts it.
  if (interrupted.length === 0 && (remains?.agent !== undefined || busy.length > 0)) return true;
  const ran = busy.length > 0 || ended.some(({ claim }) => claim.kind === "session" && claim.session === uri);
  // A host that stopped in order has recorded why; only a killed one leaves that to this one.
  if (state.lifecycle.status === "stale" && !ran) return true;
  // Last, because with it go the questions that nobody can answer any more.
  const cause = ran ? "host-restarted" : "evicted";
  hub.dispatch(uri, { type: "session/stale", at: now().toISOString(), cause });
  return true;
}

/** Ends the terminals of an earlier host, which have ended with it; gives them as they were. */
export function recoverTerminals({
  hub,
  storage,
  audit,
  now,
  remains,
}: RecoveryDeps): readonly TerminalState[] {
  const all = storage.openChannels("terminal");
  for (const { uri, state } of all) hub.restore(uri, "terminal", state);
  const open = all.filter(({ uri }) => remains?.terminals.has(uri) !== true && remains?.shows(uri) !== true);
  for (const { uri, state } of open) {
    const claim = claimAfterExit(state.claim);
    if (claim !== state.claim) hub.dispatch(uri, { type: "terminal/claimed", claim });
    hub.dispatch(uri, {
      type: "terminal/exited",
      exitedAt: now().toISOString(),
      exit: { kind: "unknown", reason: "The host was restarted" },
    });
    hub.close(uri);
  }
  recordLostCommands(
    audit,
    storage.audit,
    open.map(({ uri }) => terminalIdOf(uri)),
  );
  return open.map(({ state }) => state);
}

/** Keeps a chat whose turn continues, with the messages that are queued behind it; false when it does not. */
function continueChat(
  { hub, storage }: RecoveryDeps,
  remains: SessionRemains | undefined,
  uri: string,
): boolean {
  const stored = storage.loadChannel(uri);
  if (stored?.kind !== "chat" || stored.state.activeTurn === undefined) return false;
  if (!continuesTurn(remains, stored.state.activeTurn.id)) return false;
  hub.restore(uri, "chat", stored.state);
  return true;
}

/** Ends the turn that was running, and drops the messages that waited for its end: nobody waits for them any more. */
function recoverChat(deps: RecoveryDeps, session: SessionState, uri: string): void {
  const { hub, storage, watchers, now } = deps;
  const stored = storage.loadChannel(uri);
  if (stored?.kind !== "chat") return;
  const chat: ChatState = stored.state;
  hub.restore(uri, "chat", chat);
  const { activeTurn } = chat;
  if (activeTurn !== undefined) {
    const endedAt = now();
    const durationMs = Math.max(0, endedAt.getTime() - Date.parse(activeTurn.startedAt));
    const turnId = activeTurn.id;
    const action: TurnEndAction = {
      type: "chat/turnInterrupted",
      turnId,
      endedAt: endedAt.toISOString(),
      durationMs,
      error: restarted,
      resumable: true,
    };
    hub.dispatch(uri, action);
    watchers.notify(session, { type: "turn_done", turnId, end: turnEndOf(action), durationMs });
  }
  dropPending(hub, chat);
  const phase = { status: "idle", lastTurn: "interrupted" } as const;
  hub.dispatch(session.resource, {
    type: "session/chatUpdated",
    chat: makeId("chat URI", uri),
    changes: { phase },
  });
}

function closeKept({ hub, storage }: RecoveryDeps, uri: string): void {
  const stored = storage.loadChannel(uri);
  if (stored?.kind !== "chat") return;
  hub.restore(uri, "chat", stored.state);
  hub.close(uri);
}
