// The host without its transports: what every adapter is served from.
import { type Action, type AppId, ROOT_URI, makeId } from "@holdfast/ahp";
import {
  type AgentInfo,
  type AuditChain,
  type PolicyInForce,
  type AuditQuery,
  type AuditRecord,
  type ChatResponse,
  HostError,
  type Session,
  type SessionOptions,
  type SessionPatch,
  type SessionStatus,
  type TurnCancellation,
} from "@holdfast/protocol";
import type { Held } from "@holdfast/terminal/port";
import { HostApprovals } from "./approval/host-approvals.ts";
import { awaitTurn } from "./session/sync-chat.ts";
import type { Audit } from "./audit/audit.ts";
import { describePolicy } from "./policy/host-policy.ts";
import { type Caller, requireOwner, submitterOf } from "./caller.ts";
import type { ChangeListeners } from "./changes/change-listeners.ts";
import { HostChanges } from "./changes/host-changes.ts";
import type { Hub } from "./channel/hub.ts";
import type { ClientToolLeases } from "./editor/client-tools.ts";
import type { Editors } from "./editor/editors.ts";
import type { Recording } from "./channel/recording.ts";
import type { HostStats, HostWatcher } from "./host-event.ts";
import { readStats } from "./host-stats.ts";
import type { TurnRequest } from "./session/session-turns.ts";
import type { HostSearch } from "./search/host-search.ts";
import { HostUsage } from "./usage/host-usage.ts";
import { SharedAccess } from "./resource/shared-access.ts";
import { SharedFiles } from "./resource/shared-files.ts";
import type { SessionDirectory } from "./session/session-directory.ts";
import { describeSession, describeSessionInFull } from "./session/session-status.ts";
import type { HostSession } from "./session/host-session.ts";
import {
  type FollowRequest,
  type FollowedSession,
  type SentMessage,
  type StreamedTurn,
  TurnReaders,
} from "./session/turn-readers.ts";
import {
  type Accepted,
  type Request,
  type SendMessage,
  type Submit,
  requireAccepted,
  submitNow,
} from "./submit/submission.ts";
import type { TerminalClaims } from "./terminal/terminal-claims.ts";
import { TerminalOperations } from "./terminal/terminal-operations.ts";
import { TerminalSubscriptions } from "./terminal/terminal-subscriptions.ts";
import { type HostOptions, type HostParts, composeHost } from "./compose.ts";
import { reattach } from "./session/reattach.ts";

export type { HostOptions } from "./compose.ts";

/** The host as AHP clients see it: channels to follow, and the one way to ask for anything. */
export interface AhpHost {
  readonly hub: Hub;
  readonly submit: Submit;
  readonly sessions: SessionDirectory;
  readonly terminals: TerminalSubscriptions;
  /** Connected clients: one that is gone keeps its terminals for a time. */
  readonly claims: TerminalClaims;
  readonly files: SharedFiles;
  /** Editors that lend their files to sessions. */
  readonly editors: Editors;
  /** Tools that clients lend to agents. */
  readonly clientTools: ClientToolLeases;
  readonly changes: ChangeListeners;
  /** Looks for agents again; resolves when the root's list has those found within a second. */
  publishAgents(): Promise<void>;
  /** Whether input with a key can be sent again to the next host. */
  keysInput(): boolean;
}

/** Whom processes of the host belong to. */
export type MarkerOwner =
  | { readonly kind: "person" }
  /** The agent's id is undefined once its session is closed. */
  | { readonly kind: "agent"; readonly agentId: string | undefined }
  /** The host made the marker, and does not know any more for whom. */
  | { readonly kind: "forgotten" };

/** A running host; made from what an earlier one kept, it resumes its sessions. `close` ends everything it started. */
export class Host {
  readonly hub: Hub;
  readonly ahp: AhpHost;
  readonly audit: Audit;
  readonly acpEnabled: boolean;
  readonly approvals: HostApprovals;
  readonly changes: HostChanges;
  readonly terminals: TerminalOperations;
  readonly search: HostSearch;
  readonly usage: HostUsage;
  readonly #parts: HostParts;
  readonly #turnReaders: TurnReaders;
  #closing: Promise<void> | undefined;

  /**
   * Starts a host whose processes outlive it: it continues what an earlier one left in the process port, and ends what
   * belongs to nobody. Resolves when everything that continues is attached.
   */
  static async start(options: HostOptions): Promise<Host> {
    const host = new Host(options, await options.processPort.held());
    const { remains, claims, ...parts } = host.#parts;
    if (remains === undefined) return host;
    await reattach(remains, parts);
    claims.restore();
    await host.hub.settled();
    return host;
  }

  /** `held` is what an earlier host left; without it, everything ends with this one. */
  constructor(options: HostOptions, held?: Held) {
    const parts = composeHost(options, held);
    const { hub, terminals, finished, sessions, directory, claims, publishedAgents } = parts;
    this.#parts = parts;
    this.hub = hub;
    this.audit = parts.audit;
    this.acpEnabled = options.config.acp.enabled;
    this.approvals = new HostApprovals({ ...parts, submit: this.submit });
    this.changes = new HostChanges(sessions, this.submit);
    this.terminals = new TerminalOperations({ ...parts, spool: options.spool, submit: this.submit });
    this.search = parts.search;
    this.usage = new HostUsage({
      hub,
      storage: options.storage,
      now: options.now ?? ((): Date => new Date()),
    });
    this.#turnReaders = new TurnReaders(hub, options.storage);
    this.ahp = {
      hub,
      submit: this.submit,
      sessions: directory,
      terminals: new TerminalSubscriptions(hub, terminals, finished),
      claims,
      changes: parts.changeListeners,
      files: new SharedFiles(sessions, directory, new SharedAccess(parts)),
      editors: parts.editors,
      clientTools: parts.clientTools,
      publishAgents: () => publishedAgents.publish(),
      keysInput: () => options.processPort.keysInput,
    };
    parts.watchers.started();
  }

  /** Whether changes can be recorded. */
  get recording(): Recording {
    return this.hub.recording;
  }

  /** The one path for everything that a client may ask for. */
  readonly submit: Submit = (uri, submitted, by) => this.#parts.submissions.submit(uri, submitted, by);

  /** The agents; with models, an agent that has never reported any is started once to ask it, within 20 s. */
  async listAgents(includeModels: boolean): Promise<AgentInfo[]> {
    const agents = await this.#parts.agents.read(includeModels ? "ask" : "none");
    // Clients that follow the root see what was learnt.
    const isFollowed = (this.hub.state(ROOT_URI, "root")?.agents ?? []).length > 0;
    if (includeModels && isFollowed) await this.#parts.publishedAgents.publish();
    return agents;
  }

  async createSession(options: SessionOptions, caller: Caller): Promise<Session> {
    const appName = caller.kind === "app" ? caller.name : undefined;
    const request = { type: "root/createSession", options, awaitsAgent: true, appName } as const;
    const { uri = "" } = (await this.#ask(ROOT_URI, request, caller)).result ?? {};
    const created = this.hub.state(uri, "session");
    if (created === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    const { session_key, agent_id, state, backend_id, created_at } = describeSession(created);
    return { session_key, agent_id, state, backend_id, created_at };
  }

  getSession(key: string, caller: Caller): SessionStatus {
    return describeSessionInFull(this.#parts.sessions.get(key, caller).state);
  }

  listSessions(caller: Caller, includeClosed = false): SessionStatus[] {
    const open = this.#parts.sessions.of(caller).map(({ state }) => state);
    const closed = includeClosed ? this.#parts.sessions.closedOf(caller) : [];
    return [...open, ...closed].map(describeSession);
  }

  async patchSession(key: string, patch: SessionPatch, caller: Caller): Promise<SessionStatus> {
    const session = this.#parts.sessions.get(key, caller);
    await this.#ask(session.uri, { type: "session/runtimeOptionsChanged", changes: patch }, caller);
    return describeSessionInFull(session.state);
  }

  /** Stops a session and hides it; its history stays. */
  async closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void> {
    await this.#ask(this.#parts.sessions.get(key, caller).uri, { type: "session/close", reason }, caller);
  }

  /** Opens a closed session again; the next turn starts its agent. */
  async reopenSession(key: string, caller: Caller): Promise<SessionStatus> {
    await this.#ask(this.#parts.sessions.uriOf(key, caller), { type: "session/reopen" }, caller);
    return this.getSession(key, caller);
  }

  /** Closes a session if it is open, and removes everything that is stored of it. */
  async deleteSession(key: string, caller: Caller): Promise<void> {
    await this.#ask(this.#parts.sessions.uriOf(key, caller), { type: "session/delete" }, caller);
  }

  /** Runs a turn to its end; nobody is asked, so a policy must decide. */
  async chat(key: string, request: TurnRequest, caller: Caller): Promise<ChatResponse> {
    const session = this.#parts.sessions.get(key, caller);
    const { approvalPolicy } = session.state.runtimeOptions;
    if (approvalPolicy === undefined) throw new HostError("APPROVAL_POLICY_REQUIRED");
    const { turnId } = this.#send(session, { type: "chat/send", request, isInteractive: false }, caller);
    return awaitTurn(session, turnId);
  }

  /** Starts a turn that can be watched from its first action on, and that continues when nobody watches. */
  streamTurn(key: string, request: TurnRequest, caller: Caller, onReadable: () => void): StreamedTurn {
    const session = this.#parts.sessions.get(key, caller);
    const { lastSeq } = this.hub;
    const sent = this.#send(session, { type: "chat/send", request, isInteractive: true }, caller);
    return this.#turnReaders.followTurn(session, sent, lastSeq, onReadable);
  }

  /** The log of a session since a number, and live from there. */
  followSession(
    key: string,
    request: FollowRequest,
    caller: Caller,
    onReadable: () => void,
  ): FollowedSession {
    return this.#turnReaders.follow(this.#parts.sessions.get(key, caller), request, onReadable);
  }

  async cancelTurn(key: string, { reason, turnId }: TurnCancellation, caller: Caller): Promise<void> {
    const { chat } = this.#parts.sessions.get(key, caller);
    const named = turnId === undefined ? undefined : makeId("turn", turnId);
    await this.#ask(chat.uri, { type: "chat/cancel", reason, turnId: named }, caller);
  }

  /** Cancels what an app's sessions run and have queued; resolves when it has ended. */
  async cancelTurnsOf(appId: AppId, reason: string): Promise<void> {
    const busy = this.#parts.sessions.all.filter(
      ({ state: { owner }, turns }) => owner.kind === "app" && owner.appId === appId && turns.isBusy,
    );
    const cancel = { type: "chat/cancel", reason, includesQueued: true } as const;
    await Promise.all(busy.map(({ chat }) => this.#ask(chat.uri, cancel, { kind: "owner" })));
  }

  /** The audit log of all callers; for the owner alone. */
  readAudit(query: AuditQuery, caller: Caller): AuditRecord[] {
    requireOwner(caller);
    const since = query.since === undefined ? undefined : new Date(query.since).toISOString();
    const records = this.#parts.storage.audit.read({ ...query, since });
    return records.map(({ id, entry, hash }) => ({ id, ...entry, ...(hash !== undefined && { hash }) }));
  }

  /** The ends of the audit's chain of hashes; for the owner alone. */
  readAuditChain(caller: Caller): AuditChain {
    requireOwner(caller);
    return this.#parts.storage.audit.chain();
  }

  /** The rules of the policy file that are in force; for the owner alone. */
  readPolicy(caller: Caller): PolicyInForce {
    requireOwner(caller);
    return describePolicy(this.#parts.policy);
  }

  /** Whom the processes with a marker belong to; undefined for a marker that this host did not make. */
  ownerOfMarker(marker: string): MarkerOwner | undefined {
    const { owners } = this.#parts;
    const markedFor = owners.find(marker);
    if (markedFor === undefined) return owners.isOwn(marker) ? { kind: "forgotten" } : undefined;
    const claim =
      markedFor.kind === "terminal" ? this.hub.state(markedFor.uri, "terminal")?.claim : undefined;
    // A person's terminal that was given to a session is the agent's to type into.
    const session = markedFor.kind === "session" ? markedFor.uri : claim?.kind === "session" && claim.session;
    if (session === undefined || session === false) return { kind: "person" };
    return { kind: "agent", agentId: this.hub.state(session, "session")?.provider };
  }

  /** Notifies a watcher of every event in sessions, until the returned function is called. */
  watch(watcher: HostWatcher): () => void {
    return this.#parts.watchers.watch(watcher);
  }

  stats(): HostStats {
    return readStats(this.#parts, this.terminals.skippedBytes);
  }

  async #ask(uri: string, submitted: Action | Request, caller: Caller): Promise<Accepted> {
    const submission = await this.submit(uri, submitted, submitterOf(caller));
    return requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
  }

  #send({ chat }: HostSession, message: SendMessage, caller: Caller): SentMessage {
    const submission = submitNow(this.submit, this.recording, chat.uri, message, submitterOf(caller));
    const { result = {} } = requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
    return { turnId: makeId("turn", result.turnId ?? ""), isRepeated: result.isRepeated ?? false };
  }

  /** Ends every turn, agent and terminal, then the process port. Sessions stay, for the next host. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  /** Stops serving and leaves everything running, for the next host; what happened so far is recorded. Idempotent. */
  detach(): Promise<void> {
    this.#closing ??= this.#detachNow();
    return this.#closing;
  }

  async #detachNow(): Promise<void> {
    const { outage, retention, sessions, probes, claims, finished, processPort } = this.#parts;
    outage.close();
    retention.close();
    sessions.detachAll();
    await probes.close();
    await this.hub.settled();
    this.hub.freeze();
    claims.close();
    finished.close();
    await processPort.detach();
  }

  async #closeNow(): Promise<void> {
    this.#parts.outage.close();
    this.#parts.retention.close();
    this.#parts.search.close();
    await Promise.all([this.#parts.sessions.suspendAll(), this.#parts.probes.close()]);
    this.#parts.approvals.close();
    this.#parts.inputs.close();
    this.#parts.claims.close();
    this.#parts.finished.close();
    await this.#parts.terminals.close();
    await this.#parts.processPort.close();
    await this.hub.settled();
  }
}
