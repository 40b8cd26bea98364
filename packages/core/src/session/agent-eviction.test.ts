// An idle agent is stopped, if its session can be resumed, and a turn that comes meanwhile waits for its end.
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks, isAlive } from "../testing/detector.ts";
import { useLoneAgents } from "../testing/lone-agent.ts";
import type { Script } from "../testing/script.ts";

guardLeaks();
const newAgent = useLoneAgents();

const capabilities = { loadSession: true };

test("[N47] an agent that can be resumed ends with its input, and the session is stale without an error", async () => {
  const lone = newAgent({ scripts: [{ capabilities }] });
  await lone.prompt("hello");
  const { backendId } = lone.state;
  expect(lone.agent.canResume).toBe(true);
  expect(await lone.agent.evict()).toBe(true);
  expect(isAlive(lone.heard.process.pid)).toBe(false);
  expect(lone.heard.endings).toEqual(["end of input"]);
  expect(lone.actions.at(-1)).toEqual({
    type: "session/stale",
    at: expect.any(String) as string,
    cause: "evicted",
  });
  expect(lone.state).toMatchObject({ backendId, lifecycle: { status: "stale", cause: "evicted" } });
  expect(lone.state.lastError).toBeUndefined();
  expect(lone.agent.ready).toBeUndefined();
  expect(await lone.prompt("again")).toBe("end_turn");
  expect(lone.heard.methods.slice(-3)).toEqual(["initialize", "session/load", "session/prompt"]);
  expect(lone.state.contextLoss).toBeUndefined();
});

test.each([
  ["cannot load", {}, []],
  ["is known not to load after a restart", capabilities, ["cannot-load-after-restart"] as const],
])("[N47] an agent that %s stays", async (_why, abilities, quirks) => {
  const lone = newAgent({ scripts: [{ capabilities: abilities }], entry: { quirks: [...quirks] } });
  await lone.prompt("hello");
  expect(lone.agent.canResume).toBe(false);
  expect(await lone.agent.evict()).toBe(false);
  expect(lone.state.lifecycle.status).toBe("ready");
  expect(await lone.prompt("again")).toBe("end_turn");
  expect(lone.heard.processes).toHaveLength(1);
});

test("[N47] there is nothing to stop where no agent runs, or one is only starting", async () => {
  const lone = newAgent({ scripts: [{ capabilities }] });
  expect(await lone.agent.evict()).toBe(false);
  const coming = lone.agent.connect();
  expect(await lone.agent.evict()).toBe(false);
  await coming;
  expect(await Promise.all([lone.agent.evict(), lone.agent.evict()])).toEqual([true, false]);
});

test("[N44] where there was no turn before the agent was stopped, nothing is lost", async () => {
  const gone: Script = { capabilities, reopen: [{ do: "fail", code: -32_002, message: "No such session" }] };
  const lone = newAgent({ scripts: [gone] });
  await lone.agent.connect();
  await lone.agent.evict();
  expect(await lone.prompt("hello", { onContextLost: "fail" })).toBe("end_turn");
  expect(lone.heard.methods.slice(-2)).toEqual(["session/new", "session/prompt"]);
  expect(lone.state.contextLoss).toBeUndefined();
});

test("[N48] a turn that comes while the agent ends waits for its end, and then has it back", async () => {
  const slow = { capabilities, ignoresEndOfInput: true };
  const lone = newAgent({ scripts: [slow, { capabilities }], timeouts: { endOfInputMs: 500 } });
  await lone.prompt("hello");
  const [{ pid } = { pid: 0 }] = lone.heard.processes;
  const evicted = lone.agent.evict();
  const turns = Promise.all([lone.prompt("again"), lone.agent.connect()]);
  expect(isAlive(pid)).toBe(true);
  await until(() => lone.heard.processes.length > 1);
  expect(isAlive(pid)).toBe(false);
  expect(await evicted).toBe(true);
  await turns;
  expect(lone.heard.processes).toHaveLength(2);
  expect(lone.actionTypes.slice(-3)).toEqual(["session/stale", "session/resuming", "session/ready"]);
});

test("[N48] a session that is closed while the agent ends is closed", async () => {
  const lone = newAgent({
    scripts: [{ capabilities, ignoresEndOfInput: true }],
    timeouts: { endOfInputMs: 100 },
  });
  await lone.prompt("hello");
  const evicted = lone.agent.evict();
  await lone.agent.close();
  expect(isAlive(lone.heard.process.pid)).toBe(false);
  expect(await evicted).toBe(true);
  await expect(lone.agent.connect()).rejects.toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
});
