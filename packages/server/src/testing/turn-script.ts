// A turn with something of everything that is told, step by step.
import { makeId } from "@holdfast/ahp";
import type { SmallHost } from "./small-host.ts";
import { at, type SmallTurn } from "./small-turn.ts";

/** Does one thing after another in a turn that has begun; somebody else's turn of the loop is between two of them. */
export async function playTurn(host: SmallHost, key: string, turn: SmallTurn): Promise<void> {
  for (const step of stepsOf(host, key, turn)) {
    step();
    await new Promise(setImmediate);
  }
}

function stepsOf(host: SmallHost, key: string, turn: SmallTurn): (() => unknown)[] {
  const turnId = turn.id;
  const partId = makeId("part", "thought-1");
  const call = { turnId, toolCallId: makeId("tool call", "call-1") };
  const content = [{ type: "text", text: "hello\n" }] as const;
  const plan = {
    kind: "entries",
    id: makeId("plan", "plan-1"),
    entries: [{ content: "Say hello", priority: "high", status: "completed" }],
  } as const;
  return [
    () =>
      turn.tell({
        type: "chat/responsePart",
        turnId,
        part: { kind: "reasoning", id: partId, content: "Hm" },
      }),
    () => turn.tell({ type: "chat/reasoning", turnId, partId, content: "m, \u{1F914} é\u2028" }),
    () => turn.tellSession({ type: "session/titleChanged", title: "Greetings" }),
    () => turn.say("A long"),
    ...Array.from({ length: 40 }, (_, index) => () => turn.say(` word ${index} \u{1F600}`)),
    () => turn.ask("1"),
    () => turn.tell({ type: "chat/planChanged", turnId, plan }),
    () => {
      const decision = { requestId: "approval-1", optionId: "go" };
      host.resolvePermission(key, decision, { kind: "owner" });
    },
    () => turn.tell({ ...call, type: "chat/toolCallContentChanged", content }),
    () => turn.tellSession({ type: "session/isReadChanged", isRead: false }),
    () =>
      turn.tell({ ...call, type: "chat/toolCallComplete", result: { success: true, rawOutput: "hello\n" } }),
    () => turn.ask("2"),
    () => turn.tell({ type: "chat/usage", turnId, usage: { totalTokens: 5 } }),
    ...Array.from({ length: 20 }, (_, index) => () => turn.say(`and ${index}\n`)),
    () =>
      turn.tell({ type: "chat/turnComplete", turnId, endedAt: at, durationMs: 1, stopReason: "end_turn" }),
  ];
}
