// A turn: its message, the agent's response, and its end.
import type { Actor, ErrorInfo } from "../failure.ts";
import type { LimitFired } from "../limit.ts";
import type { NoticeId, PartId, PendingMessageId, PlanId, ToolCallId, TurnId } from "../ids.ts";
import type { OpenEnum, Timestamp, Uri } from "../json.ts";
import type { InputRequest, InputResponse } from "./input-request.ts";
import type { Message, RequestMark } from "./message.ts";
import { PartList, type PartGroup } from "./part-list.ts";
import type { ToolCall } from "./tool-call.ts";

interface TurnContent {
  readonly id: TurnId;
  readonly startedAt: Timestamp;
  readonly message: Message;
  readonly plans: readonly Plan[];
  readonly usage?: TurnUsage;
}

/** A turn that has ended. */
export interface Turn extends TurnContent {
  readonly responseParts: readonly ResponsePart[];
  readonly endedAt: Timestamp;
  readonly durationMs: number;
  readonly end: TurnEnd;
}

/** The running turn. */
export interface ActiveTurn extends TurnContent {
  /** A plain list where it was read from JSON, and from the first change on one that is not copied by each change. */
  readonly responseParts: PartList | readonly ResponsePart[];
  /**
   * The text part that is being written, the last one of the turn.
   * It is kept apart from `responseParts` so that a piece of text copies no list.
   */
  readonly openPart?: TextPart;
  readonly waits: TurnWaits;
}

/** The reason why a running turn waits. */
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
  /** The host or its machine stopped in mid-turn; everything up to then is kept. */
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
  readonly status: OpenEnum<"pending" | "in_progress" | "completed" | "failed">;
}

/** A message for people that is neither a response nor an error. */
export interface Notice {
  readonly id: NoticeId;
  readonly at: Timestamp;
  readonly severity: OpenEnum<"info" | "warning" | "error">;
  readonly title: string;
  readonly description?: string;
}

/** A part that text is appended to: the answer, or the thought behind it. */
export type TextPart =
  | ({
      readonly kind: "markdown";
      /** The tool call whose terminal shows the same already. */
      readonly repeats?: ToolCallId;
    } & PartText)
  | ({ readonly kind: "reasoning" } & PartText);

interface PartText {
  readonly id: PartId;
  readonly content: string;
  /** How many characters before `content` were left out of the state; the log of the turn has them. */
  readonly omittedChars?: number;
}

/** A part that is whole when it appears. */
export type WholePart =
  /** A picture, a sound or a file in the answer, to be read from its URI. */
  | {
      readonly kind: "contentRef";
      readonly id: PartId;
      readonly uri: Uri;
      readonly contentType?: string;
      readonly sizeBytes?: number;
      /** The agent's name for it. */
      readonly name?: string;
    }
  | {
      readonly kind: "systemNotification";
      readonly notice: Notice;
      /** The message that the notice shows. */
      readonly joined?: JoinedMessage;
    };

/** A message that the agent took into the running turn. */
export interface JoinedMessage {
  /** Its id while it waited. */
  readonly id: PendingMessageId;
  readonly request?: RequestMark;
}

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

export const NO_WAITS: TurnWaits = { permission: 0, input: 0, tool: 0 };

/** The reason why a turn waits: permission outranks a question, a question outranks a tool (M18). */
export function waitingFor({ waits }: ActiveTurn): WaitingFor {
  if (waits.permission > 0) return "permission";
  if (waits.input > 0) return "input";
  return waits.tool > 0 ? "tool" : "model";
}

/** All parts of a turn in their order, the one being written included. Costs a copy of the list: not for each update. */
export function turnParts(turn: Turn | ActiveTurn): readonly ResponsePart[] {
  const { responseParts } = turn;
  const parts = responseParts instanceof PartList ? responseParts.toArray() : responseParts;
  return "openPart" in turn && turn.openPart ? [...parts, turn.openPart] : parts;
}

/** The messages that joined a turn. */
export function joinedMessages(turn: Turn | ActiveTurn): readonly JoinedMessage[] {
  return turnParts(turn).flatMap((part) =>
    part.kind === "systemNotification" && part.joined !== undefined ? [part.joined] : [],
  );
}

/** A tool call of the running turn, at the same cost however many there are. */
export function findToolCall(turn: ActiveTurn | undefined, toolCallId: string): ToolCall | undefined {
  const part = findPart(turn, "toolCall", toolCallId);
  return part?.kind === "toolCall" ? part.toolCall : undefined;
}

/** A question of the running turn. */
export function findInputRequest(turn: ActiveTurn | undefined, id: string): InputRequestPart | undefined {
  const part = findPart(turn, "inputRequest", id);
  return part?.kind === "inputRequest" ? part : undefined;
}

/** A text part of the running turn, the one being written included. */
export function findTextPart(turn: ActiveTurn | undefined, id: string): TextPart | undefined {
  const part = turn?.openPart?.id === id ? turn.openPart : findPart(turn, "other", id);
  return part?.kind === "markdown" || part?.kind === "reasoning" ? part : undefined;
}

function findPart(turn: ActiveTurn | undefined, group: PartGroup, id: string): ResponsePart | undefined {
  if (turn === undefined) return undefined;
  const parts = PartList.of(turn.responseParts);
  return parts.at(parts.placeOf(group, id));
}
