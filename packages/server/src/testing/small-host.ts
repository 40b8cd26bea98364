// A real host in small: sessions and turns on a real hub, with the test itself in the place of the agent.
import { randomUUID } from "node:crypto";
import {
  defaultChatUri,
  makeId,
  newChatState,
  newSessionState,
  sessionUri,
  type ChatAction,
  type ChatUri,
  type SessionAction,
  type SessionUri,
  type TurnId,
} from "@holdfast/ahp";
import { Hub } from "@holdfast/core";
import {
  formatSessionKey,
  HostError,
  modelMembers,
  unknownAgent,
  type AgentInfo,
  type ChatRequest,
  type ChatResponse,
  type PermissionDecision,
  type RuntimeOptions,
  type Session,
  type SessionOptions,
  type SessionStatus,
} from "@holdfast/protocol";
import type { Caller, HostPort, Resolution, StreamedTurn } from "../host-port.ts";

const at = "2026-01-02T03:04:05.000Z";
const partId = makeId("part", "part-1");

interface SmallSession {
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  status: SessionStatus;
}

/** A turn whose agent is the test. */
export class SmallTurn {
  readonly id: TurnId;
  readonly streamed: StreamedTurn;
  readonly #hub: Hub;
  readonly #session: SmallSession;

  constructor(hub: Hub, session: SmallSession, streamed: StreamedTurn) {
    this.id = streamed.turnId;
    this.streamed = streamed;
    this.#hub = hub;
    this.#session = session;
  }

  /** Whether the turn goes on. */
  get isActive(): boolean {
    return this.#hub.state(this.#session.chat, "chat")?.activeTurn?.id === this.id;
  }

  /** Whether nobody follows the turn any more. */
  get isForgotten(): boolean {
    const { chat, session } = this.streamed;
    return chat.read(0).kind === "closed" && session.read(0).kind === "closed";
  }

  tell(action: ChatAction): void {
    this.#hub.dispatch(this.#session.chat, action);
  }

  tellSession(action: SessionAction): void {
    this.#hub.dispatch(this.#session.uri, action);
  }

  say(content: string): void {
    const isOpen = this.#hub.state(this.#session.chat, "chat")?.activeTurn?.openPart !== undefined;
    const turnId = this.id;
    this.tell(
      isOpen
        ? { type: "chat/delta", turnId, partId, content }
        : { type: "chat/responsePart", turnId, part: { kind: "markdown", id: partId, content } },
    );
  }

  complete(): void {
    this.tell({
      type: "chat/turnComplete",
      turnId: this.id,
      endedAt: at,
      durationMs: 1,
      stopReason: "end_turn",
    });
  }
}

/** The host. */
export class SmallHost implements HostPort {
  readonly hub: Hub;
  readonly turns: SmallTurn[] = [];
  readonly openApprovals = new Set<string>();
  readonly reasons: (string | undefined)[] = [];
  readonly prompts: ChatRequest[] = [];
  acpEnabled = true;
  /** Thrown by whatever is asked for next. */
  failure: Error | undefined;
  readonly #sessions = new Map<string, SmallSession>();

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

  async createSession(options: SessionOptions, _caller: Caller): Promise<Session> {
    this.#mayFail();
    if (options.agent_id !== "shell") throw unknownAgent(options.agent_id);
    const uuid = randomUUID();
    const key = formatSessionKey({ handle: "shell", uuid });
    const uri = sessionUri(makeId("session", uuid));
    const chat = defaultChatUri(uri);
    this.hub.open(
      uri,
      "session",
      newSessionState({
        resource: uri,
        key: makeId("session key", key),
        provider: makeId("agent", "shell"),
        owner: { kind: "person" },
        title: "Shell",
        at,
        workingDirectories: [],
      }),
    );
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
    this.#sessions.set(key, { uri, chat, status: { ...session, runtime_options, last_activity_at: null } });
    return session;
  }

  getSession(key: string, _caller: Caller): SessionStatus {
    return this.#find(key).status;
  }

  listSessions(_caller: Caller): SessionStatus[] {
    this.#mayFail();
    return [...this.#sessions.values()].map(({ status }) => status);
  }

  async patchSession(key: string, patch: RuntimeOptions, _caller: Caller): Promise<SessionStatus> {
    const session = this.#find(key);
    const runtime_options = { ...session.status.runtime_options, ...patch };
    session.status = { ...session.status, runtime_options };
    return session.status;
  }

  async closeSession(key: string, reason: string | undefined, _caller: Caller): Promise<void> {
    const { chat, uri } = this.#find(key);
    this.reasons.push(reason);
    this.#sessions.delete(key);
    this.hub.close(chat);
    this.hub.close(uri);
  }

  async chat(key: string, request: ChatRequest, _caller: Caller): Promise<ChatResponse> {
    const { status } = this.#find(key);
    if (status.runtime_options.approvalPolicy === undefined) throw new HostError("APPROVAL_POLICY_REQUIRED");
    this.prompts.push(request);
    return { text: `You said: ${request.message}`, stop_reason: "end_turn" };
  }

  streamTurn(key: string, request: ChatRequest, _caller: Caller, onReadable: () => void): StreamedTurn {
    const session = this.#find(key);
    if (this.hub.state(session.chat, "chat")?.activeTurn) throw new HostError("ACP_TURN_ACTIVE");
    const turnId = makeId("turn", randomUUID());
    const streamed = {
      turnId,
      chat: this.hub.subscribe(session.chat, onReadable).cursor,
      session: this.hub.subscribe(session.uri, onReadable).cursor,
    };
    const turn = new SmallTurn(this.hub, session, streamed);
    this.turns.push(turn);
    this.prompts.push(request);
    const message = { text: request.message, origin: { kind: "user" } };
    turn.tell({ type: "chat/turnStarted", turnId, startedAt: at, message });
    return streamed;
  }

  isApprovalOpen(id: string): boolean {
    return this.openApprovals.has(id);
  }

  async cancelTurn(key: string, reason: string | undefined, _caller: Caller): Promise<void> {
    const { chat } = this.#find(key);
    this.reasons.push(reason);
    const turn = this.hub.state(chat, "chat")?.activeTurn;
    if (turn === undefined) return;
    const end = { turnId: turn.id, endedAt: at, durationMs: 1, by: { kind: "host" } } as const;
    this.hub.dispatch(chat, { type: "chat/turnCancelled", ...end });
  }

  resolvePermission(key: string, { requestId, optionId }: PermissionDecision, _caller: Caller): Resolution {
    const { chat } = this.#find(key);
    if (!this.openApprovals.delete(requestId)) return { resolved: false, reason: "Not open." };
    const turn = this.lastTurn;
    this.hub.dispatch(chat, {
      type: "chat/toolCallConfirmed",
      turnId: turn.id,
      toolCallId: makeId("tool call", "call-1"),
      decision: {
        approvalId: makeId("approval", requestId),
        outcome: "approved",
        optionId,
        by: { kind: "client", clientId: makeId("client", "owner") },
        at,
      },
    });
    return { resolved: true };
  }

  #find(key: string): SmallSession {
    this.#mayFail();
    const session = this.#sessions.get(key);
    if (session === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return session;
  }

  #mayFail(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
