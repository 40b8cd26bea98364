// Limits of commands, sessions and the host, from the configuration and requests to exits, turns and the audit.
import { makeId } from "@holdfast/ahp";
import { expect, onTestFinished, test } from "vitest";
import { Spawner } from "@holdfast/terminal/process";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Creates a terminal, waits for its exit, releases it. */
function run(name: string, params: object): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [ask(name, "terminal/create", params), ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId })];
}

function agentOf(...go: Step[]) {
  return { agents: { mine: { prompts: { go } } } };
}

test("[N660] a command of an agent has the strictest limits of the host, its session and its own request", async () => {
  const limits = { wallClockSeconds: 0.2 };
  const steps = [
    ...run("plain", { command: "yes" }),
    ...run("own", { command: "sleep 60", _meta: { holdfast: { limits } } }),
  ];
  const host = newHost({ ...agentOf(...steps), config: { limits: { command: { outputMebibytes: 1 } } } });
  const session = await host.open({ limits: { command: { outputMebibytes: 0.5, wallClockSeconds: 60 } } });
  await session.turn("go");
  const exits = host.host.audit.recent.filter(({ what }) => what === "command-exit");
  expect(
    exits.map(({ subject, outcome, limit, terminal }) => [subject, outcome, limit, typeof terminal]),
  ).toEqual([
    ["yes", "Stopped: output limit (512 KiB)", "outputBytes", "string"],
    ["sleep 60", "Stopped: time limit (200 ms)", "wallClockMs", "string"],
  ]);
});

test("[N661] a limit above its ceiling is an error that says what to do, for a session and for a command", async () => {
  // Where the limit is that of a user, it counts all of the user's processes.
  const config = { limits: { command: { memoryMebibytes: 512 }, session: { processes: 10_000 } } };
  const limits = { memoryMebibytes: 300 };
  const host = newHost({
    ...agentOf(
      ask("above", "terminal/create", { command: "true", _meta: { holdfast: { limits } } }),
      ask("unknown", "terminal/create", { command: "true", _meta: { holdfast: { limits: { speed: 1 } } } }),
    ),
    config,
  });
  await expect(host.open({ limits: { command: { memoryMebibytes: 1024 } } })).rejects.toMatchObject({
    code: "LIMIT_TOO_HIGH",
    status: 403,
    message:
      "limits.command.memoryMebibytes: 1024 is above the limit in force, 512. Request at most 512, or raise limits.command.memoryMebibytes in the configuration.",
  });
  await expect(host.open({ limits: { session: { processes: 10_001 } } })).rejects.toMatchObject({
    code: "LIMIT_TOO_HIGH",
  });
  const session = await host.open({ limits: { command: { memoryMebibytes: 256 } } });
  await expect(session.patch({ limits: { session: { processes: 20_000 } } })).rejects.toMatchObject({
    code: "LIMIT_TOO_HIGH",
  });
  await session.turn("go");
  expect((await session.agent.answer("above")).error).toMatchObject({
    code: -32009,
    message: expect.stringContaining(
      "Request at most 256, or raise limits.command.memoryMebibytes of the session",
    ),
  });
  expect((await session.agent.answer("unknown")).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("the limits are wallClockSeconds, outputMebibytes"),
  });
  expect(session.toolCalls).toEqual([]);
});

test("[A712] sessions of a key have its limits beside those of the configuration, and cannot exceed them", async () => {
  const host = newHost({
    ...agentOf(
      ask("above", "terminal/create", {
        command: "true",
        _meta: { holdfast: { limits: { wallClockSeconds: 61 } } },
      }),
      ask("first", "terminal/create", { command: "sleep 60" }),
      ask("second", "terminal/create", { command: "sleep 60" }),
    ),
    config: { limits: { command: { outputMebibytes: 5 }, key: { openTerminals: 4, processes: 9000 } } },
  });
  const limits = { command: { wallClockSeconds: 60 }, key: { memoryMebibytes: 2048, openTerminals: 1 } };
  const app = {
    kind: "app",
    appId: makeId("app", "key:a"),
    ceiling: { policy: "approve-all", limits },
  } as const;
  const options = { agent_id: "mine", cwd: host.work, approvalPolicy: "approve-all" } as const;
  const remedy = expect.stringContaining("ask the host's owner for a key with a higher limit") as string;
  for (const requested of [{ command: { wallClockSeconds: 61 } }, { session: { memoryMebibytes: 4096 } }]) {
    await expect(host.host.createSession({ ...options, limits: requested }, app)).rejects.toMatchObject({
      code: "LIMIT_TOO_HIGH",
      message: remedy,
    });
  }
  const { session_key: key } = await host.host.createSession(options, app);
  const listed = host.host.getSession(key, app).limits ?? [];
  expect(listed.map(({ level, name, value }) => [level, name, value])).toEqual([
    ["command", "wall-clock", 60_000],
    ["command", "output", 5 * 1024 * 1024],
    ["key", "memory", 2 * 1024 ** 3],
    ["key", "processes", 9000],
    ["key", "open-terminals", 1],
  ]);
  await host.host.chat(key, { message: "go" }, app);
  const refusals = host.host.audit.recent.filter(({ what }) => what === "refusal");
  expect(refusals).toMatchObject([{ by: "agent mine", subject: "true", outcome: remedy }]);
  const commands = host.host.audit.recent.filter(({ what }) => what === "command");
  expect(commands.map(({ outcome }) => outcome)).toEqual([
    "started",
    expect.stringContaining("raise limits.key.openTerminals"),
  ]);
});

test("[N662] a session lists the limits in force with what enforces each, also after a patch and a restart of its agent", async () => {
  const host = newHost({
    agents: { mine: { capabilities: { loadSession: true } } },
    config: { limits: { preset: "short-commands", host: { processes: 4000 } } },
  });
  const session = await host.open({ limits: { session: { memoryMebibytes: 2048, openTerminals: 3 } } });
  const listed = session.status.limits ?? [];
  expect(listed.map(({ name, value, unit, level }) => [level, name, value, unit])).toEqual([
    ["command", "wall-clock", 300_000, "ms"],
    ["command", "output", 10 * 1024 * 1024, "bytes"],
    ["session", "memory", 2 * 1024 ** 3, "bytes"],
    ["session", "open-terminals", 3, "count"],
    ["host", "processes", 4000, "count"],
  ]);
  expect(listed.map(({ by }) => by)).not.toContain(undefined);
  expect(session.state.limits).toEqual(listed);
  expect(host.host.listSessions(ME)[0]?.limits).toBeUndefined();
  await session.patch({ limits: { command: { outputMebibytes: 1 } } });
  expect(session.status.limits?.map(({ level, name, value }) => [level, name, value])).toEqual([
    ["command", "wall-clock", 300_000],
    ["command", "output", 1024 * 1024],
    ["host", "processes", 4000],
  ]);
});

test("[N662] without cgroups the limits of a session say that they hold each process", async () => {
  const processPort = new Spawner({
    environment: { PATH: process.env["PATH"] },
    useCgroups: false,
  });
  onTestFinished(() => processPort.close());
  const host = newHost({ processPort });
  const session = await host.open({ limits: { session: { memoryMebibytes: 4096, cpuCores: 1 } } });
  expect(session.status.limits?.map(({ name, by }) => [name, by])).toEqual([
    ["memory", "rlimit"],
    ["cpu-cores", "none"],
  ]);
  await host.host.close();
});

test("[N663] an agent that leaks memory ends at its session's limit, and the turn says so", async (context) => {
  const host = newHost({
    agents: { mine: { capabilities: { loadSession: true }, prompts: { go: [{ do: "leak" }] } } },
  });
  const session = await host.open({
    approvalPolicy: "approve-all",
    limits: { session: { memoryMebibytes: 2000 } },
  });
  await session.patch({ limits: { session: { memoryMebibytes: 400 } } });
  const by = session.status.limits?.[0]?.by;
  if (by !== "cgroup1" && by !== "cgroup2") return context.skip("no memory controller is writable here");
  const end = await session.stream("go").ended;
  const limit = { name: "memory", value: 400 * 1024 * 1024, unit: "bytes", level: "session" };
  expect(end).toMatchObject({
    type: "chat/error",
    error: {
      code: "ACP_AGENT_EXITED",
      message:
        "The agent was stopped: session memory limit (400 MiB). Send the message again to restart it, or raise the limit.",
    },
    limit,
  });
  expect(await session.chat("after")).toMatchObject({ stop_reason: "end_turn" });
});

test.each([
  ["cpuSeconds", { cpuSeconds: 1 }, [{ do: "spin" }], "agent CPU time limit (1 s)", "cpu-time", 1000],
  [
    "outputBytes",
    { outputMebibytes: 1 },
    [{ do: "hugeLine", sizeBytes: 4 * 1024 * 1024, text: "x" }, { do: "hang" }],
    "agent output limit (1 MiB)",
    "output",
    1024 * 1024,
  ],
] as const)(
  "[N700][V700] an agent that exceeds its limit %s is stopped, and exit, audit, state and turn name it",
  async (portName, agent, go, words, name, value) => {
    const host = newHost({
      agents: { mine: { capabilities: { loadSession: true }, prompts: { go } } },
      config: { limits: { agent } },
    });
    const session = await host.open({ approvalPolicy: "approve-all" });
    expect(session.status.limits).toMatchObject([{ name, value, level: "agent" }]);
    const end = await session.stream("go").ended;
    expect(end).toMatchObject({
      type: "chat/error",
      error: {
        code: "ACP_AGENT_EXITED",
        message: `The agent was stopped: ${words}. Send the message again to restart it, or raise the limit.`,
      },
      limit: { name, value, level: "agent" },
    });
    const exits = host.host.audit.recent.filter(({ what }) => what === "agent-exit");
    expect(exits).toMatchObject([{ subject: "mine", outcome: `Stopped: ${words}`, limit: portName }]);
    expect(await session.chat("after")).toMatchObject({ stop_reason: "end_turn" });
  },
);

test("[N700] a session lowers the limits of its agent, and raises none", async () => {
  const host = newHost({
    agents: { mine: { capabilities: { loadSession: true } } },
    config: { limits: { agent: { cpuSeconds: 60 } } },
  });
  await expect(host.open({ limits: { agent: { cpuSeconds: 61 } } })).rejects.toMatchObject({
    code: "LIMIT_TOO_HIGH",
    message: expect.stringContaining("limits.agent.cpuSeconds: 61 is above the limit in force, 60"),
  });
  const session = await host.open({ limits: { agent: { cpuSeconds: 30, outputMebibytes: 5 } } });
  expect(session.status.limits?.map(({ level, name, value }) => [level, name, value])).toEqual([
    ["agent", "cpu-time", 30_000],
    ["agent", "output", 5 * 1024 * 1024],
  ]);
});

const busyLevels = process.env["HOLDFAST_LONG"] === undefined ? ["guard"] : ["none", "guard", "workspace"];

test.each(busyLevels)(
  "[N701] a command that used up its CPU time names the limit in its exit and in the audit, isolation %s",
  async (isolation) => {
    const steps = run("busy", { command: "while :; do :; done" });
    const config = { isolation: { level: isolation }, limits: { command: { cpuSeconds: 1 } } };
    const host = newHost({ ...agentOf(...steps), config });
    const session = await host.open();
    await session.turn("go");
    const exit = host.host.audit.recent.find(({ what }) => what === "command-exit");
    expect(exit).toMatchObject({
      outcome: "Stopped: CPU time limit (1 s)",
      limit: "cpuSeconds",
      isolation: expect.stringContaining(isolation) as string,
    });
    const limit = { name: "cpu-time", value: 1000, unit: "ms", level: "command" };
    expect(host.host.terminals.list(ME)).toMatchObject([{ lifecycle: { exit: { limit } } }]);
  },
);

test("[U660] one command more than may run at once is refused, and another may run when one has ended", async () => {
  const host = newHost({
    ...agentOf(
      ask("one", "terminal/create", { command: "sleep 60" }),
      ask("two", "terminal/create", { command: "sleep 60" }),
      ask("three", "terminal/create", { command: "true" }),
      ask("killed", "terminal/kill", { terminalId: "$one.terminalId" }),
      ask("waited", "terminal/wait_for_exit", { terminalId: "$one.terminalId" }),
      ask("four", "terminal/create", { command: "true" }),
    ),
    config: { limits: { session: { openTerminals: 2 } } },
  });
  const session = await host.open();
  await session.turn("go");
  expect((await session.agent.answer("three")).error).toMatchObject({
    code: -32029,
    message:
      "2 commands of this session are already running. Wait for one to end, end one, or raise limits.session.openTerminals.",
  });
  expect(await session.agent.result("four")).toMatchObject({ terminalId: expect.any(String) });
});
