// A chat on the wire: turns, parts, tool calls. Where versions differ, both fields are here and a style says which is written.
import type { InputAnswers, InputQuestion, InputResponse } from "../../model/chat/input-request.ts";
import type { JsonObject, JsonValue, OpenEnum } from "../../model/json.ts";

/** Values that a plain dialect has no slot for stand under `holdfast`. */
export interface WireMeta {
  readonly holdfast: JsonObject;
}

export interface WireContentRef {
  readonly uri: string;
  readonly sizeHint?: number;
  readonly contentType?: string;
}

export type WireAttachment =
  | { readonly type: "simple"; readonly label: string; readonly modelRepresentation?: string }
  | {
      readonly type: "embeddedResource";
      readonly label: string;
      readonly data: string;
      readonly contentType: string;
    }
  | (WireContentRef & {
      readonly type: "resource";
      readonly label: string;
      readonly selection?: JsonValue;
    });

/** A message; in the seed without `origin` and `model`. */
export interface WireChatMessage {
  readonly text: string;
  readonly origin?: { readonly kind: string };
  readonly attachments?: readonly WireAttachment[];
  readonly model?: { readonly id: string; readonly config?: JsonObject };
}

/** A message under the name that a version has for it. */
export interface WireMessageField {
  readonly message?: WireChatMessage;
  readonly userMessage?: WireChatMessage;
}

export type WirePendingMessage = WireMessageField & { readonly id: string };

export interface WireFileEdit {
  readonly before?: { readonly uri: string; readonly content: WireContentRef };
  readonly after?: { readonly uri: string; readonly content: WireContentRef };
}

export type WireToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "embeddedResource"; readonly data: string; readonly contentType: string }
  | (WireContentRef & { readonly type: "resource" })
  | (WireFileEdit & { readonly type: "fileEdit" })
  | {
      readonly type: "terminal";
      readonly resource: string;
      readonly title: string;
      readonly isPty?: boolean;
      readonly result?: {
        readonly exitCode?: number;
        readonly preview?: string;
        readonly truncated?: boolean;
      };
    };

/** An answer that a confirmation offers. */
export interface WireOption {
  readonly id: string;
  readonly label: string;
  readonly kind: "approve" | "deny";
  readonly group?: number;
}

export interface WireToolCallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly contributor?: { readonly kind: "client"; readonly clientId: string };
  readonly toolClientId?: string;
  readonly _meta?: WireMeta;
}

export interface WireToolResult {
  readonly success: boolean;
  readonly pastTenseMessage: string;
  readonly content?: readonly WireToolContent[];
  readonly structuredContent?: JsonObject;
  readonly error?: { readonly message: string; readonly code?: string };
}

interface WireInvocation {
  readonly invocationMessage: string;
  readonly toolInput?: string;
}

export type WirePendingToolCall = WireToolCallBase &
  WireInvocation & {
    readonly status: "pending-confirmation";
    readonly confirmationTitle?: string;
    readonly options: readonly WireOption[];
    readonly edits?: { readonly items: readonly WireFileEdit[] };
  };

/** A tool call in one of its states; a failed one is complete without success. */
export type WireToolCall =
  | (WireToolCallBase & { readonly status: "streaming"; readonly invocationMessage?: string })
  | WirePendingToolCall
  | (WireToolCallBase &
      WireInvocation & {
        readonly status: "running";
        readonly confirmed: string;
        readonly selectedOption?: WireOption;
        readonly content?: readonly WireToolContent[];
      })
  | (WireToolCallBase &
      WireInvocation &
      WireToolResult & {
        readonly status: "completed";
        readonly confirmed: string;
        readonly selectedOption?: WireOption;
      })
  | (WireToolCallBase &
      WireInvocation & {
        readonly status: "cancelled";
        readonly reason: "denied" | "skipped";
        readonly reasonMessage?: string;
        readonly userSuggestion?: WireChatMessage;
        readonly selectedOption?: WireOption;
      });

export interface WireInputRequest {
  readonly id: string;
  readonly message?: string;
  readonly url?: string;
  readonly questions?: readonly InputQuestion[];
  readonly answers?: InputAnswers;
}

export interface WireError {
  readonly errorType: string;
  readonly message: string;
  readonly _meta?: WireMeta | undefined;
}

export type WirePart =
  | { readonly kind: "markdown" | "reasoning"; readonly id: string; readonly content: string }
  | (WireContentRef & { readonly kind: "contentRef" })
  | { readonly kind: "systemNotification"; readonly content: string }
  | { readonly kind: "toolCall"; readonly toolCall: WireToolCall }
  | {
      readonly kind: "inputRequest";
      readonly request: WireInputRequest;
      readonly response?: InputResponse["response"];
    }
  | WireErrorPart;

export interface WireErrorPart {
  readonly kind: "error";
  readonly error: WireError;
  readonly resumable?: boolean;
}

export interface WireUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly model?: string;
  readonly _meta?: WireMeta;
}

export interface WireActiveTurn extends WireMessageField {
  readonly id: string;
  readonly startedAt?: string;
  readonly responseParts: readonly WirePart[];
  readonly usage?: WireUsage;
}

export interface WireTurn extends WireActiveTurn {
  readonly duration?: number;
  readonly state: OpenEnum<"complete" | "cancelled" | "error">;
  readonly error?: WireError;
}

/** Fields of a chat that every version has, wherever it keeps them. */
export interface WireConversation {
  readonly turns: readonly WireTurn[];
  readonly activeTurn?: WireActiveTurn;
  readonly steeringMessage?: WirePendingMessage;
  readonly queuedMessages?: readonly WirePendingMessage[];
  /** In the seed alone: the questions that wait for an answer. */
  readonly inputRequests?: readonly WireInputRequest[];
}
