// A fake host for server tests: sessions, turns and terminals on a real hub, with the test in place of the agent.
import { Hub, type HostEvent, type HostStats, type HostWatcher, type NewCommand } from "@holdfast/core";
import {
  HostError,
  modelMembers,
  unknownAgent,
  type AgentInfo,
  type AuditChain,
  type PolicyInForce,
  type AuditQuery,
  type AuditRecord,
  type ChatResponse,
  type PermissionDecision,
  type PermissionRuleInfo,
  type Session,
  type SessionOptions,
  type SessionPatch,
  type SessionStatus,
  type TurnCancellation,
} from "@holdfast/protocol";
import type {
  Caller,
  FollowedSession,
  FollowRequest,
  HostPort,
  StreamedTurn,
  TurnRequest,
} from "../host-port.ts";
import { FakeChanges } from "./fake-changes.ts";
import { FakeSession } from "./fake-session.ts";
import { FakeTerminal } from "./fake-terminal.ts";
import type { FakeTurn } from "./fake-turn.ts";

/** The host. */
export class FakeHost implements HostPort {
  readonly hub: Hub;
  readonly changes = new FakeChanges();
  readonly approvals: HostPort["approvals"] = {
    list: (caller) => {
      this.#mayFail();
      const sessions = [...this.#sessions.values()].filter((session) => session.isVisibleTo(caller));
      return sessions.flatMap((session) => session.waiting());
    },
    resolve: (key, decision, caller) => {
      this.decisions.push(decision);
      if (key !== undefined) return this.#find(key, caller).resolve(decision);
      const visible = [...this.#sessions.values()].filter((session) => session.isVisibleTo(caller));
      const session = visible.find((each) =>
        each.waiting().some(({ toolCall }) => toolCall.approval.id === decision.requestId),
      );
      return session?.resolve(decision) ?? { resolved: false, reason: "It is not open." };
    },
    listRules: () => [...this.rules.values()],
    removeRule: async (id) => {
      if (!this.rules.delete(id)) throw new HostError("NOT_FOUND");
    },
  };
  /** Searches, with their callers. */
  readonly searches: unknown[] = [];
  readonly search: HostPort["search"] = {
    find: (query, caller) => {
      this.searches.push([query, caller]);
      return [];
    },
  };
  readonly usage: HostPort["usage"] = {
    read: async () => ({ since: "2026-01-01T00:00:00.000Z", days: [], costs: [], isComplete: true }),
  };
  readonly turns: FakeTurn[] = [];
  readonly terminals: HostPort["terminals"] = this.#serveTerminals();
  readonly reasons: (string | undefined)[] = [];
  readonly prompts: TurnRequest[] = [];
  /** Commands that were requested. */
  readonly commands: NewCommand[] = [];
  /** For each follower of a terminal: whether the program should wait for it. */
  readonly paces: boolean[] = [];
  readonly decisions: PermissionDecision[] = [];
  /** Audit entries that the test sets. */
  readonly audit: AuditRecord[] = [];
  /** Standing permissions that the test sets. */
  readonly rules = new Map<string, PermissionRuleInfo>();
  /** Apps whose turns were ended. */
  readonly ended: string[] = [];
  acpEnabled = true;
  /** Thrown by the next call. */
  failure: Error | undefined;
  readonly #sessions = new Map<string, FakeSession>();
  readonly #closed = new Map<string, FakeSession>();
  readonly #terminals = new Map<string, FakeTerminal>();
  readonly #watchers = new Set<HostWatcher>();

  constructor(logLimitBytes?: number) {
    this.hub = new Hub(logLimitBytes === undefined ? {} : { logLimitBytes });
  }

  get lastTurn(): FakeTurn {
    const turn = this.turns.at(-1);
    if (turn === undefined) throw new Error("No turn was begun");
    return turn;
  }

  async listAgents(includeModels: boolean): Promise<AgentInfo[]> {
    this.#mayFail();
    return [
      {
        id: "shell",
        label: "Shell",
        handles: ["shell"],
        installed: true,
        authReady: true,
        version: null,
        status: "installed",
        ...(includeModels && modelMembers({ models: [], source: null, error: null, at: null })),
      },
    ];
  }

  async createSession(options: SessionOptions, caller: Caller): Promise<Session> {
    this.#mayFail();
    if (options.agent_id !== "shell") throw unknownAgent(options.agent_id);
    const session = new FakeSession(this.hub, options, caller);
    this.#sessions.set(session.key, session);
    const { session_key, agent_id, state, backend_id, created_at } = session.status;
    return { session_key, agent_id, state, backend_id, created_at };
  }

  getSession(key: string, caller: Caller): SessionStatus {
    return this.#find(key, caller).status;
  }

  listSessions(caller: Caller, includeClosed = false): SessionStatus[] {
    this.#mayFail();
    const sessions = [...this.#sessions.values(), ...(includeClosed ? this.#closed.values() : [])];
    return sessions.filter((session) => session.isVisibleTo(caller)).map(({ status }) => status);
  }

  async patchSession(key: string, patch: SessionPatch, caller: Caller): Promise<SessionStatus> {
    const session = this.#find(key, caller);
    const { approvalPolicy, ...others } = patch;
    const { approvalPolicy: before, ...kept } = session.status.runtime_options;
    const policy = approvalPolicy === undefined ? before : (approvalPolicy ?? undefined);
    const runtime_options = { ...kept, ...others, ...(policy !== undefined && { approvalPolicy: policy }) };
    session.status = { ...session.status, runtime_options };
    return session.status;
  }

  async closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void> {
    const session = this.#find(key, caller);
    this.reasons.push(reason);
    this.#sessions.delete(key);
    this.#closed.set(key, session);
    session.close();
  }

  async reopenSession(key: string, caller: Caller): Promise<SessionStatus> {
    const session = this.#closed.get(key);
    if (session?.isVisibleTo(caller) !== true) throw new HostError("ACP_SESSION_NOT_FOUND");
    this.#closed.delete(key);
    this.#sessions.set(key, session);
    return session.status;
  }

  async deleteSession(key: string, caller: Caller): Promise<void> {
    if (!this.#closed.has(key)) await this.closeSession(key, "deleted", caller);
    this.#closed.delete(key);
  }

  async chat(key: string, request: TurnRequest, caller: Caller): Promise<ChatResponse> {
    const session = this.#find(key, caller);
    if (session.status.runtime_options.approvalPolicy === undefined) {
      throw new HostError("APPROVAL_POLICY_REQUIRED");
    }
    if (!session.isRepeated(request)) this.prompts.push(request);
    session.note(request);
    return { text: `You said: ${request.message}`, stop_reason: "end_turn" };
  }

  streamTurn(key: string, request: TurnRequest, caller: Caller, onReadable: () => void): StreamedTurn {
    const session = this.#find(key, caller);
    const known = session.repeat(request, onReadable);
    if (known !== undefined) return known;
    const turn = session.start(request, onReadable);
    this.turns.push(turn);
    this.prompts.push(request);
    return turn.streamed;
  }

  followSession(
    key: string,
    request: FollowRequest,
    caller: Caller,
    onReadable: () => void,
  ): FollowedSession {
    return this.#find(key, caller).follow(request, onReadable);
  }

  async cancelTurnsOf(appId: string): Promise<void> {
    this.ended.push(appId);
  }

  async cancelTurn(key: string, { reason }: TurnCancellation, caller: Caller): Promise<void> {
    const session = this.#find(key, caller);
    this.reasons.push(reason);
    session.cancel();
  }

  /** Opens a terminal in a session. */
  openTerminal(sessionKey: string, keepBytes?: number): FakeTerminal {
    const terminal = new FakeTerminal(`terminal/${this.#terminals.size + 1}`, sessionKey, keepBytes);
    this.#terminals.set(terminal.id, terminal);
    return terminal;
  }

  readAudit({ after = 0, session }: AuditQuery, caller: Caller): AuditRecord[] {
    if (caller.kind !== "owner") throw new HostError("PERMISSION_REQUIRED");
    return this.audit.filter((entry) => entry.id > after && (session ?? entry.session) === entry.session);
  }

  readPolicy(): PolicyInForce {
    const rule = { id: "no-push", effect: "deny", command: "git push **" };
    return {
      file: "/home/policy.jsonc",
      sets: [{ source: "policy.jsonc", rules: [rule], otherwise: "ask" }],
    };
  }

  readAuditChain(caller: Caller): AuditChain {
    if (caller.kind !== "owner") throw new HostError("PERMISSION_REQUIRED");
    const { id = 0, hash = "0".repeat(64) } = this.audit.at(-1) ?? {};
    return { anchor: { id: 0, hash: "0".repeat(64) }, head: { id, hash } };
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Notifies the watchers of an event, as if it had happened. */
  notifyWatchers(event: HostEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  stats(): HostStats {
    const terminals = [...this.#terminals.values()];
    return {
      sessions: { ready: this.#sessions.size },
      turnsRunning: this.turns.filter(({ isActive }) => isActive).length,
      approvalsOpen: this.approvals.list({ kind: "owner" }).length,
      agentsRunning: this.#sessions.size,
      terminalsRunning: terminals.filter(({ isRunning }) => isRunning).length,
      terminalBytes: terminals.reduce((sum, { endOffset }) => sum + endOffset, 0),
      terminalSkippedBytes: terminals.reduce((sum, { startOffset }) => sum + startOffset, 0),
      subscribers: 0,
      lagEntries: 0,
      survivorsEnded: 0,
    };
  }

  #serveTerminals(): HostPort["terminals"] {
    return {
      list: (caller, sessionKey) => {
        this.#mayFail();
        if (sessionKey !== undefined) this.#find(sessionKey, caller);
        return [...this.#terminals.values()]
          .filter((terminal) =>
            sessionKey === undefined
              ? terminal.isRunning && this.#mayReach(terminal, caller)
              : terminal.sessionKey === sessionKey,
          )
          .map((terminal) => terminal.describe());
      },
      create: async (request, caller) => {
        if (caller.kind !== "owner") throw new HostError("PERMISSION_REQUIRED");
        this.commands.push(request);
        return this.openTerminal("").describe();
      },
      read: async (id, limitBytes, caller) => this.#terminal(id, caller).read(limitBytes),
      follow: async (id, after, caller, onReadable, isPaced) => {
        this.paces.push(isPaced ?? false);
        return this.#terminal(id, caller).follow(after, onReadable);
      },
      write: async (id, bytes, caller) => void this.#terminal(id, caller).inputs.push(bytes),
      resize: async (id, size, caller) => this.#terminal(id, caller).resize(size),
      claim: async (id, { kind }, caller) => {
        const terminal = this.#terminal(id, caller);
        terminal.holder = kind;
        return terminal.describe();
      },
      interrupt: async (id, caller) =>
        this.#terminal(id, caller).finish({ kind: "signal", signal: "SIGINT" }),
      kill: async (id, caller) => this.#terminal(id, caller).finish({ kind: "signal", signal: "SIGKILL" }),
    };
  }

  #find(key: string, caller: Caller): FakeSession {
    this.#mayFail();
    const session = this.#sessions.get(key);
    if (session === undefined || !session.isVisibleTo(caller)) throw new HostError("ACP_SESSION_NOT_FOUND");
    return session;
  }

  #terminal(id: string, caller: Caller): FakeTerminal {
    this.#mayFail();
    const terminal = this.#terminals.get(id);
    if (terminal !== undefined && this.#mayReach(terminal, caller)) return terminal;
    throw new HostError("TERMINAL_NOT_FOUND");
  }

  #mayReach({ sessionKey }: FakeTerminal, caller: Caller): boolean {
    const session = this.#sessions.get(sessionKey);
    return session?.isVisibleTo(caller) === true;
  }

  #mayFail(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
