// An agent that is gone and comes back: with its memory where it can, with its id kept where that fails, and never blank unsaid.
import { forwardTo, type Run } from "@holdfast/terminal/port";
import { expect, test, vi } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type LoneAgent, useLoneAgents } from "../testing/lone-agent.ts";
import { sharedProcessPort } from "../testing/shared-process-port.ts";
import { answer, say, type Script, type Step, update } from "../testing/script.ts";

guardLeaks();
const newAgent = useLoneAgents();

const both = { loadSession: true, sessionCapabilities: { resume: {} } };
const fail = (code: number, message: string): Step => ({ do: "fail", code, message });

/** Kills the agent's process and waits until the session knows. */
async function kill(lone: LoneAgent): Promise<void> {
  process.kill(lone.heard.process.pid, "SIGKILL");
  await until(() => lone.state.lifecycle.status === "stale");
}

test("[N43] an agent's session is resumed by session/resume where it has it, and nothing is lost", async () => {
  const lone = newAgent({ scripts: [{ capabilities: both }] });
  await lone.prompt("hello");
  const { backendId } = lone.state;
  await kill(lone);
  lone.actions.length = 0;
  expect(await lone.prompt("again")).toBe("end_turn");
  expect(lone.actionTypes).toEqual(["session/resuming", "session/ready"]);
  expect(lone.heard.methods.slice(-3)).toEqual(["initialize", "session/resume", "session/prompt"]);
  expect(lone.heard.messages.at(-1)?.params).toMatchObject({ sessionId: backendId });
  expect(lone.state).toMatchObject({ backendId, lifecycle: { status: "ready" } });
});

test("[N43] where session/resume fails, session/load is tried before the session is given up", async () => {
  const refuses: Script = { capabilities: both, reopen: [fail(-32_603, "Session not found")] };
  const lone = newAgent({ scripts: [{ capabilities: both }, refuses] });
  await lone.prompt("hello");
  await kill(lone);
  await lone.prompt("again");
  expect(lone.heard.methods.slice(-5)).toEqual([
    "initialize",
    "session/resume",
    "session/load",
    "session/new",
    "session/prompt",
  ]);
});

test("[N43] a replayed history is dropped; the session's settings are kept", async () => {
  const replay: Step[] = [
    update("user_message_chunk", { content: { type: "text", text: "hello" } }),
    say("one "),
    say("two "),
    say("three"),
    update("tool_call", { toolCallId: "old", title: "Old", status: "completed" }),
    update("plan", { entries: [] }),
    update("available_commands_update", { availableCommands: [{ name: "web", description: "" }] }),
    update("current_mode_update", { currentModeId: "code" }),
    update("config_option_update", { configOptions: [] }),
    update("session_info_update", { title: "A title" }),
    update("usage_update", { used: 1, size: 2 }),
    answer({}),
    say("new"),
  ];
  const script: Script = { capabilities: { loadSession: true }, reopen: [{ do: "together", steps: replay }] };
  const lone = newAgent({ scripts: [script] });
  await lone.prompt("hello");
  await kill(lone);
  await lone.prompt("again");
  await until(() => lone.updates.length >= 6);
  expect(lone.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "agent_message_chunk",
  ]);
});

test.each([
  ["says so", { loadSession: true }, [] as const, "session/load"],
  ["cannot load", {}, [] as const, undefined],
  ["is known not to", { loadSession: true }, ["cannot-load-after-restart"] as const, undefined],
])(
  "[N44] a session is lost when the agent %s: a new one begins and the loss is reported",
  async (_how, capabilities, quirks, method) => {
    const gone: Script = { capabilities, reopen: [fail(-32_002, "No such session")] };
    const lone = newAgent({ scripts: [{ capabilities }, gone], entry: { quirks: [...quirks] } });
    await lone.prompt("hello");
    const { backendId } = lone.state;
    await kill(lone);
    lone.actions.length = 0;
    expect(await lone.prompt("again")).toBe("end_turn");
    expect(lone.actionTypes).toEqual(["session/resuming", "session/contextLost", "session/ready"]);
    expect(lone.heard.methods.includes("session/load")).toBe(method !== undefined);
    expect(lone.state.contextLoss?.reason).toMatch(/^The agent (no longer has its session|cannot resume)/);
    expect(lone.state.backendId).not.toBe(backendId);
  },
);

test("[N44] a caller that wants a lost context to be an error gets one, no session is begun, and the id stays", async () => {
  const gone: Script = { capabilities: both, reopen: [fail(-32_002, "No such session")] };
  const lone = newAgent({ scripts: [{ capabilities: both }, gone] });
  await lone.prompt("hello");
  const { backendId } = lone.state;
  await kill(lone);
  const failure = { code: "ACP_CONTEXT_LOST", status: 409, details: { retryable: false } };
  await expect(lone.prompt("again", { onContextLost: "fail" })).rejects.toMatchObject(failure);
  expect(lone.heard.methods.filter((method) => method === "session/new")).toHaveLength(1);
  expect(lone.state).toMatchObject({
    backendId,
    lifecycle: { status: "stale", cause: "resume-failed" },
    lastError: { code: "ACP_CONTEXT_LOST" },
  });
  expect(await lone.prompt("then continue")).toBe("end_turn");
  expect(lone.state.contextLoss).toBeDefined();
});

test.each<[string, Script]>([
  ["is not logged in", { reopen: [fail(-32_000, "Authentication required")] }],
  ["fails without a reason", { reopen: [fail(-32_603, "Internal error")] }],
  [
    "dies over it",
    {
      reopen: [
        { do: "stderr", text: "disk full\n" },
        { do: "exit", code: 1 },
      ],
    },
  ],
  ["dies before it", { initialize: [{ do: "exit", code: 1 }] }],
  ["does not answer", { reopen: [{ do: "hang" }] }],
])(
  "[N45] while an agent %s, turns fail and can be repeated, and its session is never dropped",
  async (_how, trouble) => {
    const troubled: Script = { capabilities: both, ...trouble };
    const scripts = [{ capabilities: both }, troubled, troubled, troubled, troubled, { capabilities: both }];
    const lone = newAgent({ scripts, timeouts: { loadMs: 300, endOfInputMs: 50 } });
    await lone.prompt("hello");
    const { backendId } = lone.state;
    await kill(lone);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const failure = { code: "ACP_SESSION_INIT_FAILED", details: { retryable: true } };
      await expect(lone.prompt("again")).rejects.toMatchObject(failure);
      expect(lone.state).toMatchObject({
        backendId,
        lifecycle: { status: "stale", cause: "resume-failed" },
        lastError: { code: "ACP_SESSION_INIT_FAILED", retryable: true },
      });
    }
    expect(await lone.prompt("at last")).toBe("end_turn");
    expect(lone.state).toMatchObject({ backendId, lifecycle: { status: "ready" } });
    expect(lone.state.contextLoss).toBeUndefined();
    expect(lone.heard.methods.filter((method) => method === "session/new")).toHaveLength(1);
  },
);

test("[N45] the error contains the agent's own message, and a dead agent's last lines", async () => {
  const dies: Step[] = [
    { do: "stderr", text: "disk full\n" },
    { do: "exit", code: 1 },
  ];
  const says: Script = { capabilities: both, reopen: [fail(-32_603, "database is locked")] };
  const lone = newAgent({ scripts: [{ capabilities: both }, { capabilities: both, reopen: dies }, says] });
  await lone.prompt("hello");
  await kill(lone);
  await expect(lone.prompt("again")).rejects.toThrow(/disk full/);
  expect(lone.state.lastError?.stderrTail).toEqual(["disk full"]);
  await expect(lone.prompt("again")).rejects.toThrow("Mine could not be started: database is locked.");
});

test.each<[string, Step[]]>([
  ["is silent", [{ do: "hang" }]],
  ["dies", [{ do: "exit", code: 1 }]],
  ["is not logged in", [fail(-32_000, "Authentication required")]],
])(
  "[N736] an agent that %s when it is to restore a session without a completed turn keeps the session",
  async (_how, reopen) => {
    const lone = newAgent({
      scripts: [{ capabilities: both }, { capabilities: both, reopen }, { capabilities: both }],
      timeouts: { loadMs: 300, endOfInputMs: 50 },
    });
    await lone.agent.connect();
    lone.hasHistory = true;
    const { backendId } = lone.state;
    await kill(lone);
    await expect(lone.prompt("again")).rejects.toMatchObject({ details: { retryable: true } });
    expect(await lone.prompt("at last")).toBe("end_turn");
    expect(lone.state).toMatchObject({ backendId });
    expect(lone.state.contextLoss).toBeUndefined();
  },
);

test("[N46] resuming a session has its own timeout", async () => {
  const slow: Script = { capabilities: { loadSession: true }, reopen: [{ do: "hang" }] };
  const lone = newAgent({
    scripts: [{ capabilities: { loadSession: true } }, slow],
    timeouts: { loadMs: 200 },
  });
  await lone.prompt("hello");
  await kill(lone);
  await expect(lone.prompt("again")).rejects.toThrow("no answer to session/load within 0.2 s");
});

test("[N43] the next host resumes the session from what was kept of it", async () => {
  const lone = newAgent({ scripts: [{ capabilities: both }] });
  await lone.prompt("hello");
  const { backendId } = lone.state;
  await lone.agent.close();
  lone.publish({ type: "session/stale", at: new Date(0).toISOString(), cause: "host-restarted" });
  const next = lone.restart();
  expect(next.canResume).toBe(true);
  expect((await next.connect()).sessionId).toBe(backendId);
  expect(lone.heard.methods.at(-1)).toBe("session/resume");
  await next.close();
});

test("[N45] a session that is closed while its agent restarts is closed, and publishes nothing more", async () => {
  const slow: Script = { capabilities: both, reopen: [{ do: "hang" }] };
  const lone = newAgent({ scripts: [{ capabilities: both }, slow], timeouts: { endOfInputMs: 50 } });
  await lone.prompt("hello");
  await kill(lone);
  const coming = lone.prompt("again").catch((error: unknown) => error);
  await lone.heard.heard("session/resume");
  lone.actions.length = 0;
  await lone.agent.close();
  expect(await coming).toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
  expect(lone.actionTypes).toEqual([]);
});

test("[N846] after an agent could not be ended, the next turn starts another, and both are ended with the session", async () => {
  const shared = sharedProcessPort();
  const runs: Run[] = [];
  const processPort = forwardTo(shared, {
    start: async (request, sink) => {
      const run = await shared.start(request, sink);
      runs.push(run);
      return run;
    },
  });
  const lone = newAgent({
    entry: { model: [{ by: "flag", flag: "--model" }] },
    scripts: [{ capabilities: both }],
    runtimeOptions: { model: "small" },
    deps: { processPort },
  });
  await lone.prompt("hello");
  await lone.change({ model: "big" });
  const [first] = runs;
  if (first === undefined) throw new Error("No agent was started");
  const ending = vi.spyOn(first, "end").mockRejectedValueOnce(new Error("not now"));
  await expect(lone.prompt("again")).rejects.toThrow("not now");
  expect(await lone.prompt("again")).toBe("end_turn");
  expect(lone.heard.process.args).toEqual(["--model", "big"]);
  await lone.agent.close();
  expect(ending).toHaveBeenCalledTimes(2);
});
