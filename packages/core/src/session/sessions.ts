// All sessions of the host: creates them, finds them for their owners, closes them.
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import {
  type Actor,
  ROOT_URI,
  type RuntimeOptions,
  type SessionId,
  type SessionOwner,
  type SessionState,
  type TerminalState,
  type SessionUri,
  defaultChatUri,
  formatSessionKey,
  makeId,
  newChatState,
  newSessionState,
  parseChannelUri,
  parseSessionKey,
  sessionUri,
  summarizeChat,
  summarizeSession,
} from "@holdfast/ahp";
import { type Config, HostError, type SessionOptions } from "@holdfast/protocol";
import type { AgentEntries, AgentEntry } from "../agent/agent-entry.ts";
import { type Caller, actorOf, maySee, ownerOf } from "../caller.ts";
import { terminalIdOf } from "../terminal/terminal-id.ts";
import { HostSession } from "./host-session.ts";
import { recoverSession } from "./recovery.ts";
import type { SessionTools } from "./session-tools.ts";
import { checkWorkingDirectory } from "./working-directory.ts";

/** A session that is over and still kept, or one that is open, as it is known from what is kept. */
type KeptSession = Pick<SessionState, "resource" | "owner">;

/** What a session is called inside its key, and as a channel. */
interface SessionName {
  readonly sessionId: SessionId;
  readonly uri: SessionUri;
}

/** The rules that new sessions are held to. */
export type SessionRules = Pick<Config, "defaults" | "allowedAgents" | "maxSessions" | "acp"> & {
  readonly defaultCwd: string;
};

/** How many of the sessions that are over are listed at once. */
const maxClosedListed = 1000;

/** The sessions of one host. `close` closes them all. */
export class Sessions {
  readonly #tools: SessionTools;
  readonly #entries: AgentEntries;
  readonly #rules: SessionRules;
  readonly #sessions = new Map<string, HostSession>();
  /** Sessions that are being closed. */
  readonly #closing = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(tools: SessionTools, entries: AgentEntries, rules: SessionRules) {
    this.#tools = tools;
    this.#entries = entries;
    this.#rules = rules;
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
    const { storage } = this.#tools;
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

  /** Takes up the sessions of an earlier host, whose terminals have ended with it. */
  recover(ended: readonly TerminalState[]): void {
    const { storage, hub } = this.#tools;
    for (const { state } of storage.openChannels("session")) {
      if (!recoverSession(this.#tools, state)) continue;
      const { key, resource: uri, provider } = state;
      const session = new HostSession(
        { key, uri, chat: state.defaultChat ?? defaultChatUri(uri), entry: this.#entries.findKept(provider) },
        this.#tools,
      );
      this.#sessions.set(key, session);
      for (const { claim, resource } of ended) {
        // What no turn used was background work.
        if (claim.kind !== "session" || claim.session !== uri || claim.turnId !== undefined) continue;
        const id = makeId("background work", terminalIdOf(resource));
        session.dispatch({ to: "chat", action: { type: "chat/backgroundWorkRemoved", id } });
      }
      hub.dispatch(ROOT_URI, { type: "root/sessionAdded", summary: summarizeSession(session.state) });
    }
    // What was loaded to say how it ended is let go of when that is kept; a failure to keep it is told elsewhere.
    hub.settled().then(
      () => this.all.forEach(({ turns, conversation }) => turns.isBusy || conversation.rest()),
      () => undefined,
    );
  }

  /** The open session that a channel belongs to, by its URI or that of its chat. */
  ofChannel(uri: string): HostSession | undefined {
    for (const session of this.#sessions.values()) {
      if (session.uri === uri || session.chat === uri) return session;
    }
    return undefined;
  }

  /** Starts an agent in a new session; resolves when it is ready. */
  async create(options: SessionOptions, caller: Caller): Promise<HostSession> {
    const session = await this.#admitAndOpen(options, caller);
    try {
      await session.start();
      return session;
    } catch (error) {
      // The next host says what became of it.
      if (this.#isStopping) throw new HostError("HOST_STOPPING", undefined, { cause: error });
      await this.#close(session, { kind: "host" }, "The agent could not be started.");
      throw error;
    }
  }

  /** Opens a session under a URI that its creator chose; how the start of its agent goes is told in it. */
  async begin(uri: SessionUri, options: Partial<SessionOptions>, caller: Caller): Promise<HostSession> {
    const agent = options.agent_id ?? this.#rules.defaults.agent;
    const session = await this.#admitAndOpen({ ...options, agent_id: agent }, caller, uri);
    session.start().catch((error: unknown) => {
      const { message } = error as Error;
      const code = error instanceof HostError ? error.code : "ACP_SESSION_INIT_FAILED";
      if (this.#sessions.get(session.key) !== session || this.#isStopping) return;
      session.tell({ type: "session/creationFailed", error: { code, message } });
    });
    return session;
  }

  async close(key: string, caller: Caller, reason?: string): Promise<void> {
    await this.#close(this.get(key, caller), actorOf(caller), reason);
  }

  /** Closes a session if it is open, and removes what is kept of it; gives the terminals that went with it. */
  async delete(key: string, caller: Caller): Promise<readonly string[]> {
    const { hub, storage } = this.#tools;
    const { resource } = this.#findKept(key, caller);
    if (this.#sessions.has(key)) await this.close(key, caller, "The session was deleted.");
    else await this.#closing.get(key);
    await hub.settled();
    return storage.purge(resource).terminals;
  }

  /** The host stops: sessions are not closed, the next host takes them up. */
  async suspendAll(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.all.map((session) => session.suspend()));
  }

  /** Closes a session once: one whose agent is being started may be closed by its owner and by its creation. */
  #close(session: HostSession, by: Actor, reason?: string): Promise<void> {
    const { key } = session;
    if (!this.#sessions.delete(key)) return this.#closing.get(key) ?? Promise.resolve();
    const closing = this.#closeNow(session, by, reason).finally(() => this.#closing.delete(key));
    this.#closing.set(key, closing);
    return closing;
  }

  async #closeNow(session: HostSession, by: Actor, reason?: string): Promise<void> {
    const { hub } = this.#tools;
    await session.close(by, reason);
    hub.dispatch(ROOT_URI, { type: "root/sessionRemoved", session: session.uri });
    // Who still reads the last turn gets to its end first.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    session.conversation.close();
    hub.close(session.uri);
  }

  /** Sessions without an agent cost next to nothing, and do not count. */
  get #liveCount(): number {
    return this.all.filter(({ state }) => state.lifecycle.status !== "stale").length;
  }

  #findKept(key: string, caller: Caller): KeptSession {
    const open = this.#sessions.get(key);
    const parsed = parseSessionKey(key);
    const uri = parsed && sessionUri(parsed.sessionId);
    const kept = open === undefined && uri !== undefined ? this.#tools.storage.loadChannel(uri) : undefined;
    const state = open?.state ?? (kept?.kind === "session" ? kept.state : undefined);
    if (state === undefined || state.key !== key || !maySee(caller, state.owner)) {
      throw new HostError("ACP_SESSION_NOT_FOUND");
    }
    return state;
  }

  async #admitAndOpen(options: SessionOptions, caller: Caller, uri?: SessionUri): Promise<HostSession> {
    const entry = this.#admit(options.agent_id);
    this.#tools.mcpServers.check(options.mcpServers ?? []);
    const runtimeOptions = await this.#chooseOptions(options);
    if (this.#isStopping) throw new HostError("HOST_STOPPING");
    if (this.#liveCount >= this.#rules.maxSessions) throw new HostError("ACP_MAX_SESSIONS");
    const names = uri === undefined ? newNames() : this.#namesFor(uri);
    return this.#open(entry, names, options, runtimeOptions, ownerOf(caller));
  }

  /** Of a URI of our own form the id is taken over; any other stays whole, and the key has an id of its own. */
  #namesFor(uri: SessionUri): SessionName {
    const { hub, storage } = this.#tools;
    if (hub.has(uri) || storage.loadChannel(uri) !== undefined) throw new HostError("SESSION_EXISTS");
    const address = parseChannelUri(uri);
    if (address === undefined) return { ...newNames(), uri };
    if (address.kind !== "session" || address.sessionId.includes(":")) {
      throw new HostError("INVALID_REQUEST", `${uri} cannot be the name of a session.`);
    }
    return { sessionId: address.sessionId, uri };
  }

  #admit(agentId: string): AgentEntry {
    if (!this.#rules.acp.enabled) throw new HostError("ACP_DISABLED");
    const entry = this.#entries.find(agentId);
    const { allowedAgents } = this.#rules;
    const names = new Set([entry.id, ...entry.handles]);
    if (allowedAgents !== undefined && !allowedAgents.some((name) => names.has(name))) {
      throw new HostError("ACP_AGENT_NOT_ALLOWED");
    }
    return entry;
  }

  async #chooseOptions({
    cwd,
    model,
    approvalPolicy,
  }: SessionOptions): Promise<RuntimeOptions & { cwd: string }> {
    const { defaults, defaultCwd } = this.#rules;
    const folder = cwd ?? defaults.cwd ?? defaultCwd;
    await checkWorkingDirectory(folder);
    const chosen = {
      model: model ?? defaults.model,
      approvalPolicy: approvalPolicy ?? defaults.approvalPolicy,
      timeoutSeconds: defaults.timeoutSeconds,
      runtimeMode: defaults.runtimeMode,
    };
    return {
      cwd: folder,
      ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
    };
  }

  #open(
    entry: AgentEntry,
    { sessionId, uri }: SessionName,
    { label, forwardedProvider, mcpServers }: SessionOptions,
    runtimeOptions: RuntimeOptions & { cwd: string },
    owner: SessionOwner,
  ): HostSession {
    const { hub } = this.#tools;
    const key = formatSessionKey({ handle: entry.handles[0] ?? entry.id, sessionId });
    const chat = defaultChatUri(uri);
    const at = this.#tools.now().toISOString();
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
      }),
    );
    const chatState = newChatState({ resource: chat, title, at });
    hub.open(chat, "chat", chatState);
    hub.dispatch(uri, { type: "session/chatAdded", chat: summarizeChat(chatState) });
    hub.dispatch(uri, { type: "session/defaultChatChanged", defaultChat: chat });
    const session = new HostSession({ key, uri, chat, entry }, this.#tools);
    this.#sessions.set(key, session);
    hub.dispatch(ROOT_URI, { type: "root/sessionAdded", summary: summarizeSession(session.state) });
    return session;
  }
}

/** A name for a session that its creator did not name. */
function newNames(): SessionName {
  const sessionId = makeId("session", randomUUID());
  return { sessionId, uri: sessionUri(sessionId) };
}
