// The states of AHP 1.0 as they are sent.
import type { WireConfig } from "../ahp/config.ts";
import type { WireTerminalPart } from "../ahp/terminal-part.ts";
import type {
  WireChatMessage,
  WireConversation,
  WireError,
  WireInputRequest,
  WireMeta,
  WirePendingToolCall,
} from "../ahp/wire-chat.ts";
import type { BackgroundWork } from "../../model/chat/chat.ts";
import type { JsonValue } from "../../model/json.ts";
import type { WireOrigin } from "../dialect.ts";

/** The envelope of every action. */
export interface WireEnvelope {
  readonly channel: string;
  readonly action: object;
  readonly serverSeq: number;
  /** Absent, never `null`, for the host's own actions. */
  readonly origin?: WireOrigin;
  readonly rejectionReason?: string;
}

/** A terminal in the root's list. */
export interface WireTerminalInfo {
  readonly resource: string;
  readonly title: string;
  readonly claim: object;
  readonly lifecycle: WireTerminalLifecycle;
}

/** Whether a terminal's program runs; a signal leaves no code. */
export type WireTerminalLifecycle =
  | { readonly status: "running" }
  | { readonly status: "exited"; readonly exitCode?: number };

/** A terminal. */
export interface WireTerminalState {
  readonly title: string;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly content: readonly WireTerminalPart[];
  readonly lifecycle: WireTerminalLifecycle;
  readonly claim: object;
  readonly supportsCommandDetection?: true;
  readonly isPty: boolean;
}

/** What a session says of one of its chats. */
export interface WireChatSummary {
  readonly resource: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly modifiedAt: string;
}

/** A chat. */
export interface WireChatState extends WireChatSummary, WireConversation {
  readonly turnsNextCursor?: string;
  readonly draft?: WireChatMessage;
  readonly backgroundWork?: readonly BackgroundWork[];
  readonly _meta?: WireMeta;
}

interface WireSessionMetadata {
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly workingDirectories: readonly string[];
  readonly _meta?: WireMeta;
}

/** A session in a list. */
export interface WireSessionSummary extends WireSessionMetadata {
  readonly resource: string;
  readonly createdAt: string;
  readonly modifiedAt: string;
}

/** Something that waits for a person. */
export type WireInputNeeded =
  | {
      readonly kind: "toolConfirmation";
      readonly id: string;
      readonly chat: string;
      readonly turnId: string;
      readonly toolCall: WirePendingToolCall;
    }
  | {
      readonly kind: "chatInput";
      readonly id: string;
      readonly chat: string;
      readonly request: WireInputRequest;
    };

/** A client that takes part. */
export interface WireActiveClient {
  readonly clientId: string;
  readonly displayName?: string;
  readonly tools: readonly JsonValue[];
}

/** A session. */
export interface WireSessionState extends WireSessionMetadata {
  readonly lifecycle: "creating" | "ready" | "failed";
  readonly creationError?: WireError;
  readonly activeClients: readonly WireActiveClient[];
  readonly chats: readonly WireChatSummary[];
  readonly defaultChat?: string;
  readonly config?: WireConfig;
  readonly inputNeeded?: readonly WireInputNeeded[];
}
