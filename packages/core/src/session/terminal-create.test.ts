// `terminal/create` of an agent: the command, its directory, its environment, and the error of a failure.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts, type FakeHostOptions } from "../testing/fake-host.ts";
import { ask, say, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Runs the steps as one turn, in a session that asks nobody. */
async function play(steps: readonly Step[], options: FakeHostOptions = {}) {
  const host = newHost({ ...options, agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  await session.turn("go");
  return { host, session, agent: session.agent };
}

/** Creates a terminal, waits for its exit, reads its output, releases it. */
function run(name: string, params: object): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [
    ask(name, "terminal/create", params),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    ask(`${name}Output`, "terminal/output", { terminalId }),
    ask(`${name}Release`, "terminal/release", { terminalId }),
  ];
}

test("[N20] with arguments a command is executed as it is, without them it may be a line for the shell", async () => {
  const { agent } = await play([
    ...run("argv", { command: "printf", args: ["%s|", "a b", "$HOME", "`id`"] }),
    ...run("line", { command: "echo one; echo two >&2; exit 3" }),
    ...run("nulls", { command: "true", args: null, env: null, cwd: null, outputByteLimit: null }),
  ]);
  expect(await agent.result("argvOutput")).toEqual({
    output: "a b|$HOME|`id`|",
    truncated: false,
    exitStatus: { exitCode: 0, signal: null },
  });
  expect(await agent.result("lineOutput")).toMatchObject({
    output: "one\ntwo\n",
    exitStatus: { exitCode: 3, signal: null },
  });
  expect(await agent.result("lineExit")).toEqual({ exitCode: 3, signal: null });
  expect(await agent.result("nullsExit")).toEqual({ exitCode: 0, signal: null });
});

test("[N20] a command runs in the session's directory unless it names another", async () => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [...run("here", { command: "pwd" }), ...run("there", { command: "pwd", cwd: "/usr" })],
        },
      },
    },
  });
  const sub = path.join(host.work, "sub");
  mkdirSync(sub);
  const session = await host.open({ cwd: sub, approvalPolicy: "approve-all" });
  await session.turn("go");
  expect(await session.agent.result("hereOutput")).toMatchObject({ output: `${sub}\n` });
  expect(await session.agent.result("thereOutput")).toMatchObject({ output: "/usr\n" });
});

test("[N21] a command has the base environment, no pager, no secrets of providers or of ours, then its own variables", async () => {
  const environment = { OPENAI_API_KEY: "foreign", HOLDFAST_TOKEN: "ours", EDITOR: "ed", PAGER: "less" };
  const { agent } = await play(
    [
      ...run("list", {
        command: "env",
        env: [
          { name: "MINE", value: "1" },
          { name: "EDITOR", value: "mine" },
        ],
      }),
      ...run("map", { command: "env", env: { MINE: "2" } }),
    ],
    { environment },
  );
  const { output } = await agent.result("listOutput");
  const lines = String(output).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      "MINE=1",
      "EDITOR=mine",
      "PAGER=cat",
      "GIT_PAGER=cat",
      "GIT_TERMINAL_PROMPT=0",
      "TERM=dumb",
    ]),
  );
  expect(lines.filter((line) => /OPENAI_API_KEY|HOLDFAST_TOKEN|FAKE_AGENT/.test(line))).toEqual([]);
  expect((await agent.result("mapOutput"))["output"]).toContain("MINE=2\n");
});

test("[N20] a command's input is empty, so that what would ask fails fast", async () => {
  const { agent } = await play(run("cat", { command: "cat; test -t 0 || echo no terminal" }));
  expect(await agent.result("catOutput")).toMatchObject({ output: "no terminal\n" });
});

test("[N20] an agent requests a pseudo-terminal through _meta", async () => {
  const { agent } = await play(
    run("tty", {
      command: "test -t 0 && stty size",
      _meta: { holdfast: { tty: true, columns: 90, rows: 12 } },
    }),
  );
  expect((await agent.result("ttyOutput"))["output"]).toContain("12 90");
});

test("[N22] what cannot be run is an error of the create that says why; a shell line exits 127 as in a shell", async () => {
  const { agent, host, session } = await play([
    ask("missing", "terminal/create", { command: "no-such-program", args: ["x"] }),
    ask("nowhere", "terminal/create", { command: "ls", cwd: "/no/such/place" }),
    ask("relative", "terminal/create", { command: "ls", cwd: "sub" }),
    ask("nothing", "terminal/create", {}),
    ask("badArgs", "terminal/create", { command: "ls", args: "-l" }),
    ask("badLimit", "terminal/create", { command: "ls", outputByteLimit: -1 }),
    ask("badEnv", "terminal/create", { command: "ls", env: [{ name: "A=B", value: "1" }] }),
    ...run("line", { command: "no-such-program || no-such-program" }),
    say("still here"),
  ]);
  expect((await agent.answer("missing")).error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/no-such-program.*full path/) as string,
    data: { code: "program_not_found" },
  });
  expect((await agent.answer("nowhere")).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("/no/such/place") as string,
  });
  expect((await agent.answer("relative")).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("absolute") as string,
  });
  for (const name of ["nothing", "badArgs", "badLimit"]) {
    expect((await agent.answer(name)).error?.code).toBe(-32602);
  }
  expect((await agent.answer("badEnv")).error?.message).toContain("env");
  expect(await agent.result("lineExit")).toEqual({ exitCode: 127, signal: null });
  expect(session.text).toBe("still here");
  expect(host.host.hub.list("terminal")).toHaveLength(1);
});

test("[N23] output is the tail, cut between characters, of one mebibyte or of what was asked for, sixteen at most", async () => {
  const flood = "yes 'häh' | head -c 3000001";
  const { agent } = await play([
    ...run("unasked", { command: flood }),
    ...run("small", { command: "printf 'abcdefgh€'", outputByteLimit: 5 }),
    ...run("split", { command: "printf 'abcdefgh€'", outputByteLimit: 2 }),
    ...run("none", { command: "echo something", outputByteLimit: 0 }),
    ...run("huge", { command: "head -c 17000000 /dev/zero | tr '\\0' x", outputByteLimit: 1e12 }),
    ...run("whole", { command: "printf abc", outputByteLimit: 3 }),
  ]);
  const unasked = await agent.result("unaskedOutput");
  const sizeBytes = Buffer.byteLength(String(unasked["output"]));
  expect(unasked["truncated"]).toBe(true);
  expect(sizeBytes).toBeLessThanOrEqual(1024 * 1024);
  expect(sizeBytes).toBeGreaterThan(1024 * 1024 - 4);
  expect(unasked["output"]).not.toContain("\uFFFD");
  expect(await agent.result("smallOutput")).toMatchObject({ output: "gh€", truncated: true });
  expect(await agent.result("splitOutput")).toMatchObject({ output: "", truncated: true });
  expect(await agent.result("noneOutput")).toMatchObject({ output: "", truncated: true });
  expect(String((await agent.result("hugeOutput"))["output"])).toHaveLength(16 * 1024 * 1024);
  expect(await agent.result("wholeOutput")).toMatchObject({ output: "abc", truncated: false });
});

test("[N24] a command is a channel, held by the session, that says how it ended", async () => {
  const steps = [
    {
      do: "update",
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "call",
        title: "Run",
        kind: "execute",
        status: "in_progress",
      },
    } as const,
    ...Array.from({ length: 20 }, (_, index) => run(`quick${index}`, { command: "true" })).flat(),
    ...run("killed", { command: "kill -9 $$" }),
  ];
  const { host, session } = await play(steps);
  const states = host.host.hub.list("terminal").map(({ state }) => state);
  expect(states).toHaveLength(21);
  const { resource, defaultChat } = session.state;
  expect(states.map(({ claim }) => claim)).toEqual(
    states.map(() => ({ kind: "session", session: resource, chat: defaultChat })),
  );
  const exits = states.map(({ lifecycle }) =>
    lifecycle.status === "exited" ? lifecycle.exit : lifecycle.status,
  );
  expect(exits.slice(0, 20)).toEqual(exits.slice(0, 20).map(() => ({ kind: "code", exitCode: 0 })));
  expect(exits[20]).toEqual({ kind: "signal", signal: "SIGKILL" });
  // The list is published as a whole, and so at most every few milliseconds.
  await until(() => (host.host.hub.list("root")[0]?.state.terminals.length === 21 ? true : undefined));
});

test.each([
  ["session/request_permission", {}, -32602, "toolCall must be an object"],
  ["session/request_permission", { toolCall: { toolCallId: "a" } }, -32602, "options must be a list"],
  [
    "session/request_permission",
    { toolCall: { toolCallId: "a" }, options: [{ optionId: "a", name: "A" }] },
    -32602,
    "options[0].kind must be a string",
  ],
  ["terminal/output", {}, -32602, "terminalId must be a string"],
  ["terminal/kill", { terminalId: 7 }, -32602, "terminalId must be a string"],
  ["terminal/create", { sessionId: "foreign", command: "true" }, -32002, "No session foreign is open here"],
  ["fs/read_text_file", { sessionId: "foreign", path: "/etc/hostname" }, -32002, "No session foreign"],
] as const)("[N461] %s with %j is %i: %s", async (method, params, code, sentence) => {
  const { agent } = await play([ask("wrong", method, params)]);
  const message = expect.stringContaining(sentence) as string;
  expect((await agent.answer("wrong")).error).toMatchObject({ code, message });
});

test.each([
  [{}, false],
  [{ acp: { commandRun: "tty" } }, true],
  [{ acp: { commandRun: "tty", commandRunOf: { mine: "text" } } }, false],
  [{ acp: { commandRunOf: { mine: "tty" } } }, true],
])("[U760] with %j a command of an agent has a terminal: %s", async (config, isTty) => {
  const line = "if [ -t 0 ] && [ -t 1 ]; then echo tty; else echo pipe; fi";
  const { agent } = await play(
    [
      ...run("plain", { command: line }),
      ...run("asked", { command: line, _meta: { holdfast: { tty: true } } }),
    ],
    { config },
  );
  expect(await agent.result("plainOutput")).toMatchObject({ output: isTty ? "tty\n" : "pipe\n" });
  expect(await agent.result("askedOutput")).toMatchObject({ output: "tty\n" });
});
