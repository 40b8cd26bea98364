// A real host in small: sessions and turns on a real hub, with the test itself in the place of the agent.
import { randomUUID } from "node:crypto";
import {
  defaultChatUri,
  makeId,
  newChatState,
  newSessionState,
  sessionUri,
  turnParts,
  type SessionKey,
  type SessionOwner,
  type TerminalSize,
} from "@holdfast/ahp";
import {
  Hub,
  type EntryFeed,
  type HostEvent,
  type HostFigures,
  type HostWatcher,
  type TerminalFeed,
} from "@holdfast/core";
import {
  formatSessionKey,
  HostError,
  modelMembers,
  unknownAgent,
  type AgentInfo,
  type ChatResponse,
  type PermissionDecision,
  type RuntimeOptions,
  type Session,
  type SessionOptions,
  type SessionStatus,
  type TerminalStatus,
  type TerminalText,
} from "@holdfast/protocol";
import type {
  Caller,
  FollowedSession,
  FollowRequest,
  HostPort,
  Resolution,
  StreamedTurn,
  TurnRequest,
  WaitingCall,
} from "../host-port.ts";
import { SmallTerminal } from "./small-terminal.ts";
import { at, SmallTurn, type TurnChannels } from "./small-turn.ts";

interface SmallSession extends TurnChannels {
  readonly key: SessionKey;
  readonly owner: SessionOwner;
  readonly turns: SmallTurn[];
  /** What was sent under a name. */
  readonly named: Map<string, { readonly message: string; readonly turn: SmallTurn | undefined }>;
  /** The host's last number when it was opened. */
  readonly openedSeq: number;
  status: SessionStatus;
}

/** The host. */
export class SmallHost implements HostPort {
  readonly hub: Hub;
  readonly turns: SmallTurn[] = [];
  readonly terminals = new Map<string, SmallTerminal>();
  readonly reasons: (string | undefined)[] = [];
  readonly prompts: TurnRequest[] = [];
  acpEnabled = true;
  /** Thrown by whatever is asked for next. */
  failure: Error | undefined;
  readonly #sessions = new Map<string, SmallSession>();
  readonly #closed = new Map<string, SmallSession>();
  readonly #watchers = new Set<HostWatcher>();

  constructor(logLimitBytes?: number) {
    this.hub = new Hub(logLimitBytes === undefined ? {} : { logLimitBytes });
  }

  get lastTurn(): SmallTurn {
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
        ...(includeModels && modelMembers({ models: [], source: null, error: null })),
      },
    ];
  }

  async createSession(options: SessionOptions, caller: Caller): Promise<Session> {
    this.#mayFail();
    if (options.agent_id !== "shell") throw unknownAgent(options.agent_id);
    const uuid = randomUUID();
    const key = makeId("session key", formatSessionKey({ handle: "shell", uuid }));
    const uri = sessionUri(makeId("session", uuid));
    const chat = defaultChatUri(uri);
    const owner = ownerOf(caller);
    const openedSeq = this.hub.lastSeq;
    const provider = makeId("agent", "shell");
    const opening = { resource: uri, key, provider, owner, title: "Shell", at, workingDirectories: [] };
    this.hub.open(uri, "session", newSessionState(opening));
    this.hub.open(chat, "chat", newChatState({ resource: chat, title: "Shell", at }));
    const session: Session = {
      session_key: key,
      agent_id: "shell",
      state: "ready",
      backend_id: "backend",
      created_at: at,
    };
    const { approvalPolicy, cwd } = options;
    const runtime_options = { ...(approvalPolicy && { approvalPolicy }), ...(cwd !== undefined && { cwd }) };
    const status = { ...session, runtime_options, last_activity_at: null };
    this.#sessions.set(key, { key, uri, chat, owner, openedSeq, turns: [], named: new Map(), status });
    return session;
  }

  getSession(key: string, caller: Caller): SessionStatus {
    return this.#find(key, caller).status;
  }

  listSessions(caller: Caller, includeClosed = false): SessionStatus[] {
    this.#mayFail();
    const sessions = [...this.#sessions.values(), ...(includeClosed ? this.#closed.values() : [])];
    return sessions.filter(({ owner }) => maySee(caller, owner)).map(({ status }) => status);
  }

  async patchSession(key: string, patch: RuntimeOptions, caller: Caller): Promise<SessionStatus> {
    const session = this.#find(key, caller);
    const runtime_options = { ...session.status.runtime_options, ...patch };
    session.status = { ...session.status, runtime_options };
    return session.status;
  }

  async closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void> {
    const session = this.#find(key, caller);
    this.reasons.push(reason);
    this.#sessions.delete(key);
    session.status = { ...session.status, state: "closed" };
    this.#closed.set(key, session);
    this.hub.close(session.chat);
    this.hub.close(session.uri);
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
    const { message, idempotencyKey } = request;
    if (!isRepeated(session, request)) this.prompts.push(request);
    if (idempotencyKey !== undefined) session.named.set(idempotencyKey, { message, turn: undefined });
    return { text: `You said: ${message}`, stop_reason: "end_turn" };
  }

  streamTurn(key: string, request: TurnRequest, caller: Caller, onReadable: () => void): StreamedTurn {
    const session = this.#find(key, caller);
    const { message, idempotencyKey = "" } = request;
    const known = isRepeated(session, request) ? session.named.get(idempotencyKey)?.turn : undefined;
    if (known !== undefined) {
      return { turnId: known.id, ...this.#resume(session, known.startSeq - 1, onReadable) };
    }
    if (this.hub.state(session.chat, "chat")?.activeTurn) throw new HostError("ACP_TURN_ACTIVE");
    const streamed = {
      turnId: makeId("turn", randomUUID()),
      chat: this.hub.subscribe(session.chat, onReadable).cursor,
      session: this.hub.subscribe(session.uri, onReadable).cursor,
    };
    const turn = new SmallTurn(this.hub, session, streamed, message);
    this.turns.push(turn);
    session.turns.push(turn);
    this.prompts.push(request);
    if (request.idempotencyKey !== undefined) session.named.set(request.idempotencyKey, { message, turn });
    turn.begin();
    return streamed;
  }

  followSession(
    key: string,
    { after = 0, turnId }: FollowRequest,
    caller: Caller,
    onReadable: () => void,
  ): FollowedSession {
    const session = this.#find(key, caller);
    const turn =
      turnId === undefined
        ? session.turns.findLast(({ startSeq }) => startSeq <= after)
        : session.turns.find(({ id }) => id === turnId);
    const isUnknown = turnId !== undefined && turn === undefined;
    if (isUnknown) throw new HostError("NOT_FOUND", "There is no such turn.");
    const beginning = turn === undefined ? session.openedSeq : turn.startSeq - 1;
    return {
      ...this.#resume(session, beginning, onReadable),
      after,
      isBusy: () => this.hub.state(session.chat, "chat")?.activeTurn !== undefined,
    };
  }

  async cancelTurn(key: string, reason: string | undefined, caller: Caller): Promise<void> {
    const { chat } = this.#find(key, caller);
    this.reasons.push(reason);
    const turn = this.hub.state(chat, "chat")?.activeTurn;
    if (turn === undefined) return;
    const end = { turnId: turn.id, endedAt: at, durationMs: 1, by: { kind: "host" } } as const;
    this.hub.dispatch(chat, { type: "chat/turnCancelled", ...end });
  }

  resolvePermission(key: string, { requestId, optionId }: PermissionDecision, caller: Caller): Resolution {
    const session = this.#find(key, caller);
    const waiting = this.#waitingIn(session).find(({ toolCall }) => toolCall.approval.id === requestId);
    const turn = this.hub.state(session.chat, "chat")?.activeTurn;
    if (waiting === undefined || turn === undefined) return { resolved: false, reason: "Not open." };
    const { toolCallId, approval } = waiting.toolCall;
    const by = { kind: "client", clientId: makeId("client", "owner") } as const;
    this.hub.dispatch(session.chat, {
      type: "chat/toolCallConfirmed",
      turnId: turn.id,
      toolCallId,
      decision: { approvalId: approval.id, outcome: "approved", optionId, by, at },
    });
    return { resolved: true };
  }

  listApprovals(caller: Caller): WaitingCall[] {
    this.#mayFail();
    const sessions = [...this.#sessions.values()].filter(({ owner }) => maySee(caller, owner));
    return sessions.flatMap((session) => this.#waitingIn(session));
  }

  /** Opens a terminal in a session. */
  openTerminal(sessionKey: string, keepBytes?: number): SmallTerminal {
    const terminal = new SmallTerminal(`terminal/${this.terminals.size + 1}`, sessionKey, keepBytes);
    this.terminals.set(terminal.id, terminal);
    return terminal;
  }

  listTerminals(caller: Caller, sessionKey?: string): TerminalStatus[] {
    this.#mayFail();
    if (sessionKey !== undefined) this.#find(sessionKey, caller);
    return [...this.terminals.values()]
      .filter((terminal) =>
        sessionKey === undefined
          ? terminal.isRunning && this.#mayReach(terminal, caller)
          : terminal.sessionKey === sessionKey,
      )
      .map((terminal) => terminal.describe());
  }

  async readTerminal(id: string, limitBytes: number | undefined, caller: Caller): Promise<TerminalText> {
    return this.#terminal(id, caller).read(limitBytes);
  }

  async followTerminal(
    id: string,
    after: number | undefined,
    caller: Caller,
    onReadable: () => void,
  ): Promise<TerminalFeed> {
    return this.#terminal(id, caller).follow(after, onReadable);
  }

  async writeTerminal(id: string, bytes: Uint8Array, caller: Caller): Promise<void> {
    this.#terminal(id, caller).inputs.push(bytes);
  }

  async resizeTerminal(id: string, size: TerminalSize, caller: Caller): Promise<TerminalSize> {
    return this.#terminal(id, caller).resize(size);
  }

  async killTerminal(id: string, caller: Caller): Promise<void> {
    this.#terminal(id, caller).finish({ kind: "signal", signal: "SIGKILL" });
  }

  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Tells the watchers of something, as if it had happened. */
  tellWatchers(event: HostEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  figures(): HostFigures {
    const terminals = [...this.terminals.values()];
    return {
      sessions: { ready: this.#sessions.size },
      turnsRunning: this.turns.filter(({ isActive }) => isActive).length,
      approvalsOpen: this.listApprovals({ kind: "owner" }).length,
      agentsRunning: this.#sessions.size,
      terminalsRunning: terminals.filter(({ isRunning }) => isRunning).length,
      terminalBytes: terminals.reduce((sum, { endOffset }) => sum + endOffset, 0),
      terminalSkippedBytes: terminals.reduce((sum, { startOffset }) => sum + startOffset, 0),
      subscribers: 0,
      lagEntries: 0,
      survivorsEnded: 0,
    };
  }

  #waitingIn({ key, chat }: SmallSession): WaitingCall[] {
    const turn = this.hub.state(chat, "chat")?.activeTurn;
    return (turn === undefined ? [] : turnParts(turn)).flatMap((part) =>
      part.kind === "toolCall" && part.toolCall.status === "pending-confirmation"
        ? [{ sessionKey: key, toolCall: part.toolCall }]
        : [],
    );
  }

  /** Both logs after a number, if memory still reaches back to it. */
  #resume(
    { chat, uri }: SmallSession,
    afterSeq: number,
    onReadable: () => void,
  ): { readonly chat: EntryFeed; readonly session: EntryFeed } {
    const said = this.hub.resume(chat, afterSeq, onReadable);
    const told = this.hub.resume(uri, afterSeq, onReadable);
    if (said !== undefined && told !== undefined) return { chat: said, session: told };
    said?.close();
    told?.close();
    throw new HostError("EVENTS_LOST");
  }

  #find(key: string, caller: Caller): SmallSession {
    this.#mayFail();
    const session = this.#sessions.get(key);
    if (session === undefined || !maySee(caller, session.owner)) throw new HostError("ACP_SESSION_NOT_FOUND");
    return session;
  }

  #terminal(id: string, caller: Caller): SmallTerminal {
    this.#mayFail();
    const terminal = this.terminals.get(id);
    if (terminal !== undefined && this.#mayReach(terminal, caller)) return terminal;
    throw new HostError("NOT_FOUND", "There is no such terminal. List the terminals to see those there are.");
  }

  #mayReach({ sessionKey }: SmallTerminal, caller: Caller): boolean {
    const session = this.#sessions.get(sessionKey);
    return session !== undefined && maySee(caller, session.owner);
  }

  #mayFail(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

function ownerOf(caller: Caller): SessionOwner {
  return caller.kind === "owner" ? { kind: "person" } : { kind: "app", appId: caller.appId };
}

function maySee(caller: Caller, owner: SessionOwner): boolean {
  return caller.kind === "owner" || (owner.kind === "app" && owner.appId === caller.appId);
}

/** Whether the message was sent under this name before; another one under it is refused. */
function isRepeated({ named }: SmallSession, { message, idempotencyKey }: TurnRequest): boolean {
  const known = idempotencyKey === undefined ? undefined : named.get(idempotencyKey);
  if (known !== undefined && known.message !== message) throw new HostError("IDEMPOTENCY_CONFLICT");
  return known !== undefined;
}
