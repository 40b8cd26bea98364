// A turn: what was asked, what came back, and how it ended.
import type { Actor, ErrorInfo, LimitFired } from "../failure.ts";
import type { NoticeId, PartId, PlanId, TurnId } from "../ids.ts";
import type { OpenEnum, Timestamp, Uri } from "../json.ts";
import type { InputRequest, InputResponse } from "./input-request.ts";
import type { Message } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";

interface TurnContent {
  readonly id: TurnId;
  readonly startedAt: Timestamp;
  readonly message: Message;
  readonly responseParts: readonly ResponsePart[];
  readonly plans: readonly Plan[];
  readonly usage?: TurnUsage;
}

/** A turn that has ended. */
export interface Turn extends TurnContent {
  readonly endedAt: Timestamp;
  readonly durationMs: number;
  readonly end: TurnEnd;
}

/** The turn that is going on. */
export interface ActiveTurn extends TurnContent {
  /**
   * The text part that is being written, the last one of the turn.
   * It is kept apart from `responseParts` so that a piece of text copies no list.
   */
  readonly openPart?: TextPart;
  readonly waits: TurnWaits;
}

/** What a running turn waits for. */
export type WaitingFor = "model" | "tool" | "permission" | "input";

/** How many parts of a turn wait for what; kept as numbers so that nobody has to look through the parts. */
export interface TurnWaits {
  readonly permission: number;
  readonly input: number;
  readonly tool: number;
}

/** How a turn ended. */
export type TurnEnd =
  | { readonly state: "complete"; readonly stopReason: StopReason }
  | { readonly state: "cancelled"; readonly by: Actor; readonly reason?: string; readonly limit?: LimitFired }
  | {
      readonly state: "failed";
      readonly error: ErrorInfo;
      readonly resumable: boolean;
      readonly limit?: LimitFired;
    }
  /** The host or its machine stopped in mid-turn; what was said so far is kept. */
  | { readonly state: "interrupted"; readonly error: ErrorInfo; readonly resumable: boolean };

/** Why an agent stopped of itself, in ACP's words. */
export type StopReason = OpenEnum<"end_turn" | "max_tokens" | "max_turn_requests" | "refusal">;

/** Tokens that a turn used. */
export interface TurnUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly thoughtTokens?: number;
  readonly totalTokens?: number;
  readonly model?: string;
}

/** A plan that an agent keeps during a turn. */
export type Plan =
  | { readonly kind: "entries"; readonly id: PlanId; readonly entries: readonly PlanEntry[] }
  | { readonly kind: "markdown"; readonly id: PlanId; readonly content: string };

/** One step of a plan. */
export interface PlanEntry {
  readonly content: string;
  readonly priority: OpenEnum<"high" | "medium" | "low">;
  readonly status: OpenEnum<"pending" | "in_progress" | "completed">;
}

/** Something worth telling a person that is neither an answer nor an error. */
export interface Notice {
  readonly id: NoticeId;
  readonly at: Timestamp;
  readonly severity: OpenEnum<"info" | "warning" | "error">;
  readonly title: string;
  readonly description?: string;
}

/** A part that text is appended to: the answer, or the thought behind it. */
export type TextPart =
  | { readonly kind: "markdown"; readonly id: PartId; readonly content: string }
  | { readonly kind: "reasoning"; readonly id: PartId; readonly content: string };

/** A part that is whole when it appears. */
export type WholePart =
  /** A picture, a sound or a file in the answer, to be read from its URI. */
  | {
      readonly kind: "contentRef";
      readonly id: PartId;
      readonly uri: Uri;
      readonly contentType?: string;
      readonly sizeBytes?: number;
    }
  | { readonly kind: "systemNotification"; readonly notice: Notice };

/** A tool call in its place among the parts. */
export interface ToolCallPart {
  readonly kind: "toolCall";
  readonly toolCall: ToolCall;
}

/** A question to a person in its place among the parts. */
export interface InputRequestPart {
  readonly kind: "inputRequest";
  readonly request: InputRequest;
  readonly response?: InputResponse;
}

/** One part of what came back. */
export type ResponsePart = TextPart | WholePart | ToolCallPart | InputRequestPart;

/** The waits of a turn in which nothing is open. */
export const NO_WAITS: TurnWaits = { permission: 0, input: 0, tool: 0 };

/** What a turn waits for: permission counts for more than a question, a question for more than a tool (M18). */
export function waitingFor({ waits }: ActiveTurn): WaitingFor {
  if (waits.permission > 0) return "permission";
  if (waits.input > 0) return "input";
  return waits.tool > 0 ? "tool" : "model";
}

/** All parts of a turn in their order, the one being written included. */
export function turnParts(turn: Turn | ActiveTurn): readonly ResponsePart[] {
  return "openPart" in turn && turn.openPart ? [...turn.responseParts, turn.openPart] : turn.responseParts;
}
