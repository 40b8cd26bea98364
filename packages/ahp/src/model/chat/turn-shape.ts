// The shapes of turns and their parts.
import { actorShape, errorInfoShape } from "../failure.ts";
import { limitFiredShape } from "../limit.ts";
import {
  checkShape,
  count,
  flag,
  id,
  list,
  number,
  object,
  oneOf,
  optional,
  taggedUnion,
  text,
  type Checked,
} from "../shape.ts";
import { inputRequestShape, type InputResponse } from "./input-request.ts";
import { messageShape, requestMarkShape } from "./message.ts";
import { PartList } from "./part-list.ts";
import { toolCallShape } from "./tool-call-shape.ts";
import type {
  ActiveTurn,
  Notice,
  Plan,
  PlanEntry,
  ResponsePart,
  TextPart,
  Turn,
  TurnEnd,
  TurnUsage,
  TurnWaits,
  WholePart,
  JoinedMessage,
} from "./turn.ts";

export const turnUsageShape = object<TurnUsage>({
  inputTokens: optional(count),
  outputTokens: optional(count),
  cacheReadTokens: optional(count),
  cacheWriteTokens: optional(count),
  thoughtTokens: optional(count),
  totalTokens: optional(count),
  model: optional(text),
});

export const planShape = taggedUnion<Plan, "kind">("kind", {
  entries: {
    id: id("plan"),
    entries: list(object<PlanEntry>({ content: text, priority: text, status: text })),
  },
  markdown: { id: id("plan"), content: text },
});

export const noticeShape = object<Notice>({
  id: id("notice"),
  at: text,
  severity: text,
  title: text,
  description: optional(text),
});

const inputResponseShape = object<InputResponse>({
  response: oneOf("accept", "decline", "cancel"),
  by: actorShape,
});

const joinedMessageShape = object<JoinedMessage>({
  id: id("pending message"),
  request: optional(requestMarkShape),
});

const textParts = {
  markdown: {
    id: id("part"),
    content: text,
    omittedChars: optional(count),
    repeats: optional(id("tool call")),
  },
  reasoning: { id: id("part"), content: text, omittedChars: optional(count) },
};
const wholeParts = {
  contentRef: {
    id: id("part"),
    uri: text,
    contentType: optional(text),
    sizeBytes: optional(count),
    name: optional(text),
  },
  systemNotification: { notice: noticeShape, joined: optional(joinedMessageShape) },
};

export const sentPartShape = taggedUnion<TextPart | WholePart, "kind">("kind", {
  ...textParts,
  ...wholeParts,
});

const partShape = taggedUnion<ResponsePart, "kind">("kind", {
  ...textParts,
  ...wholeParts,
  toolCall: { toolCall: toolCallShape },
  inputRequest: { request: inputRequestShape, response: optional(inputResponseShape) },
});

const partsShape = list(partShape);

const endShape = taggedUnion<TurnEnd, "state">("state", {
  complete: { stopReason: text },
  cancelled: { by: actorShape, reason: optional(text), limit: optional(limitFiredShape) },
  failed: { error: errorInfoShape, resumable: flag, limit: optional(limitFiredShape) },
  interrupted: { error: errorInfoShape, resumable: flag },
});

const turnContent = {
  id: id("turn"),
  startedAt: text,
  message: messageShape,
  plans: list(planShape),
  usage: optional(turnUsageShape),
};

export const turnShape = object<Turn>({
  ...turnContent,
  responseParts: partsShape,
  endedAt: text,
  durationMs: number,
  end: endShape,
});

/** A value that was written down, as a turn that has ended. */
export function checkTurn(value: unknown): Checked<Turn> {
  return checkShape(turnShape, value);
}

export const activeTurnShape = object<ActiveTurn>({
  ...turnContent,
  responseParts: (value, trail): value is PartList | readonly ResponsePart[] =>
    partsShape(value instanceof PartList ? value.toArray() : value, trail),
  openPart: optional(taggedUnion<TextPart, "kind">("kind", textParts)),
  waits: object<TurnWaits>({ permission: count, input: count, tool: count }),
});
