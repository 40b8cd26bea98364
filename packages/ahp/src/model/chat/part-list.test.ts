// The parts of a running turn against a plain list, and what a change of one costs in a long turn.
import fc from "fast-check";
import { expect, test } from "vitest";
import { storyChat } from "../../testing/turn-story.ts";
import { makeId } from "../ids.ts";
import { PersistentList } from "../persistent-list.ts";
import type { ChatAction, ChatState } from "./chat.ts";
import { reduceChat } from "./chat-reducer.ts";
import { PartList } from "./part-list.ts";
import { findToolCall, type ResponsePart } from "./turn.ts";

const turnId = makeId("turn", "long");

test("[M241] a list of any length equals a plain list after any run of changes, and so do all earlier versions", () => {
  const changes = fc.array(fc.record({ place: fc.option(fc.nat()), value: fc.nat() }), {
    maxLength: 80,
    size: "max",
  });
  fc.assert(
    fc.property(fc.nat({ max: 3000 }), changes, (length, wanted) => {
      const start = Array.from({ length }, (_, index) => index);
      const versions = [{ list: PersistentList.from(start), plain: start }];
      for (const { place, value } of wanted) {
        const { list, plain } = versions.at(-1) ?? { list: PersistentList.from<number>([]), plain: [] };
        const isChange = place !== null && plain.length > 0;
        const index = isChange ? place % plain.length : plain.length;
        versions.push({
          list: isChange ? list.with(index, value) : list.append(value),
          plain: isChange ? plain.with(index, value) : [...plain, value],
        });
      }
      for (const { list, plain } of [...versions.slice(0, 2), ...versions.slice(-2)]) {
        expect(list.toArray()).toEqual(plain);
        expect([...list]).toEqual(plain);
        expect(list.at(plain.length)).toBeUndefined();
        expect(list.at(plain.length - 1)).toBe(plain.at(-1));
      }
    }),
    { numRuns: 50 },
  );
});

test("[M241] two lists that grew from one find their own parts alone", () => {
  const common = PartList.of([partOf("a"), partOf("b")]);
  const left = common.append(partOf("left")).append(partOf("c"));
  const right = common.append(partOf("c")).append(partOf("right"));
  expect(["a", "left", "c", "right"].map((id) => left.placeOf("other", id))).toEqual([0, 2, 3, -1]);
  expect(["a", "left", "c", "right"].map((id) => right.placeOf("other", id))).toEqual([0, -1, 2, 3]);
  expect(["a", "left", "c", "right"].map((id) => common.placeOf("other", id))).toEqual([0, -1, -1, -1]);
});

test("[M241] as JSON the parts of a running turn are a plain list, and a state read from it continues the same", () => {
  const live = chatWith(40);
  const stored = JSON.parse(JSON.stringify(live)) as ChatState;
  expect(Array.isArray(stored.activeTurn?.responseParts)).toBe(true);
  const next = callActions("next");
  const [fromLive, fromStored] = [live, stored].map((state) => next.reduce(reduceChat, state));
  expect(JSON.stringify(fromStored)).toBe(JSON.stringify(fromLive));
  expect(findToolCall(fromStored?.activeTurn, "call-7")?.status).toBe("completed");
});

test("[M240] a tool call costs the same in a turn of 16,000 calls as in one of 1,000", () => {
  const short = chatWith(1000);
  const long = chatWith(16_000);
  callsMs(short);
  // The best of several: another process may have the processor in any one of them.
  const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 5 || (round < 25 && best.long / best.short >= 3); round += 1) {
    best.short = Math.min(best.short, callsMs(short));
    best.long = Math.min(best.long, callsMs(long));
  }
  expect(best.long / best.short).toBeLessThan(3);
});

function partOf(id: string): ResponsePart {
  return { kind: "markdown", id: makeId("part", id), content: "" };
}

function callActions(id: string): ChatAction[] {
  const call = { turnId, toolCallId: makeId("tool call", id) };
  return [
    {
      type: "chat/toolCallStart",
      ...call,
      toolName: id,
      displayName: id,
      toolKind: "read",
      contributor: { kind: "agent" },
    },
    { type: "chat/toolCallReady", ...call, invocationMessage: "", confirmation: { kind: "not-needed" } },
    { type: "chat/toolCallComplete", ...call, result: { success: true } },
  ];
}

function chatWith(calls: number): ChatState {
  const started = reduceChat(storyChat, {
    type: "chat/turnStarted",
    turnId,
    startedAt: "",
    message: { text: "", origin: { kind: "user" } },
  });
  const ids = Array.from({ length: calls }, (_, index) => `call-${index}`);
  return ids.flatMap(callActions).reduce(reduceChat, started);
}

/** How long 500 more calls take. */
function callsMs(chat: ChatState): number {
  // One fork of the index, which a real turn never pays for, is left out of the time.
  const forked = callActions("fork").reduce(reduceChat, chat);
  const actions = Array.from({ length: 500 }, (_, index) => `more-${index}`).flatMap(callActions);
  const startedMs = performance.now();
  actions.reduce(reduceChat, forked);
  return performance.now() - startedMs;
}
