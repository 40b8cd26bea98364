// An agent that dies: the turn says so, the session stays, and the next turn brings an agent back.
import { expect, test } from "vitest";
import { guardLeaks, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { answer, say, type Script, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const dies: Script["prompts"] = {
  die: [say("I feel "), { do: "stderr", text: "first words\nlast words\n" }, { do: "exit", code: 3 }],
};

test("[N454] an agent that closes its output and stays alive is ended, and its turn fails with ACP_AGENT_EXITED", async () => {
  const seconds = uniqueSeconds();
  const closes: Step[] = [say("so far"), { do: "closeOutput" }, { do: "hang" }];
  const script = { children: `sleep ${seconds}`, prompts: { "*": [say("Hello")], close: closes } };
  const host = newHost({ agents: { mine: script } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const end = await session.stream("close").ended;
  expect(end).toMatchObject({
    type: "chat/error",
    error: { code: "ACP_AGENT_EXITED", message: expect.stringContaining("closed its output") as string },
  });
  expect(await untilGone(seconds)).toEqual([]);
  expect(await session.chat("again")).toMatchObject({ text: "Hello" });
});

test("[N14] an agent's death ends the turn with ACP_AGENT_EXITED, how it ended and its last stderr lines", async () => {
  const host = newHost({ agents: { mine: { prompts: dies } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = await session.turn("die");
  const error = { code: "ACP_AGENT_EXITED", retryable: true, stderrTail: ["first words", "last words"] };
  expect(await turn.ended).toMatchObject({ type: "chat/error", error });
  expect(session.lastTurn.end).toMatchObject({
    error: { message: expect.stringContaining("exit code 3") as string },
  });
  expect(session.text).toBe("I feel ");
  expect(session.status.state).toBe("stale");
  expect(session.state.lastError?.stderrTail).toEqual(error.stderrTail);
});

test("[N14] a signal is named, and a sync chat fails with the same code", async () => {
  const host = newHost({ agents: { mine: { prompts: { die: [{ do: "signal", signal: "SIGKILL" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const failure = {
    code: "ACP_AGENT_EXITED",
    status: 502,
    message: expect.stringContaining("SIGKILL") as string,
  };
  await expect(session.chat("die")).rejects.toMatchObject(failure);
});

/** An agent that dies in its first turn, and the next process of it, which cannot restore the session. */
function diesAtFirst(reopen: Step[]): Script[] {
  const capabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
  return [
    { capabilities, prompts: { ...dies, "*": [say("Hello")] } },
    { capabilities, reopen, prompts: { "*": [say("Hello")] } },
  ];
}

const data = { details: "Query closed before response received" };
const refusal: Step = { do: "fail", code: -32_603, message: "Internal error", data };

test("[N736] a session in which no turn has completed is lost when its agent rejects to restore it", async () => {
  const host = newHost({ agents: { mine: diesAtFirst([refusal]) } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.turn("die").then((turn) => turn.ended);
  expect(await session.chat("again")).toMatchObject({ text: "Hello" });
  expect(session.state.contextLoss?.reason).toContain("Query closed before response received");
  expect(session.agent.methods.slice(-4)).toEqual([
    "session/resume",
    "session/load",
    "session/new",
    "session/prompt",
  ]);
});

test("[N736] on request the turn fails with ACP_CONTEXT_LOST instead, and the session is kept", async () => {
  const host = newHost({ agents: { mine: diesAtFirst([refusal]) } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.turn("die").then((turn) => turn.ended);
  const { backendId } = session.state;
  const failed = session.chat("again", { onContextLost: "fail" });
  await expect(failed).rejects.toMatchObject({ code: "ACP_CONTEXT_LOST" });
  expect(session.state.backendId).toBe(backendId);
});

test("[N737] an agent's error is reported with the details in its data, unless the message has them", async () => {
  const failing = (message: string, details: unknown): Step => ({
    do: "fail",
    code: -32_603,
    message,
    data: details,
  });
  const prompts = {
    "*": [say("Hello")],
    object: [failing("Internal error", { details: "disk\u001b[2J full" })],
    text: [failing("Internal error.", "disk full")],
    same: [failing("Failed: disk full", { details: "disk full" })],
    other: [failing("Internal error", { path: "/tmp" })],
    long: [failing("Internal error", { details: "x".repeat(1000) })],
  };
  const host = newHost({ agents: { mine: { prompts } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const messageOf = async (prompt: string): Promise<string> =>
    session.chat(prompt).then(
      () => "",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  expect(await messageOf("object")).toBe("Internal error: disk full");
  expect(await messageOf("text")).toBe("Internal error: disk full");
  expect(await messageOf("same")).toBe("Failed: disk full");
  expect(await messageOf("other")).toBe("Internal error");
  expect(await messageOf("long")).toBe(`Internal error: ${"x".repeat(500)}…`);
});

test("[N14] an agent that dies between turns leaves a stale session that the next turn wakes", async () => {
  const host = newHost();
  const session = await host.open({ approvalPolicy: "approve-all" });
  process.kill(session.agent.process.pid, "SIGKILL");
  while (session.status.state !== "stale") await new Promise(setImmediate);
  expect(await session.chat("hello")).toMatchObject({ stop_reason: "end_turn" });
  expect(session.status.state).toBe("ready");
});

test("[N14] an agent that can resume is resumed in the same session, with nothing lost", async () => {
  const capabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
  const host = newHost({ agents: { mine: { capabilities, prompts: dies } } });
  const session = await host.open();
  const { backendId } = session.state;
  await session.turn("die");
  await session.turn("hello");
  expect(session.agent.methods.slice(-3)).toEqual(["initialize", "session/resume", "session/prompt"]);
  expect(session.agent.messages.at(-2)?.params).toEqual({
    sessionId: backendId,
    cwd: host.work,
    mcpServers: [],
  });
  expect(session.agent.messages.at(-1)?.params).toMatchObject({ sessionId: backendId });
  expect(session.state).toMatchObject({ backendId, lifecycle: { status: "ready" } });
  expect(session.state.contextLoss).toBeUndefined();
});

test("[N14] an agent that can only load is loaded, and the history that it replays is not published twice", async () => {
  const replayed = [
    update("user_message_chunk", { content: { type: "text", text: "die" } }),
    say("I feel "),
    update("tool_call", { toolCallId: "old", title: "Old", status: "completed" }),
    answer({}),
  ];
  const host = newHost({
    agents: {
      mine: {
        capabilities: { loadSession: true },
        prompts: dies,
        reopen: [{ do: "together", steps: replayed }],
      },
    },
  });
  const session = await host.open();
  await session.turn("die");
  const turn = await session.turn("hello");
  expect(session.agent.methods).toContain("session/load");
  expect(turn.actions.map(({ type }) => type)).toEqual(["chat/turnStarted", "chat/turnComplete"]);
  expect(session.chatState.agentUpdates).toEqual([]);
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["die", "hello"]);
  expect(session.state.contextLoss).toBeUndefined();
});

test.each([
  ["cannot", {}, ["initialize", "session/new", "session/prompt"]],
  ["fails to", { loadSession: true }, ["initialize", "session/load", "session/new", "session/prompt"]],
])(
  "[N14] an agent that %s bring its session back begins a new one, and the loss is reported",
  async (_how, capabilities, methods) => {
    const host = newHost({
      agents: {
        mine: {
          capabilities,
          prompts: dies,
          reopen: [{ do: "fail", code: -32603, message: "Session not found" }],
        },
      },
    });
    const session = await host.open();
    const { backendId } = session.state;
    await session.turn("die");
    await session.turn("hello");
    expect(session.agent.methods.slice(-methods.length)).toEqual(methods);
    expect(session.state.contextLoss).toMatchObject({ reason: expect.any(String) as string });
    expect(session.state.backendId).not.toBe(backendId);
    expect(session.status.state).toBe("ready");
  },
);

test("[N14] an agent that cannot be started again fails the turn, and a later turn tries again", async () => {
  const broken: Script = { stderr: "no disk\n", initialize: [{ do: "exit", code: 1 }] };
  const host = newHost({ agents: { mine: [{ prompts: dies }, broken, {}] } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.turn("die");
  const failure = { code: "ACP_SESSION_INIT_FAILED", message: expect.stringContaining("no disk") as string };
  await expect(session.chat("hello")).rejects.toMatchObject(failure);
  expect(session.state.lifecycle).toMatchObject({ status: "stale", cause: "resume-failed" });
  expect(await session.chat("hello")).toMatchObject({ stop_reason: "end_turn" });
});

test("[N14] options that were set hold for the restarted process", async () => {
  const modes = {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
  };
  const host = newHost({ agents: { mine: { session: { modes }, prompts: dies } } });
  const session = await host.open();
  await session.patch({ runtimeMode: "code" });
  await session.turn("die");
  await session.turn("hello");
  const chosen = session.agent.messages.filter(({ method }) => method === "session/set_mode");
  expect(chosen.map(({ params }) => params["modeId"])).toEqual(["code", "code"]);
});
