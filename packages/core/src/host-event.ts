// Events for watchers of the host as a whole: webhooks, metrics, notices.
import type {
  AgentId,
  ErrorInfo,
  PendingToolCall,
  SessionKey,
  SessionOwner,
  TurnEnd,
  TurnId,
} from "@holdfast/ahp";

interface OfSession {
  readonly at: string;
  readonly sessionKey: SessionKey;
  readonly owner: SessionOwner;
  readonly agentId: AgentId;
}

/** Something that happened in a session. */
export type HostEvent = OfSession &
  (
    | { readonly type: "turn_started"; readonly turnId: TurnId }
    | {
        readonly type: "turn_done";
        readonly turnId: TurnId;
        readonly end: TurnEnd;
        readonly durationMs: number;
      }
    /** Somebody has to decide about a tool call. */
    | { readonly type: "approval_needed"; readonly turnId: TurnId; readonly toolCall: PendingToolCall }
    | { readonly type: "session_error"; readonly error: ErrorInfo }
  );

/** Receives every event, in order, synchronously; it must not throw. */
export type HostWatcher = (event: HostEvent) => void;

/** The current state, and counts since the start. */
export interface HostStats {
  /** Open sessions by the status of their lifecycle. */
  readonly sessions: Readonly<Record<string, number>>;
  readonly turnsRunning: number;
  readonly approvalsOpen: number;
  readonly agentsRunning: number;
  readonly terminalsRunning: number;
  /** Bytes that terminals have written since the start. */
  readonly terminalBytes: number;
  /** Bytes that were skipped for slow viewers, and by the spool. */
  readonly terminalSkippedBytes: number;
  /** Readers of channels. */
  readonly subscribers: number;
  /** How far the slowest reader is behind, in entries. */
  readonly lagEntries: number;
  /** Processes that outlived their command and were ended with their session. */
  readonly survivorsEnded: number;
}
