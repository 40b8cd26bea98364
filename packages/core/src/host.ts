// The host without its transports: puts its parts together, and is what every adapter is served from.
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  ROOT_URI,
  type JsonObject,
  type PendingToolCall,
  type SessionKey,
  type TerminalSize,
  newRootState,
} from "@holdfast/ahp";
import type { Keeper } from "@holdfast/keeper/port";
import type {
  AgentInfo,
  AuditQuery,
  AuditRecord,
  ChatResponse,
  Config,
  PermissionDecision,
  RuntimeOptions,
  Session,
  SessionOptions,
  SessionStatus,
  TerminalStatus,
  TerminalText,
} from "@holdfast/protocol";
import { AgentEntries, type BuiltInProgram } from "./agent/agent-entry.ts";
import { describeAgent, describeAgents } from "./agent/agent-description.ts";
import { Installations } from "./agent/installations.ts";
import { McpServers } from "./agent/mcp-servers.ts";
import { Approvals } from "./approval/approvals.ts";
import { type ElicitationAnswer, InputRequests } from "./approval/input-requests.ts";
import { chatToEnd } from "./approval/sync-chat.ts";
import { Audit } from "./audit/audit.ts";
import { type Caller, actorOf, requireOwner } from "./caller.ts";
import { Hub } from "./channel/hub.ts";
import type { HostFigures, HostWatcher } from "./host-event.ts";
import { HostWatchers } from "./host-watchers.ts";
import { DEFAULT_PATIENCE, type Patience } from "./patience.ts";
import type { AuditTrail, Storage, TerminalSpool } from "./ports.ts";
import type { Redactor } from "./redaction/redactor.ts";
import { RetentionWatch } from "./retention.ts";
import type { TurnRequest } from "./session/session-turns.ts";
import { recoverTerminals } from "./session/recovery.ts";
import { SharedFiles } from "./resource/shared-files.ts";
import { SessionDesk } from "./session/session-desk.ts";
import { describeSession } from "./session/session-status.ts";
import type { Log, SessionTools } from "./session/session-tools.ts";
import { Sessions } from "./session/sessions.ts";
import {
  type FollowRequest,
  type FollowedSession,
  type StreamedTurn,
  TurnFeeds,
} from "./session/turn-feeds.ts";
import { HostTerminalDesk } from "./terminal/host-terminal-desk.ts";
import { HostTerminals } from "./terminal/host-terminals.ts";
import type { InputPlace } from "./terminal/piped-input.ts";
import { TerminalAccess, type WantedHolder } from "./terminal/terminal-access.ts";
import type { NewCommand, TerminalDesk } from "./terminal/terminal-desk.ts";
import type { TerminalFeed } from "./terminal/terminal-feed.ts";

/** What a host is made from. */
export interface HostOptions {
  readonly keeper: Keeper;
  /** What it keeps; whoever opened it closes it, after the host. */
  readonly storage: Storage;
  /** What it keeps of terminals; without it, their output goes with them. */
  readonly spool?: TerminalSpool | undefined;
  readonly config: Config;
  /** Where built-in agents may keep their own files. */
  readonly stateFolder: string;
  readonly shellAgent: BuiltInProgram;
  readonly log: Log;
  /** Learns what is handed to agents in secret, and takes it out of what they say when they fail. */
  readonly redactor?: Redactor | undefined;
  readonly now?: (() => Date) | undefined;
  readonly patience?: Partial<Patience> | undefined;
}

/** What of each channel's log is held in memory: whoever is further behind reads on from what is kept. */
const logLimitBytes = 1024 * 1024;
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const mebibyte = 1024 * 1024;

/** What people do over AHP: channels to follow, and the desks that carry out what they ask for. */
export interface AhpDesk {
  readonly hub: Hub;
  readonly sessions: SessionDesk;
  readonly terminals: TerminalDesk;
  readonly files: SharedFiles;
  /** Looks for agents anew, and tells the root which there are. */
  tellAgents(): Promise<void>;
}

/** A running host; made from what an earlier one kept, it takes up its sessions. `close` ends everything it started. */
export class Host {
  readonly hub: Hub;
  readonly ahp: AhpDesk;
  readonly audit: Audit;
  readonly #entries: AgentEntries;
  readonly #installations: Installations;
  readonly #approvals: Approvals;
  readonly #inputs: InputRequests;
  readonly #terminals: HostTerminals;
  readonly #desk: HostTerminalDesk;
  readonly #access: TerminalAccess;
  readonly #sessions: Sessions;
  readonly #feeds: TurnFeeds;
  readonly #watchers: HostWatchers;
  readonly #retention: RetentionWatch;
  readonly #auditTrail: AuditTrail;
  readonly #keeper: Keeper;
  readonly #spool: TerminalSpool | undefined;
  readonly #acpEnabled: boolean;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    const now = options.now ?? ((): Date => new Date());
    const { keeper, config, storage, spool, log, redactor } = options;
    const { idleSeconds } = config.acp;
    const patience = { ...DEFAULT_PATIENCE, idleMs: idleSeconds * 1000, ...options.patience };
    const onFault = (error: unknown): void => log("error", "The host could not do its work", { error });
    this.#keeper = keeper;
    this.#spool = spool;
    this.#acpEnabled = config.acp.enabled;
    const { sequence, journal } = storage;
    this.hub = new Hub({ sequence, journal, onFault, logLimitBytes });
    this.hub.open(ROOT_URI, "root", newRootState());
    this.audit = new Audit(now, storage.audit);
    this.#auditTrail = storage.audit;
    this.#watchers = new HostWatchers(now);
    this.#entries = new AgentEntries(config, options.shellAgent);
    this.#installations = new Installations(keeper, options.shellAgent.version);
    this.#approvals = new Approvals(this.hub, now, patience.approvalMs, this.#watchers);
    this.#inputs = new InputRequests(now);
    this.#terminals = new HostTerminals({ keeper, hub: this.hub, spool, now, onFault });
    const ofTerminals = { hub: this.hub, storage, spool, terminals: this.#terminals };
    const { goneClientMs } = patience;
    this.#desk = new HostTerminalDesk({ ...ofTerminals, keeper, now, goneClientMs, onFault });
    this.#access = new TerminalAccess({ ...ofTerminals, desk: this.#desk, audit: this.audit });
    const mcpServers = new McpServers(config.mcpServers);
    for (const secret of mcpServers.secrets) redactor?.add(secret);
    const tools: SessionTools = {
      hub: this.hub,
      storage,
      watchers: this.#watchers,
      keeper,
      installations: this.#installations,
      mcpServers,
      approvals: this.#approvals,
      inputs: this.#inputs,
      audit: this.audit,
      terminals: this.#terminals,
      log,
      patience,
      now,
      onSecrets: (values) => values.forEach((value) => redactor?.add(value)),
      redact: (text) => redactor?.redact(text) ?? text,
      agentVariables: (entry): Readonly<Record<string, string>> =>
        entry.builtIn ? { HOLDFAST_SHELL_STATE: join(options.stateFolder, "agents", entry.id) } : {},
    };
    this.#sessions = new Sessions(tools, this.#entries, { ...config, defaultCwd: homedir() });
    this.#feeds = new TurnFeeds(this.hub, storage);
    const sessions = new SessionDesk({ ...tools, sessions: this.#sessions });
    this.ahp = {
      hub: this.hub,
      sessions,
      terminals: this.#desk,
      files: new SharedFiles(this.hub, this.#sessions, sessions),
      tellAgents: () => this.#tellAgents(),
    };
    const { maxAgeDays, maxMebibytes, auditDays } = config.retention;
    this.#retention = new RetentionWatch({
      storage,
      spool,
      rules: {
        maxAgeMs: maxAgeDays * day,
        maxBytes: maxMebibytes * mebibyte,
        auditMaxAgeMs: auditDays * day,
      },
      everyMs: hour,
      now,
      onFault,
    });
    this.#sessions.recover(recoverTerminals(tools));
    this.#watchers.started();
  }

  /** What people do with terminals. */
  get terminals(): TerminalDesk {
    return this.#desk;
  }

  get acpEnabled(): boolean {
    return this.#acpEnabled;
  }

  async listAgents(includeModels: boolean): Promise<AgentInfo[]> {
    return Promise.all(
      this.#entries.all.map((entry) => describeAgent(entry, this.#installations, includeModels)),
    );
  }

  async #tellAgents(): Promise<void> {
    const agents = describeAgents(await this.listAgents(true));
    if (isDeepStrictEqual(agents, this.hub.state(ROOT_URI, "root")?.agents)) return;
    this.hub.dispatch(ROOT_URI, { type: "root/agentsChanged", agents });
  }

  async createSession(options: SessionOptions, caller: Caller): Promise<Session> {
    const { state: created } = await this.#sessions.create(options, caller);
    const { session_key, agent_id, state, backend_id, created_at } = describeSession(created);
    return { session_key, agent_id, state, backend_id, created_at };
  }

  getSession(key: string, caller: Caller): SessionStatus {
    return describeSession(this.#sessions.get(key, caller).state);
  }

  listSessions(caller: Caller, includeClosed = false): SessionStatus[] {
    const open = this.#sessions.of(caller).map(({ state }) => state);
    const closed = includeClosed ? this.#sessions.closedOf(caller) : [];
    return [...open, ...closed].map(describeSession);
  }

  async patchSession(key: string, patch: RuntimeOptions, caller: Caller): Promise<SessionStatus> {
    const session = this.#sessions.get(key, caller);
    await session.patch(patch);
    return describeSession(session.state);
  }

  /** Stops a session and hides it; its history stays. */
  async closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void> {
    await this.#sessions.close(key, caller, reason);
  }

  /** Closes a session if it is open, and removes everything that is kept of it. */
  async deleteSession(key: string, caller: Caller): Promise<void> {
    for (const terminal of await this.#sessions.delete(key, caller)) await this.#spool?.remove(terminal);
  }

  /** Runs a turn to its end; nobody is asked, so a policy must say what would be. */
  async chat(key: string, request: TurnRequest, caller: Caller): Promise<ChatResponse> {
    return chatToEnd(this.#sessions.get(key, caller), request);
  }

  /** Starts a turn that can be watched from its first action on, and goes on when nobody watches. */
  streamTurn(key: string, request: TurnRequest, caller: Caller, onReadable: () => void): StreamedTurn {
    return this.#feeds.start(this.#sessions.get(key, caller), request, onReadable);
  }

  /** What was told in a session since a number, and what is told from now on. */
  followSession(
    key: string,
    request: FollowRequest,
    caller: Caller,
    onReadable: () => void,
  ): FollowedSession {
    return this.#feeds.follow(this.#sessions.get(key, caller), request, onReadable);
  }

  async cancelTurn(key: string, reason: string | undefined, caller: Caller): Promise<void> {
    await this.#sessions.get(key, caller).turns.cancel(actorOf(caller), reason);
  }

  /** Answers a permission request, or a question: `accept`, `decline` and `cancel` are its options. */
  resolvePermission(
    key: string,
    { requestId, optionId, content = {} }: PermissionDecision,
    caller: Caller,
  ): { resolved: boolean; reason?: string } {
    const session = this.#sessions.get(key, caller);
    const by = actorOf(caller);
    if (!this.#inputs.has(requestId)) return this.#approvals.answer(requestId, optionId, by, session.key);
    const answer = readAnswer(optionId, content);
    if (answer !== undefined) return this.#inputs.answer(requestId, answer, by, session.key);
    const reason = `There is no option '${optionId}'. Choose one of: accept, decline, cancel.`;
    return { resolved: false, reason };
  }

  /** What waits for an answer in the caller's sessions, oldest first. */
  listApprovals(caller: Caller): { readonly sessionKey: SessionKey; readonly toolCall: PendingToolCall }[] {
    return this.#sessions
      .of(caller)
      .flatMap(({ state }) =>
        state.inputNeeded.flatMap((request) =>
          request.kind === "toolConfirmation" ? [{ sessionKey: state.key, toolCall: request.toolCall }] : [],
        ),
      )
      .toSorted((one, other) =>
        compareText(one.toolCall.approval.requestedAt, other.toolCall.approval.requestedAt),
      );
  }

  /** The terminals that are there now; with a session, also its finished ones. */
  listTerminals(caller: Caller, sessionKey?: string): TerminalStatus[] {
    if (sessionKey === undefined) return this.#access.list(caller);
    return this.#access.listOf(this.#sessions.get(sessionKey, caller).state);
  }

  /** Runs a command in a terminal of its own; nobody is asked, so it is for the owner alone. */
  createTerminal(request: NewCommand, caller: Caller): Promise<TerminalStatus> {
    return this.#access.run(request, caller);
  }

  readTerminal(id: string, limitBytes: number | undefined, caller: Caller): Promise<TerminalText> {
    return this.#access.read(id, limitBytes, caller);
  }

  async followTerminal(
    id: string,
    after: number | undefined,
    caller: Caller,
    onReadable: () => void,
    isPaced = false,
  ): Promise<TerminalFeed> {
    return this.#access.follow(id, after, caller, onReadable, isPaced);
  }

  async writeTerminal(id: string, bytes: Uint8Array, caller: Caller, place?: InputPlace): Promise<void> {
    await this.#access.write(id, bytes, caller, place);
  }

  async resizeTerminal(id: string, size: TerminalSize, caller: Caller): Promise<TerminalSize> {
    return this.#access.resize(id, size, caller);
  }

  /** Takes a terminal over, gives it back to its session, or detaches it from the turn that uses it. */
  async claimTerminal(id: string, holder: WantedHolder, caller: Caller): Promise<TerminalStatus> {
    return this.#access.claim(id, holder, caller);
  }

  killTerminal(id: string, caller: Caller): Promise<void> {
    return this.#access.kill(id, caller);
  }

  /** What was done on the host, whoever did it; for its owner alone. */
  readAudit(query: AuditQuery, caller: Caller): AuditRecord[] {
    requireOwner(caller);
    return this.#auditTrail.read(query).map(({ id, entry }) => ({ id, ...entry }));
  }

  /** Tells a watcher of all that happens in sessions, until the returned function is called. */
  watch(watcher: HostWatcher): () => void {
    return this.#watchers.watch(watcher);
  }

  figures(): HostFigures {
    const { running, writtenBytes, survivorsEnded } = this.#terminals.figures;
    const { count: subscribers, lagEntries } = this.hub.readers();
    const sessions: Record<string, number> = {};
    for (const { state } of this.#sessions.all) {
      sessions[state.lifecycle.status] = (sessions[state.lifecycle.status] ?? 0) + 1;
    }
    return {
      sessions,
      turnsRunning: this.#sessions.all.filter(({ turns }) => turns.isBusy).length,
      approvalsOpen: this.#approvals.list().length,
      agentsRunning: this.#sessions.all.filter(({ hasAgent }) => hasAgent).length,
      terminalsRunning: running,
      terminalBytes: writtenBytes,
      terminalSkippedBytes: this.#access.skippedBytes,
      subscribers,
      lagEntries,
      survivorsEnded,
    };
  }

  /** Ends every turn, agent and terminal, then the keeper. Sessions stay, for the next host. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  async #closeNow(): Promise<void> {
    this.#retention.close();
    await this.#sessions.suspendAll();
    this.#approvals.close();
    this.#inputs.close();
    this.#desk.close();
    await this.#terminals.close();
    await this.#keeper.close();
    await this.hub.settled();
  }
}

function readAnswer(action: string, content: JsonObject): ElicitationAnswer | undefined {
  if (action === "accept") return { action, content };
  return action === "decline" || action === "cancel" ? { action } : undefined;
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
