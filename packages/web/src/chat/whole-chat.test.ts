// Turns that the page knows while a chat continues, loses older turns from the host's memory, and is paged through.
import { makeId, newChatState, reduceChat, type ChatState, type Turn } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { addEarlier, followTurns, NO_TURNS, type KnownTurns } from "./whole-chat.ts";

const at = "2026-01-01T00:00:00.000Z";
const empty = newChatState({ resource: makeId("chat URI", "ahp-chat:/a"), title: "", at });

function turn(number: number): Turn {
  return {
    id: makeId("turn", `${number}`),
    startedAt: at,
    endedAt: at,
    durationMs: 1,
    message: { text: `${number}`, origin: { kind: "user" } },
    responseParts: [],
    plans: [],
    end: { state: "failed", error: { code: "x", message: "x" }, resumable: true },
  };
}

function chatOf(first: number, last: number, turnsNextCursor?: string): ChatState {
  const turns = Array.from({ length: last - first + 1 }, (_, index) => turn(first + index));
  return { ...empty, turns, ...(turnsNextCursor !== undefined && { turnsNextCursor }) };
}

const idsOf = ({ turns }: KnownTurns): string => turns.map(({ id }) => id).join(" ");

test("[Z420] turns that leave the host's memory stay on the page", () => {
  const chat = chatOf(1, 6);
  const before = followTurns(NO_TURNS, chat);
  const omitted = reduceChat(chat, { type: "chat/turnsOmitted", firstTurnId: makeId("turn", "5") });
  const after = followTurns(before, omitted);
  expect(idsOf(after)).toBe("1 2 3 4 5 6");
  expect(after.nextCursor).toBeUndefined();
  expect(followTurns(after, omitted)).toBe(after);
  const resumed = reduceChat(omitted, { type: "chat/turnResume", turnId: makeId("turn", "6") });
  expect(idsOf(followTurns(after, resumed))).toBe("1 2 3 4 5");
});

test("[Z420] earlier turns are put before those that are known, once", () => {
  const known = followTurns(NO_TURNS, chatOf(5, 6, "5"));
  expect(known.nextCursor).toBe("5");
  const page = { turns: [turn(3), turn(4)], nextCursor: "3" };
  const more = addEarlier(known, "5", page);
  expect(idsOf(more)).toBe("3 4 5 6");
  expect(more.nextCursor).toBe("3");
  expect(addEarlier(more, "5", page)).toBe(more);
  const next = followTurns(more, chatOf(6, 7, "6"));
  expect(idsOf(next)).toBe("3 4 5 6 7");
  expect(next.nextCursor).toBe("3");
});

test("[Z420] after an absence in which many turns passed, there is no gap", () => {
  const known = followTurns(NO_TURNS, chatOf(1, 4));
  const later = followTurns(known, chatOf(9, 10, "9"));
  expect(idsOf(later)).toBe("9 10");
  expect(later.nextCursor).toBe("9");
  expect(idsOf(followTurns(later, empty))).toBe("");
});
