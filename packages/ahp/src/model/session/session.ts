// A session: its state, and every action that changes it.
import type { Annotation } from "./annotation.ts";
import type { PermissionRule } from "../chat/approval.ts";
import type { ChatSummary } from "../chat/chat.ts";
import type { InputRequest } from "../chat/input-request.ts";
import type { PendingToolCall } from "../chat/tool-call.ts";
import type { Notice } from "../chat/turn.ts";
import type { Actor, ErrorInfo } from "../failure.ts";
import type {
  AgentId,
  AppId,
  ApprovalId,
  ChatUri,
  ClientId,
  InputRequestId,
  PermissionRuleId,
  SessionKey,
  SessionUri,
  TurnId,
} from "../ids.ts";
import type { Changes } from "../immutable.ts";
import type { JsonObject, JsonValue, OpenEnum, Timestamp, Uri } from "../json.ts";
import type { KeyLimits, LimitInForce } from "../limit.ts";
import type {
  AvailableCommand,
  ConfigOption,
  ConfigValues,
  RuntimeOptions,
  SessionModes,
} from "./settings.ts";

/** The state of a session's channel. */
export interface SessionState {
  readonly resource: SessionUri;
  /** Its name in the app API. */
  readonly key: SessionKey;
  readonly provider: AgentId;
  readonly owner: SessionOwner;
  /** A name that the owner gave it, for the owner's own use. */
  readonly label?: string;
  readonly title: string;
  readonly createdAt: Timestamp;
  readonly lastActivityAt: Timestamp;
  readonly isRead: boolean;
  readonly isArchived: boolean;
  /** One line on the current activity. */
  readonly activity?: string;
  /** The folders it may work in; the first is where commands run. */
  readonly workingDirectories: readonly Uri[];
  readonly lifecycle: SessionLifecycle;
  /** The agent's own id of the session, by which it can be resumed. */
  readonly backendId?: string;
  /** The directory in which the agent opened its own session; in another one it cannot be resumed. */
  readonly backendCwd?: string;
  /** Whose credentials the host hands to the agent, by the provider's id. */
  readonly forwardedProvider?: string;
  /** The MCP servers that its agent is given, by their names in the configuration. */
  readonly mcpServers?: readonly string[];
  /** How its agent and its commands are isolated; absent in sessions of older hosts. */
  readonly isolation?: SessionIsolation;
  readonly agent?: ConnectedAgent;
  /** Set once the agent restarted without the context of earlier turns. */
  readonly contextLoss?: ContextLoss;
  readonly lastError?: ErrorInfo;
  readonly runtimeOptions: RuntimeOptions;
  /** The limits in force since its agent was last started; absent without any. */
  readonly limits?: readonly LimitInForce[];
  readonly chats: readonly ChatSummary[];
  readonly defaultChat?: ChatUri;
  /** Everything that waits for a person, in all chats, oldest first. */
  readonly inputNeeded: readonly SessionInputRequest[];
  readonly activeClients: readonly ActiveClient[];
  readonly commands: readonly AvailableCommand[];
  readonly modes?: SessionModes;
  readonly configOptions: readonly ConfigOption[];
  /** The newest notices that belong to no turn. */
  readonly notices: readonly Notice[];
  /** Counts of the changes in its folder since its first turn; absent outside of repositories. */
  readonly changes?: ChangeSummary;
  /** Changed files that somebody marked as reviewed, as they were then. */
  readonly reviewedFiles?: readonly ReviewedFile[];
  /** Comments on its files, oldest first; absent without any. */
  readonly annotations?: readonly Annotation[];
  /** Standing permissions of this session. */
  readonly permissionRules?: readonly PermissionRule[];
}

/** Whose session it is: the person's who runs the host, or an app's. */
export type SessionOwner =
  | { readonly kind: "person" }
  | {
      readonly kind: "app";
      readonly appId: AppId;
      readonly name?: string;
      /** The limits of its key or grant when the session was created. */
      readonly limits?: KeyLimits;
    };

/** State of the agent's process. Whether a turn is running is up to the session's chats. */
export type SessionLifecycle =
  /** The agent is being started for the first time. */
  | { readonly status: "creating" }
  | { readonly status: "ready" }
  /** There is no process; the next turn brings one back. */
  | { readonly status: "stale"; readonly since: Timestamp; readonly cause: StaleCause }
  /** A process is being brought back. */
  | { readonly status: "resuming" }
  /** The agent could not be started, so there never was a session. */
  | { readonly status: "failed"; readonly error: ErrorInfo }
  | { readonly status: "closed"; readonly closedAt: Timestamp; readonly by: Actor; readonly reason?: string };

/**
 * Why a session has no process: it was idle, the agent died, it could not be brought back, the host was restarted
 * while something ran, it takes a setting only when it is started, or the session was closed and reopened.
 */
export type StaleCause = OpenEnum<
  "evicted" | "agent-exited" | "resume-failed" | "host-restarted" | "settings-changed" | "reopened"
>;

/** An agent's description of itself. */
export interface ConnectedAgent {
  readonly name: string;
  readonly version?: string;
  /** How its memory survives its process. */
  readonly resume: "resume" | "load" | "none";
  /** Kinds of content it takes besides text. */
  readonly accepts: readonly OpenEnum<"image" | "audio" | "embeddedContext">[];
  /** Whether it can continue a copy of its session. */
  readonly forks?: boolean;
  /** Whether it runs the text of a message as commands, so that other words must not be sent to it. */
  readonly runsMessages?: boolean;
  /** False: it acts without asking, except in the modes of `askModes`. */
  readonly asks?: boolean;
  /** The modes in which it asks, or changes nothing. */
  readonly askModes?: readonly string[];
}

/** Whether the agent of a session asks before it acts, in the mode that it is in. */
export function asksBeforeActing({
  agent,
  modes,
  configOptions,
}: Pick<SessionState, "agent" | "modes" | "configOptions">): boolean {
  if (agent?.asks !== false) return true;
  const mode = configOptions.find(({ category }) => category === "mode")?.currentValue;
  return agent.askModes?.includes(String(mode ?? modes?.currentModeId)) ?? false;
}

/** Isolation of a session's processes, weakest first: none; the host's files hidden; the machine read-only, too. */
export const ISOLATION_LEVELS = ["none", "guard", "workspace"] as const;

/** A level of isolation; newer hosts may have others. */
export type IsolationLevel = OpenEnum<(typeof ISOLATION_LEVELS)[number]>;

/** The isolation of a session: what was asked for, and what is in force. */
export interface SessionIsolation {
  readonly wanted: IsolationLevel;
  readonly level: IsolationLevel;
  /** Its enforcer; absent until the first process is started. */
  readonly backend?: string;
  /** Sentences: what the level promises and this machine does not do. */
  readonly gaps?: readonly string[];
  /** Why it is weaker than what was asked for. */
  readonly reason?: string;
}

/** Counts of changed files and lines. */
export interface ChangeSummary {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

/** A version of a changed file that somebody marked as reviewed. */
export interface ReviewedFile {
  /** From the session's folder. */
  readonly path: string;
  /** Stands for its content: a file with another one has not been reviewed. */
  readonly version: string;
}

/** When and why an agent's memory was lost. */
export interface ContextLoss {
  readonly at: Timestamp;
  readonly reason: string;
}

/** A client that takes part in a session. */
export interface ActiveClient {
  readonly clientId: ClientId;
  readonly displayName?: string;
  /** Tools that it lends to the agent, as it described them. */
  readonly tools: readonly JsonValue[];
  /** Members that the model has no field for, such as customizations, as the client wrote them. */
  readonly members?: JsonObject;
}

/** Something in a session that waits for a person. */
export type SessionInputRequest =
  | {
      readonly kind: "toolConfirmation";
      readonly id: ApprovalId;
      readonly chat: ChatUri;
      readonly turnId: TurnId;
      readonly toolCall: PendingToolCall;
    }
  | {
      readonly kind: "chatInput";
      readonly id: InputRequestId;
      readonly chat: ChatUri;
      readonly request: InputRequest;
    };

/** Properties of a new session. */
export interface NewSession extends Pick<
  SessionState,
  | "resource"
  | "key"
  | "provider"
  | "owner"
  | "label"
  | "title"
  | "workingDirectories"
  | "forwardedProvider"
  | "mcpServers"
  | "isolation"
> {
  readonly at: Timestamp;
  readonly runtimeOptions?: RuntimeOptions;
}

/** The state of a session whose agent is being started. */
export function newSessionState(session: NewSession): SessionState {
  const {
    resource,
    key,
    provider,
    owner,
    label,
    title,
    at,
    workingDirectories,
    runtimeOptions = {},
    forwardedProvider,
    mcpServers,
    isolation,
  } = session;
  return {
    resource,
    key,
    provider,
    owner,
    label,
    title,
    createdAt: at,
    lastActivityAt: at,
    isRead: true,
    isArchived: false,
    workingDirectories,
    lifecycle: { status: "creating" },
    ...(forwardedProvider !== undefined && { forwardedProvider }),
    ...(mcpServers !== undefined && { mcpServers }),
    ...(isolation !== undefined && { isolation }),
    runtimeOptions,
    chats: [],
    inputNeeded: [],
    activeClients: [],
    commands: [],
    configOptions: [],
    notices: [],
  };
}

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
  | { readonly type: "session/closed"; readonly at: Timestamp; readonly by: Actor; readonly reason?: string }
  /** A closed session takes messages again; the next turn starts its agent. */
  | { readonly type: "session/reopened"; readonly at: Timestamp; readonly by: Actor };

/** Changes of a chat's summary. */
export type ChatSummaryChanges = Changes<Omit<ChatSummary, "resource">>;

/** The chats of a session, and what in them waits for a person. */
export type SessionChatAction =
  | { readonly type: "session/chatAdded"; readonly chat: ChatSummary }
  | { readonly type: "session/chatUpdated"; readonly chat: ChatUri; readonly changes: ChatSummaryChanges }
  | { readonly type: "session/chatRemoved"; readonly chat: ChatUri }
  | { readonly type: "session/defaultChatChanged"; readonly defaultChat?: ChatUri }
  | { readonly type: "session/inputNeededSet"; readonly request: SessionInputRequest }
  | { readonly type: "session/inputNeededRemoved"; readonly id: ApprovalId | InputRequestId };

/** Settings of a session, changed by its owner or its agent. */
export type SessionSettingAction =
  | { readonly type: "session/runtimeOptionsChanged"; readonly changes: Changes<RuntimeOptions> }
  /** The limits in force, as a whole. */
  | { readonly type: "session/limitsChanged"; readonly limits?: readonly LimitInForce[] }
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
  | { readonly type: "session/isolationChanged"; readonly isolation: SessionIsolation }
  | { readonly type: "session/isReadChanged"; readonly isRead: boolean }
  | { readonly type: "session/isArchivedChanged"; readonly isArchived: boolean }
  | { readonly type: "session/workingDirectoriesChanged"; readonly workingDirectories: readonly Uri[] }
  | { readonly type: "session/activeClientSet"; readonly client: ActiveClient }
  | { readonly type: "session/activeClientRemoved"; readonly clientId: ClientId }
  | { readonly type: "session/noticeAdded"; readonly notice: Notice }
  /** The latest error, such as that of a turn. */
  | { readonly type: "session/errorReported"; readonly error: ErrorInfo }
  | { readonly type: "session/changesChanged"; readonly changes?: ChangeSummary }
  /** All of them. */
  | { readonly type: "session/reviewedFilesChanged"; readonly files: readonly ReviewedFile[] }
  /** A comment, new or as it is now. */
  | { readonly type: "session/annotationSet"; readonly annotation: Annotation }
  | { readonly type: "session/annotationRemoved"; readonly id: string }
  | { readonly type: "session/permissionRuleAdded"; readonly rule: PermissionRule }
  | { readonly type: "session/permissionRuleRemoved"; readonly id: PermissionRuleId };

/** Any action of a session's channel. */
export type SessionAction =
  | SessionLifecycleAction
  | SessionChatAction
  | SessionSettingAction
  | SessionDetailAction;
