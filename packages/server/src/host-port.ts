// What the server asks of a host, so that it can be served without knowing how it is made.
import type { TurnId } from "@holdfast/ahp";
import type { Cursor } from "@holdfast/core";
import type {
  AgentInfo,
  ChatRequest,
  ChatResponse,
  PermissionDecision,
  RuntimeOptions,
  Session,
  SessionOptions,
  SessionStatus,
} from "@holdfast/protocol";

/** Who asks, as found out from the request's credentials. */
export interface Caller {
  readonly kind: "owner";
}

/** A turn that can be followed from its first action. */
export interface StreamedTurn {
  readonly turnId: TurnId;
  /** The log of the turn's chat, from before the turn's first action. */
  readonly chat: Cursor;
  /** The log of its session, from the same moment. */
  readonly session: Cursor;
}

/** What became of an answer to a permission request. */
export interface Resolution {
  readonly resolved: boolean;
  readonly reason?: string;
}

/** The host as the app API sees it; what it refuses, it refuses with a `HostError`. */
export interface HostPort {
  /** Whether sessions with agents are to be had at all. */
  readonly acpEnabled: boolean;
  listAgents(includeModels: boolean): Promise<AgentInfo[]>;
  createSession(options: SessionOptions, caller: Caller): Promise<Session>;
  getSession(key: string, caller: Caller): SessionStatus;
  listSessions(caller: Caller): SessionStatus[];
  patchSession(key: string, patch: RuntimeOptions, caller: Caller): Promise<SessionStatus>;
  closeSession(key: string, reason: string | undefined, caller: Caller): Promise<void>;
  chat(key: string, request: ChatRequest, caller: Caller): Promise<ChatResponse>;
  /** Begins a turn, or lines it up; `onReadable` is called whenever one of the cursors has something new. */
  streamTurn(key: string, request: ChatRequest, caller: Caller, onReadable: () => void): StreamedTurn;
  /** Whether a permission request still waits for its answer. */
  isApprovalOpen(id: string): boolean;
  cancelTurn(key: string, reason: string | undefined, caller: Caller): Promise<void>;
  resolvePermission(key: string, decision: PermissionDecision, caller: Caller): Resolution;
}
