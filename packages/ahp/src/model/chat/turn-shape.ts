// The shapes of turns and their parts.
import { actorShape, errorInfoShape, limitFiredShape } from "../failure-shape.ts";
import { count, flag, id, list, number, object, oneOf, optional, taggedUnion, text } from "../shape.ts";
import { inputRequestShape } from "./input-request-shape.ts";
import type { InputResponse } from "./input-request.ts";
import { messageShape } from "./message-shape.ts";
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
} from "./turn.ts";

/** The shape of the tokens that a turn used. */
export const turnUsageShape = object<TurnUsage>({
  inputTokens: optional(count),
  outputTokens: optional(count),
  cacheReadTokens: optional(count),
  cacheWriteTokens: optional(count),
  thoughtTokens: optional(count),
  totalTokens: optional(count),
  model: optional(text),
});

/** The shape of a plan. */
export const planShape = taggedUnion<Plan, "kind">("kind", {
  entries: {
    id: id("plan"),
    entries: list(object<PlanEntry>({ content: text, priority: text, status: text })),
  },
  markdown: { id: id("plan"), content: text },
});

/** The shape of a notice. */
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

const textParts = {
  markdown: { id: id("part"), content: text },
  reasoning: { id: id("part"), content: text },
};
const wholeParts = {
  contentRef: { id: id("part"), uri: text, contentType: optional(text), sizeBytes: optional(count) },
  systemNotification: { notice: noticeShape },
};

/** The shape of a part that an agent can send. */
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
  responseParts: list(partShape),
  plans: list(planShape),
  usage: optional(turnUsageShape),
};

/** The shape of a turn that has ended. */
export const turnShape = object<Turn>({ ...turnContent, endedAt: text, durationMs: number, end: endShape });

/** The shape of the turn that is going on. */
export const activeTurnShape = object<ActiveTurn>({
  ...turnContent,
  openPart: optional(taggedUnion<TextPart, "kind">("kind", textParts)),
  waits: object<TurnWaits>({ permission: count, input: count, tool: count }),
});
