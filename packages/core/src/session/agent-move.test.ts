// A session that moves to another directory: a new session of the same agent, reported as a loss of context.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useLoneAgents } from "../testing/lone-agent.ts";
import { answer, say, type Step } from "../testing/script.ts";

guardLeaks();
const newAgent = useLoneAgents();

const capabilities = { loadSession: true, sessionCapabilities: { close: {} } };

test("[N49] after a move the next turn has a new session there, in the same process, and the old one is closed", async () => {
  const lone = newAgent({ scripts: [{ capabilities }] });
  await lone.prompt("hello");
  const { backendId } = lone.state;
  const other = path.join(lone.folder, "other");
  await lone.agent.moveTo(other);
  expect(lone.state).toMatchObject({
    backendId,
    runtimeOptions: { cwd: other },
    workingDirectories: [pathToFileURL(other).href],
  });
  lone.actions.length = 0;
  expect(await lone.prompt("again", { onContextLost: "fail" })).toBe("end_turn");
  expect(lone.actionTypes).toEqual(["session/contextLost", "session/ready"]);
  expect(lone.state.contextLoss?.reason).toContain(other);
  expect(lone.state.backendId).not.toBe(backendId);
  expect(lone.heard.processes).toHaveLength(1);
  const opened = lone.heard.messages.filter(({ method }) => method === "session/new");
  expect(opened.map(({ params }) => params["cwd"])).toEqual([path.join(lone.folder, "work"), other]);
  expect((await lone.heard.heard("session/close")).params).toEqual({ sessionId: backendId });
  await lone.prompt("and again");
  expect(lone.heard.methods.filter((method) => method === "session/new")).toHaveLength(2);
});

test("[N49] later updates of the session that was left are ignored", async () => {
  const update = {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "late" },
  };
  const late: Step = {
    do: "notify",
    method: "session/update",
    params: { sessionId: "$prompt.text", update },
  };
  const lone = newAgent({ scripts: [{ prompts: { "*": [late, say("in time")] } }] });
  await lone.prompt("hello");
  const { backendId = "" } = lone.state;
  await lone.agent.moveTo(path.join(lone.folder, "other"));
  lone.updates.length = 0;
  await lone.prompt(backendId);
  expect(lone.updates).toMatchObject([{ content: { text: "in time" } }]);
});

test("[N49] updates of an agent that has one session for all directories are not ignored", async () => {
  const script = { newSession: [answer({ sessionId: "only" })], prompts: { again: [say("here")] } };
  const lone = newAgent({ scripts: [script] });
  await lone.prompt("hello");
  await lone.agent.moveTo(path.join(lone.folder, "other"));
  await lone.prompt("again");
  expect(lone.updates).toMatchObject([{ content: { text: "here" } }]);
});

test("[N49] updates of a session that was left and opened again count", async () => {
  const here = { newSession: [answer({ sessionId: "here" })], prompts: { "*": [say("here")] } };
  const lone = newAgent({ scripts: [here] });
  await lone.prompt("hello");
  const { agent } = await lone.agent.connect();
  await agent.leaveSession("here", false);
  await lone.prompt("not heard");
  expect(lone.updates).toHaveLength(1);
  await lone.agent.moveTo(path.join(lone.folder, "other"));
  await lone.prompt("again");
  expect(lone.updates).toHaveLength(2);
});

test("[N49] a move before the first turn is no loss", async () => {
  const lone = newAgent();
  await lone.agent.connect();
  await lone.agent.moveTo(path.join(lone.folder, "other"));
  await lone.prompt("hello");
  expect(lone.state.contextLoss).toBeUndefined();
});

test("[N49] a move while no agent is there, or before the host was restarted, makes a new session too", async () => {
  const lone = newAgent({ scripts: [{ capabilities }] });
  await lone.prompt("hello");
  await lone.agent.evict();
  await lone.agent.moveTo(path.join(lone.folder, "other"));
  const next = lone.restart();
  lone.actions.length = 0;
  await next.connect();
  expect(lone.actionTypes).toEqual(["session/resuming", "session/contextLost", "session/ready"]);
  expect(lone.heard.methods).not.toContain("session/load");
  await next.close();
});

test("[N49] a move back before the next turn changes nothing", async () => {
  const lone = newAgent();
  await lone.prompt("hello");
  await lone.agent.moveTo(path.join(lone.folder, "other"));
  await lone.agent.moveTo(path.join(lone.folder, "work"));
  await lone.prompt("again");
  expect(lone.state.contextLoss).toBeUndefined();
});

test("[N49] a directory that does not exist is rejected and named, and the session stays where it is", async () => {
  const lone = newAgent();
  await lone.prompt("hello");
  const nowhere = path.join(lone.folder, "nowhere");
  const failure = { code: "ACP_INVALID_OPTION", message: expect.stringContaining(nowhere) as string };
  await expect(lone.agent.moveTo(nowhere)).rejects.toMatchObject(failure);
  expect(lone.cwd).toBe(path.join(lone.folder, "work"));
});

test("[N49] an agent that dies while it moves fails the turn, and the next one begins there", async () => {
  const lone = newAgent({ scripts: [{ capabilities }] });
  await lone.prompt("hello");
  const other = path.join(lone.folder, "other");
  await lone.agent.moveTo(other);
  const { pid } = lone.heard.process;
  process.kill(pid, "SIGSTOP");
  const turn = lone.prompt("again").catch((error: unknown) => error);
  process.kill(pid, "SIGKILL");
  expect(await turn).toMatchObject({ code: "ACP_SESSION_INIT_FAILED", details: { retryable: true } });
  expect(lone.state.lifecycle).toMatchObject({ status: "stale", cause: "resume-failed" });
  expect(await lone.prompt("again")).toBe("end_turn");
  expect(lone.heard.messages.at(-2)).toMatchObject({ method: "session/new", params: { cwd: other } });
});
