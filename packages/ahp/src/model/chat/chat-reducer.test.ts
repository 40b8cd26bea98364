// Properties of chats alone: text, sharing, and that nothing stays open.
import fc from "fast-check";
import { expect, test } from "vitest";
import { chatActions } from "../../testing/arbitrary/chat.ts";
import { newStates } from "../../testing/states.ts";
import { makeId } from "../ids.ts";
import { chatPhase, summarizeChat, type ChatAction, type ChatState } from "./chat.ts";
import { mergeChatActions, reduceChat } from "./chat-reducer.ts";
import { isUnfinished } from "./tool-call.ts";
import { findTextPart, turnParts, type Turn } from "./turn.ts";

const turnId = makeId("turn", "t1");
const answer = makeId("part", "answer");
const thought = makeId("part", "thought");
const preface = makeId("part", "preface");
const message = { text: "hello", origin: { kind: "user" } };
const startedAt = "2026-01-01T00:00:01.000Z";

const started = run(newStates.chat, [
  { type: "chat/turnStarted", turnId, startedAt, message },
  { type: "chat/responsePart", turnId, part: { kind: "reasoning", id: thought, content: "" } },
  { type: "chat/responsePart", turnId, part: { kind: "markdown", id: preface, content: "" } },
  { type: "chat/responsePart", turnId, part: { kind: "markdown", id: answer, content: "" } },
]);

type TextAction = Extract<ChatAction, { type: "chat/delta" | "chat/reasoning" }>;

const content = fc.string({ unit: "grapheme" });
const pieces: fc.Arbitrary<TextAction[]> = fc.array(
  fc.oneof(
    content.map((piece): TextAction => ({ type: "chat/delta", turnId, partId: answer, content: piece })),
    content.map((piece): TextAction => ({ type: "chat/delta", turnId, partId: preface, content: piece })),
    content.map((piece): TextAction => ({ type: "chat/reasoning", turnId, partId: thought, content: piece })),
  ),
  { maxLength: 80, size: "max" },
);

test("[M6] text that comes in pieces is the same text when the pieces are joined before they are applied", () => {
  fc.assert(
    fc.property(pieces, (actions) => {
      const joined: ChatAction[] = [];
      for (const action of actions) {
        const last = joined.at(-1);
        const both = last && mergeChatActions(last, action);
        joined.splice(both ? -1 : joined.length, 1, both ?? action);
      }
      const changes = actions.filter((action, index) => action.partId !== actions[index - 1]?.partId);
      expect(joined).toHaveLength(changes.length);
      expect(run(started, joined)).toEqual(run(started, actions));
      const text = actions.map((action) => (action.partId === answer ? action.content : "")).join("");
      expect(run(started, actions).activeTurn?.openPart?.content).toBe(text);
    }),
  );
});

test("[M5] a piece of text leaves the turns, the earlier parts and everything else as the same objects", () => {
  const history = Array.from({ length: 3 }, (_, index) => endedTurn(`old-${index}`));
  const before: ChatState = { ...started, turns: history };
  const after = reduceChat(before, { type: "chat/delta", turnId, partId: answer, content: "hi" });
  expect(after).not.toBe(before);
  expect(after.turns).toBe(before.turns);
  expect(after.activeTurn?.responseParts).toBe(before.activeTurn?.responseParts);
  expect(after.activeTurn?.message).toBe(before.activeTurn?.message);
  expect(after.queuedMessages).toBe(before.queuedMessages);
});

test("[M5] a change of one tool call leaves the other parts as the same objects", () => {
  const [first, second] = [makeId("tool call", "a"), makeId("tool call", "b")];
  const before = run(started, [toolCallStart(first), toolCallStart(second)]);
  const after = reduceChat(before, {
    type: "chat/toolCallUpdated",
    turnId,
    toolCallId: second,
    changes: { displayName: "New" },
  });
  const [was, is] = [before.activeTurn, after.activeTurn].map((turn) => (turn ? turnParts(turn) : []));
  expect(is).toHaveLength(5);
  expect(is?.map((part, index) => part === was?.[index])).toEqual([true, true, true, true, false]);
});

test("[M242] text that is left out of a part is counted, and the rest continues", () => {
  const omitted = run(started, [
    { type: "chat/delta", turnId, partId: answer, content: "0123456789" },
    { type: "chat/textOmitted", turnId, partId: answer, charCount: 4 },
    { type: "chat/textOmitted", turnId, partId: answer, charCount: 3 },
    { type: "chat/delta", turnId, partId: answer, content: "ab" },
  ]);
  expect(findTextPart(omitted.activeTurn, answer)).toMatchObject({ content: "789ab", omittedChars: 7 });
  const tooMuch = { type: "chat/textOmitted", turnId, partId: answer, charCount: 6 } as const;
  expect(reduceChat(omitted, tooMuch)).toBe(omitted);
  const closed = run(omitted, [toolCallStart(makeId("tool call", "a")), { ...tooMuch, charCount: 5 }]);
  expect(findTextPart(closed.activeTurn, answer)).toMatchObject({ content: "", omittedChars: 12 });
});

test("[M10] whatever happens, no ended turn holds a tool call or a question that is still open", () => {
  fc.assert(
    fc.property(fc.array(chatActions, { maxLength: 80, size: "max" }), (actions) => {
      for (const turn of run(newStates.chat, actions).turns) {
        for (const part of turn.responseParts) {
          if (part.kind === "toolCall") expect(isUnfinished(part.toolCall)).toBe(false);
          if (part.kind === "inputRequest") expect(part.response).toBeDefined();
        }
      }
    }),
  );
});

test("[M18] whatever happens, what a turn waits for is what its parts say", () => {
  fc.assert(
    fc.property(fc.array(chatActions, { maxLength: 80, size: "max" }), (actions) => {
      const { activeTurn } = run(newStates.chat, actions);
      if (!activeTurn) return;
      const parts = turnParts(activeTurn);
      const inStatus = (status: string): number =>
        parts.filter((part) => part.kind === "toolCall" && part.toolCall.status === status).length;
      const questions = parts.filter((part) => part.kind === "inputRequest" && !part.response).length;
      expect(activeTurn.waits).toEqual({
        permission: inStatus("pending-confirmation"),
        input: questions,
        tool: inStatus("running"),
      });
    }),
  );
});

test.each([
  [{ permission: 1, input: 1, tool: 1 }, "permission"],
  [{ permission: 0, input: 1, tool: 1 }, "input"],
  [{ permission: 0, input: 0, tool: 1 }, "tool"],
  [{ permission: 0, input: 0, tool: 0 }, "model"],
])("[M18] a turn with the waits %j waits for %s", (waits, expected) => {
  const chat: ChatState = { ...started, activeTurn: started.activeTurn && { ...started.activeTurn, waits } };
  expect(chatPhase(chat)).toEqual({ status: "busy", turnId, waitingFor: expected });
});

test("[M8] whatever happens, no turn is there twice", () => {
  fc.assert(
    fc.property(fc.array(chatActions, { maxLength: 80, size: "max" }), (actions) => {
      const { turns, activeTurn } = run(newStates.chat, actions);
      const ids = [...turns, ...(activeTurn ? [activeTurn] : [])].map((turn) => turn.id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

test("[M29] a chat says whether it is busy, and how its last turn ended", () => {
  expect(chatPhase(newStates.chat)).toEqual({ status: "idle", lastTurn: undefined });
  expect(chatPhase(started)).toEqual({ status: "busy", turnId, waitingFor: "model" });
  const failed = reduceChat(started, {
    type: "chat/error",
    turnId,
    endedAt: startedAt,
    durationMs: 1,
    error: { code: "x", message: "x" },
    resumable: false,
  });
  expect(summarizeChat(failed)).toMatchObject({
    resource: failed.resource,
    modifiedAt: startedAt,
    phase: { status: "idle", lastTurn: "failed" },
  });
});

function run(chat: ChatState, actions: readonly ChatAction[]): ChatState {
  return actions.reduce(reduceChat, chat);
}

function toolCallStart(
  toolCallId: Extract<ChatAction, { type: "chat/toolCallStart" }>["toolCallId"],
): ChatAction {
  return {
    type: "chat/toolCallStart",
    turnId,
    toolCallId,
    toolName: "bash",
    displayName: "Run",
    toolKind: "execute",
    contributor: { kind: "agent" },
  };
}

function endedTurn(name: string): Turn {
  return {
    id: makeId("turn", name),
    startedAt,
    endedAt: startedAt,
    durationMs: 0,
    message,
    responseParts: [],
    plans: [],
    end: { state: "complete", stopReason: "end_turn" },
  };
}
