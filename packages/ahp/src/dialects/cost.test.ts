// Shows that a piece of text and a tool call cost the same however long the chat and the turn already are.
import { expect, test } from "vitest";
import type { ChatAction, ChatState } from "../model/chat/chat.ts";
import { reduceChat } from "../model/chat/chat-reducer.ts";
import { makeId } from "../model/ids.ts";
import { storyChat } from "../testing/turn-story.ts";
import type { Dialect } from "./dialect.ts";
import { holdfast } from "./holdfast.ts";
import { ChannelProjection, advance } from "./projection.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_9, v1_0 } from "./v1_0/v1-0.ts";

const turnId = makeId("turn", "long");
const partId = makeId("part", "open");
const delta: ChatAction = { type: "chat/delta", turnId, partId, content: "x" };

test.each([v1_0, v0_1])(
  "[E9] $name shows a piece of text without a look at the rest of the chat",
  (dialect) => {
    const short = touches(dialect, chatOf(1));
    expect(touches(dialect, chatOf(500))).toBe(short);
  },
);

test.each([holdfast, v1_0, v0_9, v0_1])(
  "[E240] $name shows a tool call at the same cost in a turn of 16,000 calls as in one of 1,000",
  (dialect) => {
    const [short, long] = [1000, 16_000].map((calls) => projectionAfter(dialect, calls));
    let shortMs = Number.POSITIVE_INFINITY;
    let longMs = Number.POSITIVE_INFINITY;
    // The best of many: on a loaded machine another process has the processor in most of them.
    for (let round = 0; round < 8 || (round < 40 && longMs >= 3 * shortMs); round += 1) {
      shortMs = Math.min(shortMs, callsMs(short));
      longMs = Math.min(longMs, callsMs(long));
    }
    expect(longMs / shortMs).toBeLessThan(3);
  },
);

let lastCall = 0;

function projectionAfter(dialect: Dialect, calls: number): ChannelProjection {
  const projection = new ChannelProjection(dialect, { kind: "chat", state: chatOf(1) }, 0);
  showCalls(projection, calls);
  return projection;
}

function callsMs(projection: ChannelProjection | undefined): number {
  const startedMs = performance.now();
  if (projection) showCalls(projection, 200);
  return performance.now() - startedMs;
}

function showCalls(projection: ChannelProjection, count: number): void {
  for (let index = 0; index < count; index += 1) {
    lastCall += 1;
    const call = { turnId, toolCallId: makeId("tool call", `call-${lastCall}`) };
    const about = { toolName: "read", displayName: "Read", toolKind: "read" } as const;
    const actions: ChatAction[] = [
      { type: "chat/toolCallStart", ...call, ...about, contributor: { kind: "agent" } },
      { type: "chat/toolCallReady", ...call, invocationMessage: "", confirmation: { kind: "not-needed" } },
      { type: "chat/toolCallComplete", ...call, result: { success: true } },
    ];
    for (const action of actions) {
      const entry = { channel: storyChat.resource, serverSeq: projection.seq + 1, action };
      if ((projection.show(entry) ?? []).length === 0) throw new Error("Nothing was shown.");
    }
  }
}

function chatOf(parts: number): ChatState {
  const actions: ChatAction[] = [
    { type: "chat/turnStarted", turnId, startedAt: "", message: { text: "", origin: { kind: "user" } } },
  ];
  for (let index = 1; index < parts; index += 1) {
    const part = { kind: "markdown", id: makeId("part", `p${index}`), content: "text" } as const;
    actions.push({ type: "chat/responsePart", turnId, part });
  }
  actions.push({ type: "chat/responsePart", turnId, part: { kind: "markdown", id: partId, content: "" } });
  return actions.reduce(reduceChat, storyChat);
}

/** How many fields of the states are looked at while one piece of text is shown. */
function touches(dialect: Dialect, chat: ChatState): number {
  let count = 0;
  const watched = <Value>(value: Value): Value =>
    typeof value === "object" && value !== null
      ? new Proxy(value, {
          get(target, key, receiver) {
            count += 1;
            return watched(Reflect.get(target, key, receiver));
          },
        })
      : value;
  const step = advance({ kind: "chat", state: chat }, delta);
  if (step?.kind !== "chat") throw new Error("There is no step.");
  const entry = { channel: chat.resource, serverSeq: 1 };
  const messages = dialect.showAction(entry, {
    ...step,
    before: watched(step.before),
    after: watched(step.after),
  });
  expect(messages).toHaveLength(1);
  return count;
}
