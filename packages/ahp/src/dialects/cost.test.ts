// Shows that a piece of text costs the same however long the chat and the turn already are.
import { expect, test } from "vitest";
import type { ChatAction } from "../model/chat/chat-actions.ts";
import { reduceChat } from "../model/chat/chat-reducer.ts";
import type { ChatState } from "../model/chat/chat.ts";
import { makeId } from "../model/ids.ts";
import { storyChat } from "../testing/turn-story.ts";
import type { Dialect } from "./dialect.ts";
import { advance } from "./projection.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v1_0 } from "./v1_0/v1-0.ts";

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
