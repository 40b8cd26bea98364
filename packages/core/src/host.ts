// The host without its transports: what the app API, and later every other adapter, is served from.
import { homedir } from "node:os";
import { join } from "node:path";
import { type Actor, ROOT_URI, type TurnId, makeId, newRootState, turnParts } from "@holdfast/ahp";
import type { Keeper } from "@holdfast/keeper/port";
import {
  type AgentInfo,
  type ChatRequest,
  type ChatResponse,
  type Config,
  HostError,
  type PermissionDecision,
  type RuntimeOptions,
  type Session,
  type SessionOptions,
  type SessionStatus,
  modelMembers,
} from "@holdfast/protocol";
import { AgentEntries, type BuiltInProgram } from "./agent/agent-entry.ts";
import { Installations } from "./agent/installations.ts";
import { Approvals } from "./approval/approvals.ts";
import { InputRequests } from "./approval/input-requests.ts";
import { Audit, type AuditStore } from "./audit/audit.ts";
import type { Cursor } from "./channel/cursor.ts";
import { Hub } from "./channel/hub.ts";
import type { HostSession } from "./session/host-session.ts";
import type { Log, SessionTools } from "./session/session-tools.ts";
import { Sessions } from "./session/sessions.ts";
import { HostTerminals } from "./terminal/host-terminals.ts";
import { DEFAULT_PATIENCE, type Patience } from "./patience.ts";

/** What a host is made from. */
export interface HostOptions {
  readonly keeper: Keeper;
  readonly config: Config;
  /** Where built-in agents may keep their own files. */
  readonly stateFolder: string;
  readonly shellAgent: BuiltInProgram;
  readonly log: Log;
  readonly auditStore?: AuditStore | undefined;
  readonly now?: (() => Date) | undefined;
  readonly patience?: Partial<Patience> | undefined;
}

/** Who asks; keys and apps are told apart by whoever authenticates. */
export interface Caller {
  readonly kind: "owner";
}

/** A turn that can be followed from its first action. */
export interface StreamedTurn {
  readonly turnId: TurnId;
  readonly chat: Cursor;
  readonly session: Cursor;
}

/** The person at the host's own token. */
const owner: Actor = { kind: "client", clientId: makeId("client", "owner") };

/** A running host. `close` ends everything it started. */
export class Host {
  readonly hub = new Hub();
  readonly audit: Audit;
  readonly #entries: AgentEntries;
  readonly #installations: Installations;
  readonly #approvals: Approvals;
  readonly #inputs: InputRequests;
  readonly #terminals: HostTerminals;
  readonly #sessions: Sessions;
  readonly #keeper: Keeper;
  readonly #acpEnabled: boolean;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    const now = options.now ?? ((): Date => new Date());
    const { keeper, config } = options;
    const patience = { ...DEFAULT_PATIENCE, ...options.patience };
    this.#keeper = keeper;
    this.#acpEnabled = config.acp.enabled;
    this.hub.open(ROOT_URI, "root", newRootState());
    this.audit = new Audit(now, options.auditStore);
    this.#entries = new AgentEntries(config, options.shellAgent);
    this.#installations = new Installations(keeper, options.shellAgent.version);
    this.#approvals = new Approvals(this.hub, now, patience.approvalMs);
    this.#inputs = new InputRequests(this.hub, now);
    this.#terminals = new HostTerminals(keeper, this.hub, now);
    const tools: SessionTools = {
      hub: this.hub,
      keeper,
      installations: this.#installations,
      approvals: this.#approvals,
      inputs: this.#inputs,
      audit: this.audit,
      terminals: this.#terminals,
      log: options.log,
      patience,
      now,
      agentVariables: (entry): Readonly<Record<string, string>> =>
        entry.builtIn ? { HOLDFAST_SHELL_STATE: join(options.stateFolder, "agents", entry.id) } : {},
    };
    this.#sessions = new Sessions(tools, this.#entries, { ...config, defaultCwd: homedir() });
  }

  get acpEnabled(): boolean {
    return this.#acpEnabled;
  }

  async listAgents(includeModels: boolean): Promise<AgentInfo[]> {
    return Promise.all(
      this.#entries.all.map(async (entry): Promise<AgentInfo> => {
        const found = await this.#installations.find(entry);
        const providers = Object.keys(entry.forwarding);
        return {
          id: entry.id,
          label: entry.label,
          handles: entry.handles,
          installed: found.installed,
          authReady: found.installed && found.authReady,
          version: found.installed ? found.version : null,
          status: found.installed ? "installed" : "not_installed",
          supported: true,
          supportsProviderForwarding: providers.length > 0,
          forwardableProviders: providers,
          ...(includeModels && modelMembers({ models: [], source: null, error: null })),
        };
      }),
    );
  }

  async createSession(options: SessionOptions, _caller: Caller): Promise<Session> {
    const session = await this.#sessions.create(options);
    const { session_key, agent_id, state, backend_id, created_at } = describe(session);
    return { session_key, agent_id, state, backend_id, created_at };
  }

  getSession(key: string, _caller: Caller): SessionStatus {
    return describe(this.#sessions.get(key));
  }

  listSessions(_caller: Caller): SessionStatus[] {
    return this.#sessions.all.map(describe);
  }

  async patchSession(key: string, patch: RuntimeOptions, _caller: Caller): Promise<SessionStatus> {
    const session = this.#sessions.get(key);
    await session.patch(patch);
    return describe(session);
  }

  async closeSession(key: string, reason: string | undefined, _caller: Caller): Promise<void> {
    await this.#sessions.close(key, owner, reason);
  }

  /** Runs a turn to its end; nobody is asked, so a policy must say what would be. */
  async chat(key: string, request: ChatRequest, _caller: Caller): Promise<ChatResponse> {
    const session = this.#sessions.get(key);
    if (session.policy === undefined) throw new HostError("APPROVAL_POLICY_REQUIRED");
    const turn = await session.takeTurn(request, false).begun;
    if (turn === undefined) return { text: "", stop_reason: "cancelled" };
    const end = await turn.ended;
    if (end.state === "failed" || end.state === "interrupted") {
      throw new HostError(asErrorCode(end.error.code), end.error.message, { details: { ...end.error } });
    }
    const denied = turn.denied.map(({ toolCallId, title, kind }) => ({
      action: kind ?? "other",
      target: title,
      toolCallId,
      title,
      ...(kind !== undefined && { kind }),
    }));
    return {
      text: this.#textOf(session, turn.id),
      stop_reason: end.state === "complete" ? end.stopReason : "cancelled",
      ...(denied.length > 0 && { denied }),
    };
  }

  /** Starts a turn that can be watched from its first action on, and goes on when nobody watches. */
  streamTurn(key: string, request: ChatRequest, _caller: Caller, onReadable: () => void): StreamedTurn {
    const session = this.#sessions.get(key);
    const { cursor: chat } = this.hub.subscribe(session.chat, onReadable);
    const { cursor: sessionCursor } = this.hub.subscribe(session.uri, onReadable);
    try {
      const { turnId } = session.takeTurn(request, true);
      return { turnId, chat, session: sessionCursor };
    } catch (error) {
      chat.close();
      sessionCursor.close();
      throw error;
    }
  }

  isApprovalOpen(id: string): boolean {
    return this.#approvals.list().some((approval) => approval.id === id);
  }

  async cancelTurn(key: string, reason: string | undefined, _caller: Caller): Promise<void> {
    await this.#sessions.get(key).cancel(owner, reason);
  }

  /** Answers a permission request, or a question: `accept`, `decline` and `cancel` are its options. */
  resolvePermission(
    key: string,
    { requestId, optionId }: PermissionDecision,
    _caller: Caller,
  ): { resolved: boolean; reason?: string } {
    const session = this.#sessions.get(key);
    if (!this.#inputs.has(requestId)) return this.#approvals.answer(requestId, optionId, owner, session.key);
    return this.#inputs.answer(
      requestId,
      optionId === "accept"
        ? { action: "accept", content: {} }
        : { action: optionId === "cancel" ? "cancel" : "decline" },
      owner,
    );
  }

  /** Closes every session, then the keeper. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  async #closeNow(): Promise<void> {
    await this.#sessions.closeAll();
    this.#approvals.close();
    this.#inputs.close();
    await this.#terminals.close();
    await this.#keeper.close();
  }

  #textOf(session: HostSession, turnId: TurnId): string {
    const turn = this.hub.state(session.chat, "chat")?.turns.find(({ id }) => id === turnId);
    if (turn === undefined) return "";
    return turnParts(turn)
      .map((part) => (part.kind === "markdown" ? part.content : ""))
      .join("");
  }
}

const appStates = {
  creating: "initializing",
  resuming: "ready",
  ready: "ready",
  stale: "stale",
  failed: "closed",
  closed: "closed",
} as const;

function describe({ state }: HostSession): SessionStatus {
  const { key, provider, lifecycle, backendId, createdAt, runtimeOptions, lastActivityAt, lastError, label } =
    state;
  return {
    session_key: key,
    agent_id: provider,
    state: appStates[lifecycle.status],
    backend_id: backendId ?? "",
    created_at: createdAt,
    runtime_options: {
      ...runtimeOptions,
      ...(runtimeOptions.extras !== undefined && { extras: { ...runtimeOptions.extras } }),
    },
    last_activity_at: lastActivityAt,
    ...(lastError !== undefined && { last_error: lastError.message }),
    ...(label !== undefined && { label }),
  };
}

function asErrorCode(
  code: string,
): "ACP_AGENT_EXITED" | "ACP_TURN_TIMEOUT" | "ACP_SESSION_INIT_FAILED" | "ACP_TURN_FAILED" {
  return code === "ACP_AGENT_EXITED" || code === "ACP_TURN_TIMEOUT" || code === "ACP_SESSION_INIT_FAILED"
    ? code
    : "ACP_TURN_FAILED";
}
