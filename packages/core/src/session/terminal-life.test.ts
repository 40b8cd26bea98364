// The life of an agent's terminals: waiting, killing, releasing, and what becomes of them when the agent dies.
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { findByArgument, guardLeaks, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, askOn, say, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const id = { terminalId: "$made.terminalId" };
const create = (command: string): Step => ask("made", "terminal/create", { command });

async function play(steps: readonly Step[]) {
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  await session.turn("go");
  return { host, session, agent: session.agent };
}

test("[N25] a wait is answered after the last output, and all waits get the same answer", async () => {
  const { agent } = await play([
    create("sleep 0.1; seq 100000; exit 4"),
    askOn("first", "terminal/wait_for_exit", id),
    askOn("second", "terminal/wait_for_exit", id),
    { do: "await", name: "first" },
    ask("output", "terminal/output", id),
    { do: "await", name: "second" },
    ask("late", "terminal/wait_for_exit", id),
  ]);
  for (const name of ["first", "second", "late"]) {
    expect(await agent.result(name)).toEqual({ exitCode: 4, signal: null });
  }
  const { output, exitStatus } = await agent.result("output");
  expect(String(output).endsWith("\n99999\n100000\n")).toBe(true);
  expect(exitStatus).toEqual({ exitCode: 4, signal: null });
});

test("[N25] a running command's output is there without an exit status", async () => {
  const { agent } = await play([
    create("echo ready; exec sleep 60"),
    ask("early", "terminal/output", id),
    { do: "poll", ...id, text: "ready" },
    ask("output", "terminal/output", id),
  ]);
  expect(await agent.result("early")).not.toHaveProperty("exitStatus");
  expect(await agent.result("output")).toEqual({ output: "ready\n", truncated: false });
});

test("[N25] a child that keeps the pipe open does not hold up the wait", async () => {
  const seconds = uniqueSeconds();
  const { agent, session } = await play([
    create(`sleep ${seconds} & echo started`),
    ask("exit", "terminal/wait_for_exit", id),
    ask("output", "terminal/output", id),
    ask("release", "terminal/release", id),
  ]);
  expect(await agent.result("exit")).toEqual({ exitCode: 0, signal: null });
  expect(await agent.result("output")).toMatchObject({ output: "started\n" });
  expect(findByArgument(seconds)).not.toEqual([]);
  await session.close();
  expect(findByArgument(seconds)).toEqual([]);
});

test("[N26] kill ends the whole tree, may be repeated, and leaves the output readable", async () => {
  const seconds = uniqueSeconds();
  const { agent } = await play([
    create(`echo before; setsid sleep ${seconds} & sleep ${seconds}`),
    askOn("wait", "terminal/wait_for_exit", id),
    { do: "poll", ...id, text: "before" },
    ask("kill", "terminal/kill", id),
    ask("again", "terminal/kill", id),
    { do: "await", name: "wait" },
    ask("output", "terminal/output", id),
    ask("release", "terminal/release", id),
  ]);
  expect(await agent.result("kill")).toEqual({});
  expect(await agent.result("again")).toEqual({});
  expect(await agent.result("wait")).toEqual({ exitCode: null, signal: "SIGTERM" });
  expect(await agent.result("output")).toMatchObject({
    output: "before\n",
    exitStatus: { exitCode: null, signal: "SIGTERM" },
  });
  expect(findByArgument(seconds)).toEqual([]);
});

test("[N26] release ends what runs, answers a pending wait, and may be repeated; then the id is unknown", async () => {
  const seconds = uniqueSeconds();
  const { agent } = await play([
    create(`exec sleep ${seconds}`),
    askOn("wait", "terminal/wait_for_exit", id),
    ask("release", "terminal/release", id),
    { do: "await", name: "wait" },
    ask("again", "terminal/release", id),
    ask("output", "terminal/output", id),
    ask("kill", "terminal/kill", id),
    ask("lateWait", "terminal/wait_for_exit", id),
    ask("neverMade", "terminal/release", { terminalId: "never-made" }),
  ]);
  expect(await agent.result("wait")).toEqual({ exitCode: null, signal: "SIGTERM" });
  for (const name of ["release", "again", "neverMade"]) expect(await agent.result(name)).toEqual({});
  for (const name of ["output", "kill", "lateWait"]) {
    expect((await agent.answer(name)).error?.code).toBe(-32002);
  }
  expect(findByArgument(seconds)).toEqual([]);
});

test("[N26] a wait that the agent cancels is answered as cancelled and disturbs no other", async () => {
  const { agent } = await play([
    create("sleep 0.3"),
    askOn("taken", "terminal/wait_for_exit", id),
    askOn("kept", "terminal/wait_for_exit", id),
    { do: "takeBack", name: "taken" },
    { do: "await", name: "kept" },
  ]);
  expect((await agent.answer("taken")).error?.code).toBe(-32800);
  expect(await agent.result("kept")).toEqual({ exitCode: 0, signal: null });
});

test("[N26] a session knows only its own terminals", async () => {
  const theft = ["output", "kill", "release"].map((verb) =>
    ask(verb, `terminal/${verb}`, { terminalId: "$prompt.text" }),
  );
  const host = newHost({
    agents: { mine: { prompts: { make: [create("exec sleep 60")] } }, thief: { prompts: { "*": theft } } },
  });
  const owner = await host.open();
  await owner.turn("make");
  const { terminalId } = await owner.agent.result("made");
  const thief = await host.open({ agent_id: "thief" });
  await thief.turn(String(terminalId));
  for (const verb of ["output", "kill"]) expect((await thief.agent.answer(verb)).error?.code).toBe(-32002);
  expect(await thief.agent.result("release")).toEqual({});
  expect(host.host.hub.list("terminal").map(({ state }) => state.lifecycle.status)).toEqual(["running"]);
});

test("[N27] a finished tool call that only refers to its terminal keeps it, also after the release", async () => {
  const content = [{ type: "terminal", terminalId: "$made.terminalId" }];
  const { host, session } = await play([
    create("echo kept"),
    ask("exit", "terminal/wait_for_exit", id),
    ask("release", "terminal/release", id),
    {
      do: "update",
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "Run",
        kind: "execute",
        status: "pending",
      },
    },
    {
      do: "update",
      update: { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", content },
    },
  ]);
  const [shown] = session.toolCalls[0]?.content ?? [];
  expect(shown).toMatchObject({ type: "terminal", title: "echo kept", isPty: false });
  const resource = shown?.type === "terminal" ? shown.resource : "";
  expect(host.host.hub.state(resource, "terminal")?.lifecycle).toMatchObject({
    status: "exited",
    exit: { kind: "code", exitCode: 0 },
  });
});

test("[N27] when the agent dies its commands run on, and end when the session closes", async () => {
  const seconds = uniqueSeconds();
  const { host, session } = await play([
    create(`exec sleep ${seconds}`),
    askOn("wait", "terminal/wait_for_exit", id),
    say("bye"),
    { do: "exit", code: 1 },
  ]);
  expect(session.lastTurn.end).toMatchObject({ error: { code: "ACP_AGENT_EXITED" } });
  await until(() => session.status.state === "stale");
  expect(findByArgument(seconds)).toHaveLength(1);
  await session.close();
  expect(await untilGone(seconds)).toEqual([]);
  expect(host.host.hub.list("terminal")).toEqual([]);
});

test("[N27] a session that closes while a command is being created leaves no command", async () => {
  const seconds = uniqueSeconds();
  const creates = Array.from({ length: 30 }, (_, index) =>
    askOn(`made${index}`, "terminal/create", { command: `exec sleep ${seconds}` }),
  );
  const host = newHost({
    agents: {
      mine: { prompts: { go: [{ do: "together", steps: [say("go"), ...creates] }, { do: "hang" }] } },
    },
  });
  const session = await host.open();
  const turn = session.stream("go");
  await turn.until(({ type }) => type === "chat/responsePart");
  await session.close();
  expect(await untilGone(seconds)).toEqual([]);
  expect(host.host.hub.list("terminal")).toEqual([]);
});
