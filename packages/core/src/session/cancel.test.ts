// Cancelling a turn: questions are answered, the agent is asked to stop, and one that does not is ended.
import { expect, test } from "vitest";
import { guardLeaks, isAlive } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, askOn, askPermission, OPTIONS, say } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N12] a cancelled turn ends as cancelled, by whom and why, in less than two seconds", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [say("so far"), { do: "hang" }] } } } });
  const session = await host.open();
  const turn = session.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  const startedAt = performance.now();
  await session.cancel("enough");
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(await turn.ended).toMatchObject({
    type: "chat/turnCancelled",
    by: { kind: "client" },
    reason: "enough",
  });
  expect(session.text).toBe("so far");
  expect(session.status.state).toBe("ready");
});

test("[N12] a cancel answers every open question as cancelled before it reaches the agent", async () => {
  const permission = (name: string) =>
    askOn(name, "session/request_permission", {
      toolCall: { toolCallId: name, title: name },
      options: OPTIONS,
    });
  const form = askOn("form", "elicitation/create", {
    mode: "form",
    message: "Which?",
    requestedSchema: { type: "object", properties: {} },
  });
  const host = newHost({
    agents: { mine: { prompts: { asks: [permission("one"), permission("two"), form, { do: "hang" }] } } },
  });
  const session = await host.open();
  const turn = session.stream("asks");
  await turn.until(({ type }) => type === "chat/inputRequested");
  expect(session.state.inputNeeded).toHaveLength(3);
  await session.cancel();
  expect(await session.agent.answer("one")).toMatchObject({ result: { outcome: { outcome: "cancelled" } } });
  expect(await session.agent.answer("two")).toMatchObject({ result: { outcome: { outcome: "cancelled" } } });
  expect(await session.agent.answer("form")).toMatchObject({ result: { action: "cancel" } });
  expect(session.state.inputNeeded).toEqual([]);
  expect(session.toolCalls.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
});

test("[N12] a permission that is asked for after the cancel is answered as cancelled at once", async () => {
  const late = askOn("late", "session/request_permission", {
    toolCall: { toolCallId: "late" },
    options: OPTIONS,
  });
  const host = newHost({
    agents: { mine: { prompts: { long: [say("go"), { do: "hang" }, late, { do: "await", name: "late" }] } } },
  });
  const session = await host.open();
  const turn = session.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  await session.cancel();
  expect(await session.agent.answer("late")).toMatchObject({ result: { outcome: { outcome: "cancelled" } } });
  expect(turn.approvals).toEqual([]);
});

test("[N12] an agent that does not obey a cancel is ended, and the session continues with a new process", async () => {
  const stubborn = {
    ignoresCancel: true,
    ignoresEndOfInput: true,
    ignoresTerm: true,
    prompts: { long: [{ do: "hang" }] },
  } as const;
  const host = newHost({ agents: { mine: [stubborn, {}] }, timeouts: { cancelMs: 50 } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = session.stream("long");
  await session.agent.heard("session/prompt");
  const { pid } = session.agent.process;
  await session.cancel();
  expect(await turn.ended).toMatchObject({ type: "chat/turnCancelled" });
  expect(isAlive(pid)).toBe(false);
  expect(await session.chat("again")).toMatchObject({ stop_reason: "end_turn" });
  expect(session.agent.processes).toHaveLength(2);
});

test("[N12] an agent that answers end_turn to a cancelled prompt still leaves a cancelled turn", async () => {
  const steps = [say("go"), { do: "hang" }, { do: "answer", result: { stopReason: "end_turn" } }] as const;
  const host = newHost({ agents: { mine: { prompts: { long: steps } } } });
  const session = await host.open();
  const turn = session.stream("long");
  await turn.until(({ type }) => type === "chat/responsePart");
  await session.cancel();
  expect(session.lastTurn.end.state).toBe("cancelled");
});

test("[N12] a turn that waits for its agent to come back can be cancelled at once", async () => {
  const host = newHost({
    agents: { mine: [{ prompts: { die: [{ do: "exit", code: 1 }] } }, { initialize: [{ do: "hang" }] }] },
  });
  const session = await host.open();
  await session.turn("die");
  const turn = session.stream("hello");
  await session.agent.heard("initialize", 2);
  const startedAt = performance.now();
  await session.cancel();
  expect(performance.now() - startedAt).toBeLessThan(1000);
  expect(await turn.ended).toMatchObject({ type: "chat/turnCancelled" });
});

test("[N12] where no turn runs a cancel changes nothing", async () => {
  const host = newHost();
  const session = await host.open();
  await session.cancel();
  await session.turn("hi");
  await session.cancel();
  expect(session.lastTurn.end.state).toBe("complete");
  expect(session.agent.methods).not.toContain("session/cancel");
});

test("[N12] what an approved command runs in is not ended by the cancel but by the session's close", async () => {
  const steps = [
    askPermission("run", { kind: "execute" }),
    ask("made", "terminal/create", { command: "sleep", args: ["77"] }),
    { do: "hang" },
  ] as const;
  const host = newHost({ agents: { mine: { prompts: { run: steps } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("run");
  const { terminalId } = await session.agent.result("made");
  await session.cancel();
  const running = (): string[] => host.host.hub.list("terminal").map(({ state }) => state.lifecycle.status);
  expect(terminalId).toEqual(expect.any(String));
  expect(running()).toEqual(["running"]);
  await session.close();
  expect(running()).toEqual([]);
});

test("[N12] what is queued behind a cancelled turn comes next, and a turn that is named leaves the queue", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = session.stream("long");
  await session.agent.heard("session/prompt");
  const chatting = session.chat("later", { queue: true });
  const streamed = session.stream("later still", { queue: true });
  expect(session.chatState.queuedMessages).toHaveLength(2);
  await session.cancel("not needed", streamed.turnId);
  await streamed.until(
    (action) => action.type === "chat/pendingMessageRemoved" && action.id === streamed.turnId,
  );
  await session.cancel("nobody has it", "another-turn");
  expect(session.chatState.queuedMessages).toHaveLength(1);
  await session.cancel(undefined, turn.turnId);
  expect(await turn.ended).toMatchObject({ type: "chat/turnCancelled" });
  expect(await chatting).toMatchObject({ stop_reason: "end_turn" });
  expect(session.chatState.queuedMessages).toEqual([]);
  expect(session.chatState.turns).toHaveLength(2);
});

test("[N12] a session that closes answers those whose turn had not begun", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("long");
  const chatting = session.chat("later", { queue: true });
  await session.close();
  expect(await chatting).toEqual({ text: "", stop_reason: "cancelled" });
});
