// The handshake with an agent: the host's parameters, the responses that count, and agents that do not respond.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { guardLeaks, isAlive } from "../testing/detector.ts";
import { Redactor } from "../redaction/redactor.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { answer, type Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N1] a session is ready only once the agent has answered initialize and session/new", async () => {
  const host = newHost({
    agents: { mine: { newSession: [{ do: "until", path: "gate" }, answer({ sessionId: "s-1" })] } },
  });
  const opening = host.open();
  await host.heard().heard("session/new");
  expect(host.host.listSessions(ME).map(({ state }) => state)).toEqual(["initializing"]);
  host.pass("gate");
  const session = await opening;
  expect(session.status).toMatchObject({ state: "ready", backend_id: "s-1", agent_id: "mine" });
  expect(session.key).toMatch(/^agent:mine:acp:[0-9a-f-]{36}$/);
  expect(session.agent.methods).toEqual(["initialize", "session/new"]);
  expect(session.agent.messages[1]?.params).toEqual({ cwd: host.work, mcpServers: [] });
});

test("[N2] the host asks for version 1 in the shapes of version 1, with all that it can do", async () => {
  const host = newHost();
  const session = await host.open();
  const [{ params } = { params: {} }] = session.agent.messages;
  expect(Object.keys(params).toSorted()).toEqual(["clientCapabilities", "clientInfo", "protocolVersion"]);
  expect(params).toMatchObject({
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      elicitation: { form: {}, url: {} },
    },
  });
});

test("[N280] an agent receives the name and the version of the host's program", async () => {
  const session = await newHost().open();
  expect(session.agent.messages[0]?.params["clientInfo"]).toEqual({
    name: "holdfast",
    title: "Holdfast",
    version: "7.8.9",
  });
});

test("[N2] an answer in the shape of version 1 counts, whatever number it names", async () => {
  const host = newHost({
    agents: {
      mine: { initialize: [answer({ protocolVersion: 2, agentCapabilities: { loadSession: true } })] },
    },
  });
  const session = await host.open();
  expect(session.state.agent).toMatchObject({ resume: "load" });
});

test("[N2] an answer without agentCapabilities is taken for an agent that can do little", async () => {
  const host = newHost({ agents: { mine: { initialize: [answer({ protocolVersion: 1 })] } } });
  expect((await host.open()).state.agent).toEqual({ name: "agent", resume: "none", accepts: [] });
});

test("[N2] an agent that insists on version 2 fails creation with a sentence that says so", async () => {
  const script: Script = {
    ignoresEndOfInput: true,
    initialize: [answer({ protocolVersion: 2, info: { name: "new" }, capabilities: {} })],
  };
  const host = newHost({ agents: { mine: script }, timeouts: { endOfInputMs: 20 } });
  const message = expect.stringContaining("requires ACP version 2; Holdfast speaks version 1") as string;
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", status: 502, message });
  expectNothingLeft(host);
});

test("[N3] noise before, between and after the agent's lines is skipped", async () => {
  const noise = { do: "stdout", text: "npm warn something\n\n[not json\nWelcome!\n" } as const;
  const result = { protocolVersion: 1, agentCapabilities: {} };
  const host = newHost({ agents: { mine: { initialize: [noise, answer(result), noise] } } });
  expect((await host.open()).status.state).toBe("ready");
  expect(host.log.some((line) => line.includes("noise"))).toBe(true);
});

test("[N3] an agent that crashes in the handshake fails creation with its last output, and nothing is left", async () => {
  const host = newHost({
    agents: { mine: { stderr: "loading\nTypeError: boom\n", initialize: [{ do: "exit", code: 7 }] } },
  });
  const message = expect.stringContaining("TypeError: boom") as string;
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
  expectNothingLeft(host);
});

test.each([
  ["initialize", { initialize: [{ do: "exit", code: 7 }] }],
  ["session/new", { newSession: [{ do: "exit", code: 7 }] }],
] as const)(
  "[N462] an agent that exits in %s fails creation with its exit code and last lines",
  async (method, script) => {
    const host = newHost({ agents: { mine: { ...script, stderr: "TypeError: boom\n" } } });
    const failure: unknown = await host.open().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "ACP_SESSION_INIT_FAILED" });
    const { message } = failure as Error;
    expect(message).toContain(`its process ended before it answered ${method} (exit code 7)`);
    expect(message).toContain("TypeError: boom");
    expectNothingLeft(host);
  },
);

test("[N462] an agent that a signal ends in the handshake fails creation with the signal", async () => {
  const host = newHost({ agentConfig: { mine: { command: "/bin/sh", args: ["-c", "kill -KILL $$"] } } });
  const message = expect.stringContaining("(SIGKILL)") as string;
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
});

test.each([
  ["null", null, "is not an object"],
  ["a text", "yes", "is not an object"],
  ["a list", [], "is not an object"],
  ["an empty object", {}, "has no protocolVersion"],
])(
  "[N462] %s as the response to initialize fails creation with a sentence that says so",
  async (_what, result, problem) => {
    const host = newHost({ agents: { mine: { initialize: [answer(result)] } } });
    const message = expect.stringContaining(`response to initialize ${problem}`) as string;
    await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
    expectNothingLeft(host);
  },
);

test.each([
  ["initialize", { initialize: [{ do: "hang" }] }],
  ["session/new", { newSession: [{ do: "hang" }] }],
] as const)(
  "[N3] an agent that never answers %s is given up, and nothing is left",
  async (method, script) => {
    const host = newHost({
      agents: { mine: { ...script, ignoresEndOfInput: true } },
      timeouts: { handshakeMs: 400, endOfInputMs: 20 },
    });
    const message = expect.stringContaining(`no answer to ${method} within 0.4 s`) as string;
    await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
    expectNothingLeft(host);
  },
);

test("[N3] an agent that rejects a session fails creation with its own message", async () => {
  const host = newHost({
    agents: { mine: { newSession: [{ do: "fail", code: -32000, message: "Authentication required" }] } },
  });
  const message = expect.stringContaining("Authentication required") as string;
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
  expectNothingLeft(host);
});

test("[N283] a program that prints only text is given up soon, and its text is quoted without what steers a terminal", async () => {
  const text = String.raw`printf '\033[1mWelcome\033[0m\r\nto \033]0;title\007REPL 9\n> '; exec sleep 300`;
  const host = newHost({
    agentConfig: { mine: { command: "/bin/sh", args: ["-c", text] } },
    timeouts: { firstMessageMs: 300, endOfInputMs: 20 },
  });
  const startedAt = performance.now();
  await expect(host.open()).rejects.toMatchObject({
    code: "ACP_SESSION_INIT_FAILED",
    message:
      'The agent does not speak ACP (check its command and arguments); it wrote "Welcome | to REPL 9 | >": no ACP message within 0.3 s of its last text.',
  });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expectNothingLeft(host);
});

test("[N283] text of a program that ends is quoted too, within 500 characters and without secrets", async () => {
  const redactor = new Redactor();
  redactor.add("hunter2hunter2");
  const line = `echo 'usage: mine hunter2hunter2'; printf 'x%.0s' $(seq 9000); exit 2`;
  const host = newHost({ agentConfig: { mine: { command: "/bin/sh", args: ["-c", line] } }, redactor });
  const failure: unknown = await host.open().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "ACP_SESSION_INIT_FAILED" });
  const { message } = failure as Error;
  expect(message).toContain('it wrote "usage: mine');
  expect(message).not.toContain("hunter2");
  expect(message.length).toBeLessThan(750);
});

test("[N283] an agent that prints a banner, is slow, and then speaks ACP works", async () => {
  const banner = { do: "stdout", text: 'Loading…\n{"level":"info","msg":"up"}\n' } as const;
  const result = { protocolVersion: 1, agentCapabilities: {} };
  const early = { do: "notify", method: "_auth/status_update", params: {} } as const;
  const host = newHost({
    agents: { mine: { initialize: [banner, early, { do: "sleep", ms: 400 }, answer(result)] } },
    timeouts: { firstMessageMs: 200 },
  });
  expect((await host.open()).status.state).toBe("ready");
});

test("[N460] lines that are no ACP messages cost ten log lines and a count, whether before or after the handshake", async () => {
  const flood = { do: "stdout", text: "no message\n".repeat(4000) } as const;
  const result = { protocolVersion: 1, agentCapabilities: {} };
  const host = newHost({ agents: { mine: { initialize: [flood, answer(result), flood] } } });
  await host.open();
  await host.host.close();
  expect(host.log.filter((line) => line.includes("noise"))).toHaveLength(10);
  expect(host.log.filter((line) => line.includes("7990 more warnings like these were dropped"))).toHaveLength(
    1,
  );
});

test("[N460] a program that floods its output without an ACP message fails creation after 1 MiB", async () => {
  const host = newHost({
    agentConfig: { mine: { command: "/bin/sh", args: ["-c", "exec yes 'no message'"] } },
    timeouts: { endOfInputMs: 20 },
  });
  const message = expect.stringContaining("no ACP message in the first 1 MiB of its output") as string;
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
  expect(host.log.length).toBeLessThan(20);
  expectNothingLeft(host);
});

test("[N3] a program that is not there fails creation with a sentence that names it", async () => {
  const host = newHost({ agentConfig: { mine: { command: "no-such-agent" } } });
  const message = expect.stringContaining("no-such-agent") as string;
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED", message });
});

test("[N3] a host that closes does not wait for a handshake that never ends", async () => {
  const host = newHost({ agents: { mine: { initialize: [{ do: "hang" }] } } });
  const opening = host.open().catch((error: unknown) => error);
  await host.heard().heard("initialize");
  const startedAt = performance.now();
  await host.host.close();
  expect(performance.now() - startedAt).toBeLessThan(3000);
  expect(await opening).toMatchObject({ code: "HOST_STOPPING" });
});

test("[N17] an agent runs in the session's directory, without foreign secrets, with its own variables", async () => {
  const environment = {
    ANTHROPIC_API_KEY: "foreign",
    OPENAI_API_KEY: "foreign",
    HOLDFAST_TOKEN: "ours",
    EDITOR: "ed",
  };
  const host = newHost({ environment });
  const { cwd, env } = (await host.open()).agent.process;
  expect(cwd).toBe(host.work);
  expect(env).toMatchObject({ EDITOR: "ed", PAGER: "cat", GIT_TERMINAL_PROMPT: "0", HOME: host.folder });
  expect(env["FAKE_AGENT_RECORD"]).toBeDefined();
  for (const secret of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HOLDFAST_TOKEN"]) {
    expect(env).not.toHaveProperty(secret);
  }
});

test("[N17] a directory in the agent's configuration is where its process starts; the session's own stays", async () => {
  const elsewhere = "/usr";
  const host = newHost({ agentConfig: { mine: { cwd: elsewhere } } });
  mkdirSync(path.join(host.work, "sub"));
  const session = await host.open({ cwd: path.join(host.work, "sub") });
  expect(session.agent.process.cwd).toBe(elsewhere);
  expect((await session.agent.heard("session/new")).params["cwd"]).toBe(path.join(host.work, "sub"));
});

function expectNothingLeft(host: ReturnType<typeof newHost>): void {
  expect(host.host.listSessions(ME)).toEqual([]);
  expect(host.heard().processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
}
