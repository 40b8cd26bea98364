// Everything that can happen to a session.
import type { ChatSummary } from "../chat/chat.ts";
import type { Notice } from "../chat/turn.ts";
import type { Actor, ErrorInfo } from "../failure.ts";
import type { Changes } from "../immutable.ts";
import type { ApprovalId, ChatUri, ClientId, InputRequestId } from "../ids.ts";
import type { Timestamp, Uri } from "../json.ts";
import type { ActiveClient, ConnectedAgent, SessionInputRequest, StaleCause } from "./session.ts";
import type {
  AvailableCommand,
  ConfigOption,
  ConfigValues,
  RuntimeOptions,
  SessionModes,
} from "./settings.ts";

/** A session comes to life, loses its agent, gets it back, or ends. */
export type SessionLifecycleAction =
  /** The agent has answered the handshake, for the first time or again. */
  | {
      readonly type: "session/ready";
      readonly at: Timestamp;
      readonly backendId?: string;
      readonly backendCwd?: string;
      readonly agent?: ConnectedAgent;
    }
  | { readonly type: "session/creationFailed"; readonly error: ErrorInfo }
  | {
      readonly type: "session/stale";
      readonly at: Timestamp;
      readonly cause: StaleCause;
      readonly error?: ErrorInfo;
    }
  | { readonly type: "session/resuming" }
  /** The agent is back and remembers nothing. */
  | { readonly type: "session/contextLost"; readonly at: Timestamp; readonly reason: string }
  | { readonly type: "session/closed"; readonly at: Timestamp; readonly by: Actor; readonly reason?: string };

/** What may change in a chat's summary. */
export type ChatSummaryChanges = Changes<Omit<ChatSummary, "resource">>;

/** The chats of a session, and what in them waits for a person. */
export type SessionChatAction =
  | { readonly type: "session/chatAdded"; readonly chat: ChatSummary }
  | { readonly type: "session/chatUpdated"; readonly chat: ChatUri; readonly changes: ChatSummaryChanges }
  | { readonly type: "session/chatRemoved"; readonly chat: ChatUri }
  | { readonly type: "session/defaultChatChanged"; readonly defaultChat?: ChatUri }
  | { readonly type: "session/inputNeededSet"; readonly request: SessionInputRequest }
  | { readonly type: "session/inputNeededRemoved"; readonly id: ApprovalId | InputRequestId };

/** What is set in a session, by its owner or its agent. */
export type SessionSettingAction =
  | { readonly type: "session/runtimeOptionsChanged"; readonly changes: Changes<RuntimeOptions> }
  | { readonly type: "session/commandsChanged"; readonly commands: readonly AvailableCommand[] }
  | { readonly type: "session/modesChanged"; readonly modes?: SessionModes }
  | { readonly type: "session/modeChanged"; readonly modeId: string }
  /** The agent's options, as a whole. */
  | { readonly type: "session/configOptionsChanged"; readonly configOptions: readonly ConfigOption[] }
  /** Values that someone chose for some of the options. */
  | { readonly type: "session/configChanged"; readonly config: ConfigValues };

/** Something about the session as a whole. */
export type SessionDetailAction =
  | { readonly type: "session/titleChanged"; readonly title: string }
  | { readonly type: "session/labelChanged"; readonly label?: string }
  | { readonly type: "session/activityChanged"; readonly activity?: string }
  | { readonly type: "session/isReadChanged"; readonly isRead: boolean }
  | { readonly type: "session/isArchivedChanged"; readonly isArchived: boolean }
  | { readonly type: "session/workingDirectoriesChanged"; readonly workingDirectories: readonly Uri[] }
  | { readonly type: "session/activeClientSet"; readonly client: ActiveClient }
  | { readonly type: "session/activeClientRemoved"; readonly clientId: ClientId }
  | { readonly type: "session/noticeAdded"; readonly notice: Notice }
  /** What went wrong last, such as the error of a turn. */
  | { readonly type: "session/errorReported"; readonly error: ErrorInfo };

/** Any action of a session's channel. */
export type SessionAction =
  | SessionLifecycleAction
  | SessionChatAction
  | SessionSettingAction
  | SessionDetailAction;
