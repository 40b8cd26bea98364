// Port through which the server uses a host, independent of how the host is built.
import type { AppId } from "@holdfast/ahp";
import type {
  Caller,
  ClientToolLeases,
  Editors,
  ChangeListeners,
  FollowRequest,
  FollowedSession,
  HostApprovals,
  HostChanges,
  HostSearch,
  HostUsage,
  HostStats,
  HostWatcher,
  Hub,
  MarkerOwner,
  Recording,
  SessionDirectory,
  SharedFiles,
  StreamedTurn,
  Submit,
  TerminalClaims,
  TerminalOperations,
  TerminalSubscriptions,
  TurnRequest,
} from "@holdfast/core";
import type {
  AgentInfo,
  AuditChain,
  PolicyInForce,
  AuditQuery,
  AuditRecord,
  ChatResponse,
  Session,
  SessionOptions,
  SessionPatch,
  SessionStatus,
  TurnCancellation,
} from "@holdfast/protocol";

export type {
  Caller,
  FollowRequest,
  FollowedSession,
  StreamedTurn,
  TurnRequest,
  WaitingQuestion,
} from "@holdfast/core";

/** The host as AHP clients see it: its channels, and what can be done with them. */
export interface AhpPort {
  readonly hub: Hub;
  /** The one path for everything that a client may ask for. */
  readonly submit: Submit;
  readonly sessions: Pick<
    SessionDirectory,
    "find" | "findTurn" | "readTurns" | "list" | "removeClient" | "mcpServers" | "isolation" | "canFork"
  >;
  readonly terminals: Pick<TerminalSubscriptions, "load" | "subscribe" | "resume">;
  readonly claims: Pick<TerminalClaims, "gone" | "back">;
  readonly changes: Pick<ChangeListeners, "listen">;
  readonly files: Pick<SharedFiles, "read" | "complete" | "access" | "resources">;
  /** Editors that lend their files to sessions. */
  readonly editors: Pick<Editors, "lend">;
  /** Tools that clients lend to agents. */
  readonly clientTools: Pick<ClientToolLeases, "find" | "serveAt" | "connected" | "disconnected">;
  /** Looks for agents again; resolves when the root's list has those found within a second. */
  publishAgents(): Promise<void>;
  /** Whether input with a key can be sent again to the next host. */
  keysInput(): boolean;
}

/** The host as the app API sees it; what it refuses, it refuses with a `HostError`. */
export interface HostPort {
  /** Whether changes can be recorded; absent: they always can. */
  readonly recording?: Pick<Recording, "problem" | "requireNow" | "settled" | "onOutage">;
  /** Whether the host offers sessions with agents at all. */
  readonly acpEnabled: boolean;
  /** The port that serves AHP clients; absent: WebSockets are refused. */
  readonly ahp?: AhpPort;
  /** Searches over the text of sessions. */
  readonly search: Pick<HostSearch, "find">;
  /** What agents reported to have used. */
  readonly usage: Pick<HostUsage, "read">;
  /** Open questions in the caller's sessions, and standing permissions. */
  readonly approvals: Pick<HostApprovals, "list" | "resolve" | "listRules" | "removeRule">;
  /** The changes in the folders of sessions. */
  readonly changes: Pick<HostChanges, "list" | "diff" | "revert" | "stage" | "unstage" | "commit">;
  /** The terminals of the caller's sessions; for the owner, also those of people. */
  readonly terminals: Pick<
    TerminalOperations,
    "list" | "create" | "read" | "follow" | "write" | "resize" | "claim" | "interrupt" | "kill"
  >;
  listAgents(includeModels: boolean): Promise<AgentInfo[]>;
  createSession(options: SessionOptions, caller: Caller): Promise<Session>;
  getSession(key: string, caller: Caller): SessionStatus;
  /** The caller's open sessions; with `includeClosed` also those that are over and still kept. */
  listSessions(caller: Caller, includeClosed?: boolean): SessionStatus[];
  patchSession(key: string, patch: SessionPatch, caller: Caller): Promise<SessionStatus>;
  /** Stops a session and hides it; its history stays. */
  closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void>;
  /** Opens a closed session again; the next turn starts its agent. */
  reopenSession(key: string, caller: Caller): Promise<SessionStatus>;
  /** Closes a session if it is open, and removes everything that is kept of it. */
  deleteSession(key: string, caller: Caller): Promise<void>;
  chat(key: string, request: TurnRequest, caller: Caller): Promise<ChatResponse>;
  /** Starts or queues a turn; `onReadable` is called when one of its logs has new entries. */
  streamTurn(key: string, request: TurnRequest, caller: Caller, onReadable: () => void): StreamedTurn;
  /** The entries of a session since a number, and those published from now on. */
  followSession(key: string, request: FollowRequest, caller: Caller, onReadable: () => void): FollowedSession;
  cancelTurn(key: string, cancellation: TurnCancellation, caller: Caller): Promise<void>;
  /** Whom the processes with a marker belong to; undefined for a marker that the host did not make. Absent: it makes none. */
  ownerOfMarker?(marker: string): MarkerOwner | undefined;
  /** Cancels what an app's sessions run and have queued; resolves when it has ended. */
  cancelTurnsOf(appId: AppId, reason: string): Promise<void>;
  /** Audit entries of the host, oldest first; refused to everybody but its owner. */
  readAudit(query: AuditQuery, caller: Caller): AuditRecord[];
  /** The ends of the audit's chain of hashes; refused to everybody but the host's owner. */
  readAuditChain(caller: Caller): AuditChain;
  readPolicy(caller: Caller): PolicyInForce;
  /** Notifies a watcher of every event, until the returned function is called. */
  watch(watcher: HostWatcher): () => void;
  stats(): HostStats;
}
