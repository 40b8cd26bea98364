// The types of the app API under the names that RealtimeX's client gives them.
import type {
  AgentInfo,
  Attachment,
  ChatResponse,
  PermissionDecision,
  RuntimeOptions,
  Session,
  SessionOptions,
  SessionStatus,
  TurnEvent,
} from "@holdfast/protocol";

/** One agent as the list shows it. */
export type AcpAgentInfo = AgentInfo;
/** What a new session is made from. */
export type AcpSessionOptions = SessionOptions;
/** A session as its creator sees it. */
export type AcpSession = Session;
/** A session with its options and what last happened in it. */
export type AcpSessionStatus = SessionStatus;
/** The options of a session that can be changed between turns. */
export type AcpRuntimeOptionPatch = RuntimeOptions;
/** A file that goes with a message, as a data URI. */
export type AcpAttachment = Attachment;
/** The whole of a finished turn. */
export type AcpChatResponse = ChatResponse;
/** One event of a turn, told apart by `type`. A newer host may send types that are not listed here. */
export type AcpStreamEvent = TurnEvent;
/** The answer to a permission request. */
export type AcpPermissionDecision = PermissionDecision;

/** What became of an answer; one that came too late says so. */
export interface AcpPermissionResolution {
  readonly resolved: boolean;
  readonly reason?: string;
}
