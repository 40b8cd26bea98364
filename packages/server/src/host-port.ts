// What the server asks of a host, so that it can be served without knowing how it is made.
import type { PendingToolCall, SessionKey, TerminalSize } from "@holdfast/ahp";
import type {
  Caller,
  FollowRequest,
  FollowedSession,
  HostFigures,
  HostWatcher,
  Hub,
  InputPlace,
  NewCommand,
  SessionDesk,
  SharedFiles,
  StreamedTurn,
  TerminalDesk,
  TerminalFeed,
  TurnRequest,
} from "@holdfast/core";
import type {
  AgentInfo,
  AuditQuery,
  AuditRecord,
  ChatResponse,
  PermissionDecision,
  RuntimeOptions,
  Session,
  SessionOptions,
  SessionStatus,
  TerminalStatus,
  TerminalText,
} from "@holdfast/protocol";

export type { Caller, FollowRequest, FollowedSession, StreamedTurn, TurnRequest } from "@holdfast/core";

/** What became of an answer to a permission request. */
export interface Resolution {
  readonly resolved: boolean;
  readonly reason?: string;
}

/** A tool call that waits for its answer. */
export interface WaitingCall {
  readonly sessionKey: SessionKey;
  readonly toolCall: PendingToolCall;
}

/** The host as AHP clients see it: its channels, and what can be done with them. */
export interface AhpPort {
  readonly hub: Hub;
  readonly sessions: Pick<
    SessionDesk,
    "find" | "list" | "create" | "dispose" | "submit" | "removeClient" | "mcpServers"
  >;
  readonly terminals: TerminalDesk;
  readonly files: Pick<SharedFiles, "read" | "complete">;
  /** Looks for agents anew, and tells the root which there are. */
  tellAgents(): Promise<void>;
}

/** The host as the app API sees it; what it refuses, it refuses with a `HostError`. */
export interface HostPort {
  /** Whether sessions with agents are to be had at all. */
  readonly acpEnabled: boolean;
  /** What AHP clients are served from; absent: no WebSocket is taken. */
  readonly ahp?: AhpPort;
  listAgents(includeModels: boolean): Promise<AgentInfo[]>;
  createSession(options: SessionOptions, caller: Caller): Promise<Session>;
  getSession(key: string, caller: Caller): SessionStatus;
  /** The caller's open sessions; with `includeClosed` also those that are over and still kept. */
  listSessions(caller: Caller, includeClosed?: boolean): SessionStatus[];
  patchSession(key: string, patch: RuntimeOptions, caller: Caller): Promise<SessionStatus>;
  /** Stops a session and hides it; its history stays. */
  closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void>;
  /** Closes a session if it is open, and removes everything that is kept of it. */
  deleteSession(key: string, caller: Caller): Promise<void>;
  chat(key: string, request: TurnRequest, caller: Caller): Promise<ChatResponse>;
  /** Begins a turn, or lines it up; `onReadable` is called whenever one of the feeds has something new. */
  streamTurn(key: string, request: TurnRequest, caller: Caller, onReadable: () => void): StreamedTurn;
  /** What was told in a session since a number, and what is told from now on. */
  followSession(key: string, request: FollowRequest, caller: Caller, onReadable: () => void): FollowedSession;
  cancelTurn(key: string, reason: string | undefined, caller: Caller): Promise<void>;
  resolvePermission(key: string, decision: PermissionDecision, caller: Caller): Resolution;
  /** What waits for an answer in the caller's sessions, oldest first. */
  listApprovals(caller: Caller): WaitingCall[];
  /** The terminals of the caller's sessions that are there now; with a session, also its finished ones. */
  listTerminals(caller: Caller, sessionKey?: string): TerminalStatus[];
  /** Runs a command in a terminal of its own; refused to everybody but the owner, since nobody is asked. */
  createTerminal(request: NewCommand, caller: Caller): Promise<TerminalStatus>;
  readTerminal(id: string, limitBytes: number | undefined, caller: Caller): Promise<TerminalText>;
  /** A terminal's bytes from an offset on, or from the first that is kept, and on as they come. */
  followTerminal(
    id: string,
    after: number | undefined,
    caller: Caller,
    onReadable: () => void,
    isPaced?: boolean,
  ): Promise<TerminalFeed>;
  /** Done when there is room for more. */
  writeTerminal(id: string, bytes: Uint8Array, caller: Caller, place?: InputPlace): Promise<void>;
  /** Gives the size as it is after clamping. */
  resizeTerminal(id: string, size: TerminalSize, caller: Caller): Promise<TerminalSize>;
  /** Takes a terminal over for the caller; or gives it to its session, or detaches it from the turn that uses it. */
  claimTerminal(
    id: string,
    holder: { readonly kind: "client" | "session" },
    caller: Caller,
  ): Promise<TerminalStatus>;
  killTerminal(id: string, caller: Caller): Promise<void>;
  /** What was done on the host, oldest first; refused to everybody but its owner. */
  readAudit(query: AuditQuery, caller: Caller): AuditRecord[];
  /** Tells a watcher of all that happens, until the returned function is called. */
  watch(watcher: HostWatcher): () => void;
  figures(): HostFigures;
}
