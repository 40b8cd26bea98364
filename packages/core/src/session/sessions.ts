// All sessions of the host: opens them, finds them for their owners, closes them.
import {
  type Actor,
  ROOT_URI,
  type SessionState,
  type SessionSummary,
  type TerminalState,
  type SessionUri,
  defaultChatUri,
  makeId,
  summarizeSession,
} from "@holdfast/ahp";
import { HostError, type SessionOptions } from "@holdfast/protocol";
import type { AgentEntries } from "../agent/agent-entry.ts";
import { readRemedy } from "../agent/sign-in.ts";
import { type Caller, maySee, ownerOf } from "../caller.ts";
import { removeChanges } from "../changes/session-changes.ts";
import type { SubmittingActor } from "../rules/rule.ts";
import type { RightsHolder } from "./rights.ts";
import { terminalIdOf } from "../terminal/terminal-id.ts";
import { HostSession } from "./host-session.ts";
import type { Remains } from "./reattach.ts";
import { recoverSession } from "./recovery.ts";
import type { SessionAdmission } from "./session-admission.ts";
import { openSession, reopenSession, requireStarted } from "./session-channels.ts";
import type { SessionDeps } from "./session-deps.ts";
import { type ChosenName, nameSession } from "./session-name.ts";

/** How many of the sessions that are over are listed at once. */
const maxClosedListed = 1000;

/** The sessions of one host. `close` closes them all. */
export class Sessions {
  readonly #deps: SessionDeps;
  readonly #entries: AgentEntries;
  readonly #admission: SessionAdmission;
  readonly #sessions = new Map<string, HostSession>();
  readonly #byChannel = new Map<string, HostSession>();
  /** Sessions that are being closed. */
  readonly #closing = new Map<string, Promise<void>>();
  /** Deletions under way; each gives the terminals that went with its session. */
  readonly #deleting = new Map<string, Promise<readonly string[]>>();
  #isStopping = false;

  constructor(deps: SessionDeps, entries: AgentEntries, admission: SessionAdmission) {
    this.#deps = deps;
    this.#entries = entries;
    this.#admission = admission;
  }

  get all(): readonly HostSession[] {
    return [...this.#sessions.values()];
  }

  /** The open sessions that a caller may see. */
  of(caller: Caller): readonly HostSession[] {
    return this.all.filter(({ state }) => maySee(caller, state.owner));
  }

  /** A session by its key; one that is closed, unknown or another's is an error. */
  get(key: string, caller: Caller): HostSession {
    const session = this.#sessions.get(key);
    if (session === undefined || !maySee(caller, session.state.owner)) {
      throw new HostError("ACP_SESSION_NOT_FOUND");
    }
    return session;
  }

  /** The sessions of a caller that are over and still kept, newest first. */
  closedOf(caller: Caller): SessionState[] {
    const { storage } = this.#deps;
    const states: SessionState[] = [];
    let cursor: string | undefined;
    do {
      const page = storage.listSessions({ isOpen: false, ...(cursor !== undefined && { cursor }) });
      for (const { summary } of page.sessions) {
        const kept = storage.loadChannel(summary.resource);
        if (kept?.kind === "session" && maySee(caller, kept.state.owner)) states.push(kept.state);
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined && states.length < maxClosedListed);
    return states;
  }

  /** Resumes the sessions of an earlier host, whose terminals have ended with it. */
  recover(ended: readonly TerminalState[], remains?: Remains): void {
    const { storage, hub } = this.#deps;
    for (const { state } of storage.openChannels("session")) {
      if (!recoverSession({ ...this.#deps, remains }, state, ended)) continue;
      const { key, resource: uri, provider } = state;
      const session = new HostSession(
        { key, uri, chat: state.defaultChat ?? defaultChatUri(uri), entry: this.#entries.findKept(provider) },
        this.#deps,
      );
      this.#add(session);
      for (const { claim, resource } of ended) {
        // Terminals that no turn used were background work.
        if (claim.kind !== "session" || claim.session !== uri || claim.turnId !== undefined) continue;
        const id = makeId("background work", terminalIdOf(resource));
        session.dispatch({ to: "chat", action: { type: "chat/backgroundWorkRemoved", id } });
      }
      hub.dispatch(ROOT_URI, { type: "root/sessionAdded", summary: summarizeSession(session.state) });
    }
    // Chats that were loaded to record their end are unloaded when that is kept; a failure to keep it is reported elsewhere.
    hub.settled().then(
      () =>
        this.all.forEach(({ turns, chat }) => turns.isBusy || chat.activeTurn !== undefined || chat.unload()),
      () => undefined,
    );
  }

  /** The open session that a channel belongs to, by its URI or that of its chat. */
  ofChannel(uri: string): HostSession | undefined {
    return this.#byChannel.get(uri);
  }

  #add(session: HostSession): void {
    this.#sessions.set(session.key, session);
    this.#byChannel.set(session.uri, session);
    this.#byChannel.set(session.chat.uri, session);
  }

  /** Adds a session, here and to the list that clients follow. */
  #list(session: HostSession): void {
    this.#add(session);
    this.#deps.hub.dispatch(ROOT_URI, {
      type: "root/sessionAdded",
      summary: summarizeSession(session.state),
    });
  }

  #remove({ key, uri, chat }: HostSession): boolean {
    this.#byChannel.delete(uri);
    this.#byChannel.delete(chat.uri);
    return this.#sessions.delete(key);
  }

  /** Starts the agent of a new session; when that fails, the session is closed again. */
  async start(session: HostSession, forkOf?: string): Promise<void> {
    try {
      await session.start({ forkOf });
      await this.#deps.hub.recording.settled();
    } catch (error) {
      // The next host says what became of it.
      if (this.#isStopping) throw new HostError("HOST_STOPPING", undefined, { cause: error });
      await this.close(session, { kind: "host" }, reasonNotToStart(error));
      throw error;
    }
  }

  /** Whether an agent, or the default one, is known to fork its sessions: one of them is open and said so. */
  canFork(name?: string): boolean {
    const entry = this.#admission.lookUp(name);
    return this.all.some(({ state }) => state.provider === entry?.id && state.agent?.forks === true);
  }

  /** Starts the agent of a new session; the session itself reports a failure. */
  startInBackground(session: HostSession, preferences?: Readonly<Record<string, string>>): void {
    session.start({ preferences }).catch((error: unknown) => {
      const { message } = error as Error;
      const { code, details } =
        error instanceof HostError ? error : ({ code: "ACP_SESSION_INIT_FAILED", details: {} } as const);
      if (this.#sessions.get(session.key) !== session || this.#isStopping) return;
      session.publish({ type: "session/creationFailed", error: { code, message, ...readRemedy(details) } });
    });
  }

  /** Closes a session if it is open, and removes what is stored of it; gives the terminals that went with it. */
  delete(uri: SessionUri, actor: SubmittingActor): Promise<readonly string[]> {
    const deleting =
      this.#deleting.get(uri) ?? this.#deleteNow(uri, actor).finally(() => this.#deleting.delete(uri));
    this.#deleting.set(uri, deleting);
    return deleting;
  }

  async #deleteNow(uri: SessionUri, actor: SubmittingActor): Promise<readonly string[]> {
    const { hub, storage } = this.#deps;
    const session = this.ofChannel(uri);
    if (session !== undefined) await this.close(session, actor, "The session was deleted.");
    else await this.#closing.get(uri);
    await hub.settled();
    await removeChanges(this.#deps.changesFolder, uri);
    await this.#deps.removeAgentFolders(uri);
    return storage.purge(uri).terminals;
  }

  /** Opens a closed session again, as one without an agent: the next turn starts it and restores its context (N810). */
  async reopen(uri: SessionUri, by: RightsHolder): Promise<HostSession> {
    await this.#closing.get(uri);
    await this.#deps.hub.settled();
    const entry = await this.#admission.chooseAgain(this.#closedState(uri), by);
    if (this.#isStopping) throw new HostError("HOST_STOPPING");
    // Another client may have reopened or deleted it meanwhile.
    const open = this.ofChannel(uri);
    if (open !== undefined) return open;
    const session = reopenSession(this.#deps, this.#closedState(uri), entry, by.actor);
    this.#list(session);
    session.touch();
    return session;
  }

  #closedState(uri: SessionUri): SessionState {
    const stored = this.#deps.storage.loadChannel(uri);
    const state = this.ofChannel(uri)?.state ?? (stored?.kind === "session" ? stored.state : undefined);
    if (state === undefined || this.#deleting.has(uri)) throw new HostError("ACP_SESSION_NOT_FOUND");
    requireStarted(state);
    return state;
  }

  /** The host stops: sessions are not closed, the next host resumes them. */
  async suspendAll(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.all.map((session) => session.suspend()));
  }

  /** The host stops and leaves everything running, for the next one. */
  detachAll(): void {
    this.#isStopping = true;
    for (const session of this.all) session.detach();
  }

  /** Closes a session once: one whose agent is being started may be closed by its owner and by its creation. */
  close(session: HostSession, by: Actor, reason?: string): Promise<void> {
    const { uri } = session;
    if (!this.#remove(session)) return this.#closing.get(uri) ?? Promise.resolve();
    const closing = this.#closeNow(session, by, reason).finally(() => this.#closing.delete(uri));
    this.#closing.set(uri, closing);
    return closing;
  }

  async #closeNow(session: HostSession, by: Actor, reason?: string): Promise<void> {
    const { hub } = this.#deps;
    await session.close(by, reason);
    this.#deps.editors.forget(session.uri);
    hub.dispatch(ROOT_URI, { type: "root/sessionRemoved", session: session.uri });
    // Clients that still read the last turn get to its end first.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    session.chat.close();
    hub.close(session.uri);
  }

  /** Sessions without an agent cost next to nothing, and do not count. */
  get #liveCount(): number {
    const idle = new Set<SessionState["lifecycle"]["status"]>(["stale", "failed"]);
    return this.all.filter(({ state }) => !idle.has(state.lifecycle.status)).length;
  }

  /** The URI of a session that a caller may see, open or stored. */
  uriOf(key: string, caller: Caller): SessionUri {
    const session = this.#sessions.get(key)?.state ?? this.#storedSummary(key);
    if (session === undefined || !maySee(caller, session.owner)) throw new HostError("ACP_SESSION_NOT_FOUND");
    return session.resource;
  }

  /** One that is over, or is being closed. */
  #storedSummary(key: string): SessionSummary | undefined {
    let cursor: string | undefined;
    do {
      const page = this.#deps.storage.listSessions(cursor === undefined ? {} : { cursor });
      const found = page.sessions.find(({ summary }) => summary.key === key);
      if (found !== undefined) return found.summary;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return undefined;
  }

  /** Opens a session, under a name that its creator may choose; its agent is not started yet. */
  async open(wanted: Partial<SessionOptions>, caller: Caller, chosenName?: ChosenName): Promise<HostSession> {
    const chosen = await this.#admission.choose(wanted, caller);
    if (this.#isStopping) throw new HostError("HOST_STOPPING");
    const { hub, storage } = this.#deps;
    hub.recording.require();
    this.#admission.requireRoom(this.#liveCount);
    const isTaken = (uri: string): boolean => hub.has(uri) || storage.loadChannel(uri) !== undefined;
    const name = nameSession(chosen.entry.id, chosenName, isTaken);
    const session = openSession(this.#deps, chosen, name, ownerOf(caller));
    this.#list(session);
    return session;
  }
}

function reasonNotToStart(error: unknown): string {
  const isUnrecorded = error instanceof HostError && error.code === "STORAGE_UNAVAILABLE";
  return isUnrecorded ? "The session could not be recorded." : "The agent could not be started.";
}
