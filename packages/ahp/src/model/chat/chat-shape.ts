// The shapes of a chat's state and actions.
import { actorShape, errorInfoShape } from "../failure.ts";
import { limitFiredShape } from "../limit.ts";
import {
  count,
  flag,
  id,
  jsonObject,
  list,
  number,
  object,
  oneOf,
  optional,
  taggedUnion,
  text,
} from "../shape.ts";
import type { AgentUpdate, BackgroundWork, ChatAction, ChatPhase, ChatState, ContextUsage } from "./chat.ts";
import { inputAnswerShape, inputAnswersShape, inputRequestShape } from "./input-request.ts";
import { messageShape, pendingMessageShape } from "./message.ts";
import { toolCallActionFields } from "./tool-call-shape.ts";
import { activeTurnShape, planShape, sentPartShape, turnShape, turnUsageShape } from "./turn-shape.ts";
import type { TurnEnd, WaitingFor } from "./turn.ts";

const workShape = taggedUnion<BackgroundWork, "kind">("kind", {
  shell: {
    id: id("background work"),
    label: text,
    startedAt: text,
    command: text,
    terminal: optional(id("terminal URI")),
  },
  subagent: { id: id("background work"), label: text, startedAt: text, chat: id("chat URI") },
});

const contextUsageShape = object<ContextUsage>({
  usedTokens: count,
  sizeTokens: count,
  cost: optional(object({ amount: number, currency: text })),
});

export const chatPhaseShape = taggedUnion<ChatPhase, "status">("status", {
  idle: { lastTurn: optional(oneOf<TurnEnd["state"]>("complete", "cancelled", "failed", "interrupted")) },
  busy: { turnId: id("turn"), waitingFor: oneOf<WaitingFor>("model", "tool", "permission", "input") },
});

export const chatStateShape = object<ChatState>({
  resource: id("chat URI"),
  title: text,
  modifiedAt: text,
  isRead: flag,
  isArchived: flag,
  turns: list(turnShape),
  turnsNextCursor: optional(text),
  activeTurn: optional(activeTurnShape),
  steeringMessage: optional(pendingMessageShape),
  queuedMessages: list(pendingMessageShape),
  draft: optional(messageShape),
  activity: optional(text),
  backgroundWork: list(workShape),
  contextUsage: optional(contextUsageShape),
  agentUpdates: list(object<AgentUpdate>({ updateKind: text, update: jsonObject, count })),
});

const turn = { turnId: id("turn") };
const ended = { turnId: id("turn"), endedAt: text, durationMs: number };
const pendingKind = oneOf("steering", "queued");

export const chatActionShape = taggedUnion<ChatAction, "type">("type", {
  "chat/turnStarted": {
    ...turn,
    startedAt: text,
    message: messageShape,
    queuedMessageId: optional(id("pending message")),
  },
  "chat/turnComplete": { ...ended, stopReason: text, usage: optional(turnUsageShape) },
  "chat/turnCancelled": {
    ...ended,
    by: actorShape,
    reason: optional(text),
    limit: optional(limitFiredShape),
  },
  "chat/error": { ...ended, error: errorInfoShape, resumable: flag, limit: optional(limitFiredShape) },
  "chat/turnInterrupted": { ...ended, error: errorInfoShape, resumable: flag },
  "chat/turnResume": turn,
  "chat/truncated": { turnId: optional(id("turn")) },
  "chat/turnsLoaded": { turns: list(turnShape), turnsNextCursor: optional(text) },
  "chat/turnsOmitted": { firstTurnId: id("turn") },
  "chat/responsePart": { ...turn, part: sentPartShape },
  "chat/delta": { ...turn, partId: id("part"), content: text },
  "chat/reasoning": { ...turn, partId: id("part"), content: text },
  "chat/textOmitted": { ...turn, partId: id("part"), charCount: count },
  "chat/planChanged": { ...turn, plan: planShape },
  "chat/planRemoved": { ...turn, planId: id("plan") },
  "chat/usage": { ...turn, usage: turnUsageShape },
  ...toolCallActionFields,
  "chat/inputRequested": { ...turn, request: inputRequestShape },
  "chat/inputAnswerChanged": {
    requestId: id("input request"),
    questionId: text,
    answer: optional(inputAnswerShape),
  },
  "chat/inputCompleted": {
    requestId: id("input request"),
    answers: optional(inputAnswersShape),
    response: oneOf("accept", "decline", "cancel"),
    by: actorShape,
  },
  "chat/pendingMessageSet": { kind: pendingKind, pending: pendingMessageShape },
  "chat/pendingMessageRemoved": { kind: pendingKind, id: id("pending message") },
  "chat/queuedMessagesReordered": { order: list(id("pending message")) },
  "chat/draftChanged": { draft: optional(messageShape) },
  "chat/titleChanged": { title: text },
  "chat/activityChanged": { activity: optional(text) },
  "chat/isReadChanged": { isRead: flag },
  "chat/isArchivedChanged": { isArchived: flag },
  "chat/contextUsageChanged": { contextUsage: contextUsageShape },
  "chat/backgroundWorkSet": { work: workShape },
  "chat/backgroundWorkRemoved": { id: id("background work") },
  "chat/agentUpdateReceived": { updateKind: text, update: jsonObject },
});
