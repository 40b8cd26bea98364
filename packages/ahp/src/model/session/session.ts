// A session: one agent at work for one owner, its chats, and what it waits for.
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
  SessionKey,
  SessionUri,
  TurnId,
} from "../ids.ts";
import type { JsonValue, OpenEnum, Timestamp, Uri } from "../json.ts";
import type { AvailableCommand, ConfigOption, RuntimeOptions, SessionModes } from "./settings.ts";

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
  /** One line on what is going on just now. */
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
  readonly agent?: ConnectedAgent;
  /** Set once the agent came back without its memory of the turns before. */
  readonly contextLoss?: ContextLoss;
  readonly lastError?: ErrorInfo;
  readonly runtimeOptions: RuntimeOptions;
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
}

/** Whose session it is: the person's who runs the host, or an app's. */
export type SessionOwner =
  | { readonly kind: "person" }
  | { readonly kind: "app"; readonly appId: AppId; readonly name?: string };

/** How a session stands with its agent's process. Whether a turn is going on is a matter of its chats. */
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
 * Why a session has no process: it was idle, the agent died, it could not be brought back, the host was restarted,
 * or it takes a setting only when it is started.
 */
export type StaleCause = OpenEnum<
  "evicted" | "agent-exited" | "resume-failed" | "host-restarted" | "settings-changed"
>;

/** What an agent said of itself. */
export interface ConnectedAgent {
  readonly name: string;
  readonly version?: string;
  /** How its memory survives its process. */
  readonly resume: "resume" | "load" | "none";
  /** Kinds of content it takes besides text. */
  readonly accepts: readonly OpenEnum<"image" | "audio" | "embeddedContext">[];
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

/** What a new session is made from. */
export interface NewSession {
  readonly resource: SessionUri;
  readonly key: SessionKey;
  readonly provider: AgentId;
  readonly owner: SessionOwner;
  readonly label?: string;
  readonly title: string;
  readonly at: Timestamp;
  readonly workingDirectories: readonly Uri[];
  readonly runtimeOptions?: RuntimeOptions;
  readonly forwardedProvider?: string;
  readonly mcpServers?: readonly string[];
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
    runtimeOptions,
    chats: [],
    inputNeeded: [],
    activeClients: [],
    commands: [],
    configOptions: [],
    notices: [],
  };
}
