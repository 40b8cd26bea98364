// Agents, turns and terminals that outlive their host: killed between two ticks, continued by the next one.
import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChatState, defaultChatUri, type ToolCall, type Turn as TurnState } from "@holdfast/ahp";
import { expect, test } from "vitest";
import type { WaitingQuestion } from "../approval/approvals.ts";
import { until } from "../testing/agent-record.ts";
import { ME } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { type Restarts, useRestarts } from "../testing/restarts.ts";
import { answer, ask, askPermission, say, type Step, update } from "../testing/script.ts";

const newRestarts = useRestarts();

function sessionOf(restarts: Restarts, key: string): FakeSession {
  return new FakeSession(restarts.host, key, restarts.heard);
}

/** The chat of a session, also when it is not in memory. */
function chatOf(restarts: Restarts, key: string): ChatState {
  const uri = defaultChatUri(sessionOf(restarts, key).state.resource);
  const stored = restarts.storage.loadChannel(uri);
  const state = restarts.host.hub.state(uri, "chat") ?? (stored?.kind === "chat" ? stored.state : undefined);
  if (state === undefined) throw new Error(`There is no chat of ${key}`);
  return state;
}

function lastTurnOf(restarts: Restarts, key: string): TurnState {
  const turn = chatOf(restarts, key).turns.at(-1);
  if (turn === undefined) throw new Error("No turn has ended");
  return turn;
}

function textOf(turn: TurnState): string {
  return turn.responseParts.map((part) => (part.kind === "markdown" ? part.content : "")).join("");
}

function callsOf(turn: TurnState): readonly ToolCall[] {
  return turn.responseParts.flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
}

function send(restarts: Restarts, key: string, message: string): void {
  restarts.host.streamTurn(key, { message }, ME, () => undefined);
}

test("[R720] a turn continues in the next host: same id, text once and in order, the agent keeps its process", async () => {
  const restarts = newRestarts({
    script: {
      prompts: {
        "*": [
          { do: "say", text: "one " },
          { do: "until", path: "first" },
          { do: "say", text: "two " },
          { do: "say", text: "three " },
          { do: "until", path: "second" },
          { do: "say", text: "four" },
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  const before = await until(
    () => chatOf(restarts, key).activeTurn?.openPart && chatOf(restarts, key).activeTurn,
  );
  await restarts.kill();
  restarts.pass("first");
  await sleep(50);
  await restarts.start();
  const session = sessionOf(restarts, key);
  expect(session.chatState.activeTurn).toMatchObject({ id: before.id, startedAt: before.startedAt });
  expect(sessionOf(restarts, key).state.lifecycle.status).toBe("ready");
  await restarts.start();
  restarts.pass("second");
  await until(() => chatOf(restarts, key).activeTurn === undefined);
  const turn = lastTurnOf(restarts, key);
  expect(textOf(turn)).toBe("one two three four");
  expect(turn).toMatchObject({ id: before.id, end: { state: "complete", stopReason: "end_turn" } });
  // Idle, its agent keeps its process as well.
  await restarts.start();
  await sessionOf(restarts, key).turn("again");
  expect(restarts.heard.processes).toHaveLength(1);
  expect(restarts.heard.methods).toEqual(["initialize", "session/new", "session/prompt", "session/prompt"]);
});

function waiting(restarts: Restarts): WaitingQuestion[] | undefined {
  const questions = restarts.host.approvals.list(ME);
  return questions.length === 0 ? undefined : questions;
}

async function ended(restarts: Restarts, key: string, turns = 1): Promise<TurnState> {
  return until(() => {
    const chat = chatOf(restarts, key);
    return chat.activeTurn === undefined && chat.turns.length === turns && lastTurnOf(restarts, key);
  });
}

test("[R721] a permission that waited is still there: same id, same expiry, and its decision reaches the agent once", async () => {
  const restarts = newRestarts({
    script: {
      prompts: { "*": [askPermission("rm", { kind: "execute", title: "rm -rf build" }), say("Done")] },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  const [before] = await until(() => waiting(restarts));
  await restarts.start();
  expect(waiting(restarts)).toEqual([before]);
  await restarts.start();
  const { id } = before?.kind === "permission" ? before.toolCall.approval : { id: "" };
  expect(restarts.host.approvals.resolve(key, { requestId: id, optionId: "yes" }, ME)).toEqual({
    resolved: true,
  });
  await restarts.heard.answer("rm");
  await restarts.start();
  const turn = await ended(restarts, key);
  expect(textOf(turn)).toBe("Done");
  expect(callsOf(turn)).toMatchObject([{ decisions: [{ approvalId: id, outcome: "approved" }] }]);
  expect(restarts.heard.answers("rm")).toEqual([
    { result: { outcome: { outcome: "selected", optionId: "yes" } } },
  ]);
  expect(restarts.storage.audit.read({ what: "approval" })).toHaveLength(1);
});

test("[R722] the host's own question, the command that it was about, and the agent's handle on it survive", async () => {
  const restarts = newRestarts({
    script: {
      prompts: {
        "*": [
          ask("run", "terminal/create", {
            command: "sh",
            args: ["-c", "echo begun; while [ ! -e ../go ]; do sleep 0.02; done; echo ended; exit 7"],
          }),
          update("tool_call", {
            toolCallId: "call",
            title: "sh",
            kind: "execute",
            status: "in_progress",
            content: [{ type: "terminal", terminalId: "$run.terminalId" }],
          }),
          ask("wait", "terminal/wait_for_exit", { terminalId: "$run.terminalId" }),
          ask("output", "terminal/output", { terminalId: "$run.terminalId" }),
          update("tool_call_update", { toolCallId: "call", status: "completed" }),
          ask("release", "terminal/release", { terminalId: "$run.terminalId" }),
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "ask" });
  send(restarts, key, "go");
  const [asked] = await until(() => waiting(restarts));
  await restarts.start();
  expect(waiting(restarts)).toEqual([asked]);
  const { id } = asked?.kind === "permission" ? asked.toolCall.approval : { id: "" };
  const option = asked?.kind === "permission" ? asked.toolCall.approval.options[0]?.id : "";
  restarts.host.approvals.resolve(key, { requestId: id, optionId: option ?? "" }, ME);
  await restarts.heard.answer("run");
  await restarts.start();
  await until(() => sessionOf(restarts, key).toolCalls.some(({ toolCallId }) => toolCallId === "call"));
  await restarts.start();
  restarts.pass("go");
  const turn = await ended(restarts, key);
  expect(restarts.heard.answers("wait")).toEqual([{ result: { exitCode: 7, signal: null } }]);
  expect(restarts.heard.answers("output")).toMatchObject([
    { result: { output: "begun\nended\n", exitStatus: { exitCode: 7 } } },
  ]);
  expect(turn.end).toMatchObject({ state: "complete" });
  const call = callsOf(turn).find(({ toolCallId }) => toolCallId === "call");
  expect(call?.content).toMatchObject([
    { type: "terminal", result: { preview: "begun\nended\n", exit: { kind: "code", exitCode: 7 } } },
  ]);
  const audit = restarts.storage.audit.read().map(({ entry }) => `${entry.what} ${entry.outcome}`);
  expect(audit.filter((entry) => entry.startsWith("command"))).toEqual([
    "command started",
    "command-exit exit code 7",
  ]);
});

test("[R723] a form that waited is still there, and its answer reaches the agent once", async () => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const restarts = newRestarts({
    script: {
      prompts: {
        "*": [ask("form", "elicitation/create", { message: "Who?", mode: "form", requestedSchema })],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  const [before] = await until(() => waiting(restarts));
  await restarts.start();
  expect(waiting(restarts)).toEqual([before]);
  const requestId = before?.kind === "form" ? before.request.id : "";
  restarts.host.approvals.resolve(key, { requestId, optionId: "accept", content: { name: "Ann" } }, ME);
  await ended(restarts, key);
  expect(restarts.heard.answers("form")).toEqual([
    { result: { action: "accept", content: { name: "Ann" } } },
  ]);
});

test("[R724] a turn that is being cancelled ends as cancelled, or its agent is ended in time", async () => {
  const restarts = newRestarts({
    script: { ignoresCancel: true, prompts: { "*": [say("So far"), { do: "hang" }] } },
    timeouts: { cancelMs: 300 },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  await restarts.heard.heard("session/prompt");
  void restarts.host.cancelTurn(key, { reason: "enough" }, ME).catch(() => undefined);
  await restarts.heard.heard("session/cancel");
  await restarts.start();
  const turn = await ended(restarts, key);
  expect(turn.end).toMatchObject({ state: "cancelled", reason: "enough" });
  expect(restarts.heard.methods.filter((method) => method === "session/cancel")).toHaveLength(1);
});

test("[R726] a command that the agent runs itself keeps what it showed, and continues", async () => {
  const terminal = (meta: object, more: object = {}): Step =>
    update("tool_call_update", { toolCallId: "call", ...more, _meta: meta });
  const restarts = newRestarts({
    script: {
      prompts: {
        "*": [
          update("tool_call", {
            toolCallId: "call",
            title: "make",
            kind: "execute",
            status: "in_progress",
            content: [{ type: "terminal", terminalId: "t" }],
            _meta: { terminal_info: { terminal_id: "t" } },
          }),
          terminal({ terminal_output: { terminal_id: "t", data: "one\n" } }),
          { do: "until", path: "go" },
          terminal({ terminal_output: { terminal_id: "t", data: "two\n" } }),
          terminal({ terminal_exit: { terminal_id: "t", exit_code: 0 } }, { status: "completed" }),
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  await until(() => restarts.host.ahp.hub.list("terminal")[0]?.state.output.endOffset !== undefined);
  await sleep(100);
  await restarts.start();
  restarts.pass("go");
  const turn = await ended(restarts, key);
  expect(callsOf(turn)[0]?.content).toMatchObject([
    { type: "terminal", result: { preview: "one\ntwo\n", exit: { kind: "code", exitCode: 0 } } },
  ]);
  expect(restarts.host.hub.list("terminal")).toHaveLength(1);
});

test("[R727] a turn that waited for its agent begins again, under its id", async () => {
  const restarts = newRestarts({
    script: {
      initialize: [
        { do: "until", path: "go" },
        answer({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
      ],
      prompts: { "*": [say("Hello")] },
    },
  });
  restarts.pass("go");
  await restarts.start();
  const key = await restarts.open();
  await sessionOf(restarts, key).turn("first");
  rmSync(path.join(restarts.folder, "go"));
  process.kill(restarts.heard.process.pid);
  await until(() => sessionOf(restarts, key).state.lifecycle.status === "stale");
  send(restarts, key, "second");
  const { id } = await until(() => chatOf(restarts, key).activeTurn);
  await until(() => restarts.heard.processes.length === 2);
  await restarts.start();
  restarts.pass("go");
  await until(() => chatOf(restarts, key).turns.length === 2);
  expect(sessionOf(restarts, key).lastTurn).toMatchObject({ id, end: { state: "complete" } });
  const { pid } = restarts.heard.processes[1] ?? { pid: 0 };
  await until(() => !isAlive(pid));
});

test("[R728] an agent that died while no host was there ends its turn as it would have", async () => {
  const restarts = newRestarts({
    script: {
      prompts: {
        "*": [
          say("So far"),
          { do: "until", path: "go" },
          { do: "stderr", text: "boom\n" },
          { do: "exit", code: 3 },
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  await restarts.heard.heard("session/prompt");
  await until(() => chatOf(restarts, key).activeTurn?.openPart);
  await restarts.kill();
  restarts.pass("go");
  await until(() => !isAlive(restarts.heard.process.pid));
  await restarts.start();
  const turn = await ended(restarts, key);
  expect(turn.end).toMatchObject({
    state: "failed",
    error: { code: "ACP_AGENT_EXITED", stderrTail: ["boom"] },
  });
  await until(() => restarts.storage.runs().length === 0);
});

test("[R729] what the port does not know is interrupted and resumable, and its run is forgotten", async () => {
  const restarts = newRestarts({ script: { prompts: { "*": [say("So far"), { do: "hang" }] } } });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  await until(() => chatOf(restarts, key).activeTurn?.openPart);
  await restarts.loseRuns();
  await restarts.start();
  const turn = await ended(restarts, key);
  expect(turn.end).toMatchObject({ state: "interrupted", resumable: true });
  expect(sessionOf(restarts, key).state.lifecycle).toMatchObject({
    status: "stale",
    cause: "host-restarted",
  });
  expect(restarts.storage.runs()).toEqual([]);
});

test("[R730] a host that detaches records everything and leaves it running; one that closes ends it", async () => {
  const restarts = newRestarts({
    script: { prompts: { "*": [say("one "), { do: "until", path: "go" }, say("two")] } },
  });
  await restarts.start();
  const key = await restarts.open();
  send(restarts, key, "go");
  await until(() => chatOf(restarts, key).activeTurn?.openPart);
  await restarts.host.detach();
  expect(isAlive(restarts.heard.process.pid)).toBe(true);
  await restarts.start();
  restarts.pass("go");
  expect(textOf(await ended(restarts, key))).toBe("one two");
  await restarts.host.close();
  expect(isAlive(restarts.heard.process.pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
}

test("[R733] runs that belong to no session and no terminal are ended, also those of sessions that were closed", async () => {
  const restarts = newRestarts();
  await restarts.start();
  await restarts.open();
  const foreign = { kind: "text", command: "sleep", args: ["600"], cwd: "/", env: {} } as const;
  await restarts.kill();
  const { port } = restarts;
  const ignore = { bytes: () => {}, exit: () => {}, end: () => {} };
  const { pid } = await port.start(foreign, ignore);
  const tagged = await port.start({ ...foreign, tag: '{"kind":"terminal","uri":"ahp-terminal:/x"}' }, ignore);
  await restarts.start();
  expect([isAlive(pid), isAlive(tagged.pid)]).toEqual([false, false]);
  expect(isAlive(restarts.heard.process.pid)).toBe(true);
  await restarts.kill();
  expect((await restarts.port.held()).runs).toHaveLength(1);
});

test("[V731] the sandbox of a session is kept, and its next process joins it", async (context) => {
  const restarts = newRestarts({
    config: { isolation: { level: "guard" } },
    script: {
      prompts: {
        "*": [
          ask("run", "terminal/create", { command: "readlink", args: ["/proc/self/ns/mnt"] }),
          ask("wait", "terminal/wait_for_exit", { terminalId: "$run.terminalId" }),
          ask("namespace", "terminal/output", { terminalId: "$run.terminalId" }),
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "approve-all" });
  if (sessionOf(restarts, key).state.isolation?.level !== "guard") {
    return context.skip("this machine has no backend for isolation");
  }
  await sessionOf(restarts, key).turn("one");
  await restarts.start();
  await sessionOf(restarts, key).turn("two");
  const namespaces = restarts.heard.answers("namespace").map(({ result }) => result?.["output"]);
  expect(namespaces).toHaveLength(2);
  expect(namespaces[1]).toBe(namespaces[0]);
  await restarts.kill();
  expect((await restarts.port.held()).sandboxes).toHaveLength(1);
});
