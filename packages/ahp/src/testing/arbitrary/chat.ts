// Random actions of a chat.
import fc from "fast-check";
import type { ChatAction } from "../../model/chat/chat.ts";
import type { Confirmation, ToolFailure, ToolSuccess } from "../../model/chat/tool-call.ts";
import type { Turn } from "../../model/chat/turn.ts";
import {
  actionsOf,
  actors,
  approvals,
  decisions,
  errors,
  ids,
  inputRequests,
  limits,
  maybe,
  messages,
  pendingMessages,
  plans,
  sentParts,
  times,
  toolContents,
  words,
  type FieldsByType,
} from "./value.ts";

const turn = { turnId: ids("turn") };
const ended = { turnId: ids("turn"), endedAt: times, durationMs: fc.integer({ min: -5, max: 5 }) };
const call = { turnId: ids("turn"), toolCallId: ids("tool call") };
const text = { turnId: ids("turn"), partId: ids("part"), content: words };
const pendingKinds = fc.constantFrom("steering", "queued");

const confirmations: fc.Arbitrary<Confirmation> = fc.oneof(
  fc.constantFrom<Confirmation>({ kind: "not-needed" }, { kind: "setting" }),
  approvals.map((approval): Confirmation => ({ kind: "needed", approval })),
  decisions.map((decision): Confirmation => ({ kind: "denied", decision })),
);
const results = fc.constantFrom<ToolSuccess | ToolFailure>({ success: true }, { success: false });
const oldTurns: fc.Arbitrary<Turn> = fc.record({
  id: ids("turn", 6),
  startedAt: times,
  message: messages,
  responseParts: fc.constant([]),
  plans: fc.constant([]),
  endedAt: times,
  durationMs: fc.nat(),
  end: fc.constant({ state: "complete", stopReason: "end_turn" }),
});

/** The fields of each action of a chat. */
export const chatActionFields: FieldsByType<ChatAction> = {
  "chat/turnStarted": fc.record({
    ...turn,
    startedAt: times,
    message: messages,
    queuedMessageId: maybe(ids("pending message")),
  }),
  "chat/turnComplete": fc.record({ ...ended, stopReason: fc.constantFrom("end_turn", "refusal") }),
  "chat/turnCancelled": fc.record({ ...ended, by: actors, limit: maybe(limits) }),
  "chat/error": fc.record({ ...ended, error: errors, resumable: fc.boolean() }),
  "chat/turnInterrupted": fc.record({ ...ended, error: errors, resumable: fc.boolean() }),
  "chat/turnResume": fc.record(turn),
  "chat/truncated": fc.record({ turnId: maybe(ids("turn")) }),
  "chat/turnsLoaded": fc.record({
    turns: fc.uniqueArray(oldTurns, { maxLength: 3, selector: ({ id }) => id }),
  }),
  "chat/turnsOmitted": fc.record({ firstTurnId: ids("turn") }),
  "chat/responsePart": fc.record({ ...turn, part: sentParts }),
  "chat/delta": fc.record(text),
  "chat/reasoning": fc.record(text),
  "chat/textOmitted": fc.record({
    turnId: ids("turn"),
    partId: ids("part"),
    charCount: fc.nat({ max: 3 }),
  }),
  "chat/planChanged": fc.record({ ...turn, plan: plans }),
  "chat/planRemoved": fc.record({ ...turn, planId: ids("plan") }),
  "chat/usage": fc.record({
    ...turn,
    usage: fc.record({ inputTokens: fc.nat(), outputTokens: maybe(fc.nat()) }),
  }),
  "chat/toolCallStart": fc.record({
    ...call,
    toolName: words,
    displayName: words,
    toolKind: fc.constantFrom("read", "execute"),
    contributor: fc.constant({ kind: "agent" }),
    startedAt: maybe(times),
  }),
  "chat/toolCallUpdated": fc.record({
    ...call,
    changes: fc.record({ displayName: words, toolKind: maybe(words) }),
  }),
  "chat/toolCallReady": fc.record({
    ...call,
    invocationMessage: words,
    confirmation: confirmations,
    startedAt: maybe(times),
  }),
  "chat/toolCallConfirmed": fc.record({ ...call, decision: decisions }),
  "chat/toolCallContentChanged": fc.record({ ...call, content: toolContents }),
  "chat/toolCallComplete": fc.record({
    ...call,
    result: results,
    content: maybe(toolContents),
    endedAt: maybe(times),
  }),
  "chat/toolCallTerminalExited": fc.record({
    ...call,
    terminal: ids("terminal URI"),
    result: fc.record({ exit: fc.constant({ kind: "code", exitCode: 0 }), skippedBytes: fc.nat() }),
  }),
  "chat/inputRequested": fc.record({ ...turn, request: inputRequests }),
  "chat/inputAnswerChanged": fc.record({
    requestId: ids("input request"),
    questionId: words,
    answer: maybe(fc.constant({ state: "skipped" })),
  }),
  "chat/inputCompleted": fc.record({
    requestId: ids("input request"),
    response: fc.constantFrom("accept", "decline"),
    by: actors,
  }),
  "chat/pendingMessageSet": fc.record({ kind: pendingKinds, pending: pendingMessages }),
  "chat/pendingMessageRemoved": fc.record({ kind: pendingKinds, id: ids("pending message") }),
  "chat/queuedMessagesReordered": fc.record({ order: fc.array(ids("pending message")) }),
  "chat/draftChanged": fc.record({ draft: maybe(messages) }),
  "chat/titleChanged": fc.record({ title: words }),
  "chat/activityChanged": fc.record({ activity: maybe(words) }),
  "chat/isReadChanged": fc.record({ isRead: fc.boolean() }),
  "chat/isArchivedChanged": fc.record({ isArchived: fc.boolean() }),
  "chat/contextUsageChanged": fc.record({
    contextUsage: fc.record({ usedTokens: fc.nat(), sizeTokens: fc.nat() }),
  }),
  "chat/backgroundWorkSet": fc.record({
    work: fc.record({
      kind: fc.constant("shell"),
      id: ids("background work"),
      label: words,
      startedAt: times,
      command: words,
    }),
  }),
  "chat/backgroundWorkRemoved": fc.record({ id: ids("background work") }),
  "chat/agentUpdateReceived": fc.record({
    updateKind: fc.constantFrom("a", "b"),
    update: fc.constant({ deep: [1] }),
  }),
};

/** Any action of a chat; those that advance a turn are the most frequent. */
export const chatActions: fc.Arbitrary<ChatAction> = actionsOf<ChatAction>(chatActionFields, {
  "chat/turnStarted": 8,
  "chat/responsePart": 6,
  "chat/delta": 12,
  "chat/reasoning": 8,
  "chat/toolCallStart": 6,
  "chat/toolCallReady": 6,
  "chat/toolCallConfirmed": 6,
  "chat/inputRequested": 3,
});
