// A turn with every kind of event, step by step.
import { makeId } from "@holdfast/ahp";
import type { FakeHost } from "./fake-host.ts";
import { at, type FakeTurn } from "./fake-turn.ts";

/** Runs the steps of a turn that has begun, with a tick between any two of them. */
export async function playTurn(host: FakeHost, key: string, turn: FakeTurn): Promise<void> {
  for (const step of stepsOf(host, key, turn)) {
    step();
    await new Promise(setImmediate);
  }
}

function stepsOf(host: FakeHost, key: string, turn: FakeTurn): (() => unknown)[] {
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
      turn.dispatch({
        type: "chat/responsePart",
        turnId,
        part: { kind: "reasoning", id: partId, content: "Hm" },
      }),
    () => turn.dispatch({ type: "chat/reasoning", turnId, partId, content: "m, \u{1F914} é\u2028" }),
    () => turn.dispatchToSession({ type: "session/titleChanged", title: "Greetings" }),
    () => turn.say("A long"),
    ...Array.from({ length: 40 }, (_, index) => () => turn.say(` word ${index} \u{1F600}`)),
    () => turn.ask("1"),
    () => turn.dispatch({ type: "chat/planChanged", turnId, plan }),
    () => {
      const decision = { requestId: "approval-1", optionId: "go" };
      host.approvals.resolve(key, decision, { kind: "owner" });
    },
    () => turn.dispatch({ ...call, type: "chat/toolCallContentChanged", content }),
    () => turn.dispatchToSession({ type: "session/isReadChanged", isRead: false }),
    () =>
      turn.dispatch({
        ...call,
        type: "chat/toolCallComplete",
        result: { success: true, rawOutput: "hello\n" },
      }),
    () => turn.ask("2"),
    () => turn.dispatch({ type: "chat/usage", turnId, usage: { totalTokens: 5 } }),
    ...Array.from({ length: 20 }, (_, index) => () => turn.say(`and ${index}\n`)),
    () =>
      turn.dispatch({
        type: "chat/turnComplete",
        turnId,
        endedAt: at,
        durationMs: 1,
        stopReason: "end_turn",
      }),
  ];
}
