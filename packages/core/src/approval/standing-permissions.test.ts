// Permissions that stand, and what holds outside of turns, for agents that do not ask, and when the clock jumps.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ASK_TRUE, playTurn } from "../testing/played-turn.ts";
import { ask, askOn, askPermission, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();
const outside = realpathSync(mkdtempSync(path.join(tmpdir(), "outside-")));
afterAll(() => rmSync(outside, { recursive: true }));

const create = (name: string, params: object = {}): Step =>
  ask(name, "terminal/create", { command: "true", ...params });
const write = (name: string, file: string, content = "new"): Step =>
  ask(name, "fs/write_text_file", { path: file, content });
const play = (...args: Parameters<typeof playTurn> extends [unknown, ...infer Rest] ? Rest : never) =>
  playTurn(newHost, ...args);

describe("[V605] answers for always", () => {
  const asks = (name: string, fields: object): Step => askPermission(name, { kind: "execute", ...fields });
  const same = { rawInput: { command: "true" } };

  test("[V605] make a rule for exactly what was shown; the agent gets its option for once", async () => {
    const { session, asked } = await play(
      [
        asks("one", same),
        asks("two", same),
        create("made"),
        create("again"),
        asks("other", { rawInput: { command: "id" } }),
      ],
      "allow_always",
    );
    expect(asked.map(({ target }) => target)).toEqual(["true", "id"]);
    const once = { outcome: { outcome: "selected", optionId: "yes" } };
    for (const name of ["one", "two", "other"]) expect(await session.agent.result(name)).toEqual(once);
    expect(session.state.permissionRules).toMatchObject([
      { scope: "session", subject: { kind: "command", line: "true", environment: [] } },
      { scope: "session", subject: { line: "id" } },
    ]);
  });

  test("[V605] an unknown command makes no rule, and the agent does not stop asking", async () => {
    const { session, asked } = await play([asks("one", {}), asks("two", {})], "allow_always");
    expect(asked).toHaveLength(2);
    expect(session.state.permissionRules).toBeUndefined();
    expect(await session.agent.result("one")).toEqual({ outcome: { outcome: "selected", optionId: "yes" } });
  });

  test.each(["switch_mode", "fetch"])("[V605] a request of kind %s passes through", async (kind) => {
    const { session } = await play([askPermission("call", { kind })], "allow_always");
    expect(await session.agent.result("call")).toEqual({
      outcome: { outcome: "selected", optionId: "yes-always" },
    });
  });

  test("[V605] a rule of the host's own question covers the same write; a removed one covers nothing", async () => {
    const host = newHost({
      agents: { mine: { prompts: { "*": [write("written", "$prompt.text")] } } },
    });
    const session = await host.open({ approvalPolicy: "ask" });
    const file = path.join(host.work, "a.txt");
    const first = session.stream(file);
    session.resolve((await first.approval()).id, "allow_always");
    await first.ended;
    expect((await session.turn(file)).approvals).toEqual([]);
    const [rule] = host.host.approvals.listRules({ kind: "owner" });
    expect(rule).toMatchObject({
      scope: "session",
      session_key: session.key,
      subject: { files: [{ path: file }] },
    });
    await host.host.approvals.removeRule(rule?.id ?? "", { kind: "owner" });
    await expect(host.host.approvals.removeRule(rule?.id ?? "", { kind: "owner" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    const last = session.stream(file);
    session.resolve((await last.approval()).id, "reject_once");
    await last.ended;
    const rules = host.host.audit.recent.filter(({ what }) => what === "permission-rule");
    expect(rules.map(({ outcome }) => outcome)).toEqual(["added for this session", "removed"]);
  });

  test("[V605] a rule for the folder holds in other sessions of the agent there, and in none elsewhere", async () => {
    const host = newHost({
      agents: { mine: { prompts: { go: [create("made")] } }, other: { prompts: { go: [create("made")] } } },
    });
    const first = await host.open({ approvalPolicy: "ask" });
    const turn = first.stream("go");
    const { id } = await turn.approval();
    const decision = { requestId: id, optionId: "allow_always", scope: "folder" } as const;
    expect(host.host.approvals.resolve(first.key, decision, { kind: "owner" })).toEqual({ resolved: true });
    await turn.ended;
    expect((await (await host.open({ approvalPolicy: "ask" })).turn("go")).approvals).toEqual([]);
    const strangers = [
      await host.open({ approvalPolicy: "ask", agent_id: "other" }),
      await host.open({ approvalPolicy: "ask", cwd: outside }),
    ];
    for (const stranger of strangers) {
      const asking = stranger.stream("go");
      stranger.resolve((await asking.approval()).id, "reject_once");
      await asking.ended;
    }
    const denied = await host.open({ approvalPolicy: "deny-all" });
    await denied.turn("go");
    expect((await denied.agent.answer("made")).error).toBeDefined();
    const [rule] = host.host.approvals.listRules({ kind: "owner" });
    expect(rule).toMatchObject({ scope: "folder", folder: host.work, agent_id: "mine" });
    await host.host.approvals.removeRule(rule?.id ?? "", { kind: "owner" });
    expect(host.host.approvals.listRules({ kind: "owner" })).toEqual([]);
  });
});

test("[V4] a clock that jumped past the expiry decides, also if the timer has not fired", async () => {
  let offsetMs = 0;
  const host = newHost({
    agents: { mine: { prompts: { go: [ASK_TRUE] } } },
    now: () => new Date(Date.now() + offsetMs),
  });
  const session = await host.open({ approvalPolicy: "ask" });
  const turn = session.stream("go");
  const { id } = await turn.approval();
  offsetMs = 25 * 60 * 60 * 1000;
  expect(session.resolve(id, "allow_once")).toMatchObject({ resolved: false });
  await turn.ended;
  expect(await session.agent.result("run")).toEqual({ outcome: { outcome: "selected", optionId: "no" } });
  expect(session.toolCalls[0]?.decisions).toMatchObject([{ outcome: "denied", by: { kind: "expiry" } }]);
});

test("[V610] without a policy, what a person denied is not done without asking", async () => {
  const host = newHost({
    agents: { mine: { prompts: { go: [ASK_TRUE, create("made"), create("other", { command: "id" })] } } },
  });
  const session = await host.open();
  const turn = session.stream("go");
  session.resolve((await turn.approval()).id, "reject_once");
  await turn.ended;
  expect((await session.agent.answer("made")).error).toMatchObject({ data: { code: "denied" } });
  expect(await session.agent.result("other")).toEqual({ terminalId: expect.any(String) as string });
});

describe("[V7] under deny-all", () => {
  test("[V7] a file of the session's own folder is not read", async () => {
    const host = newHost({
      agents: { mine: { prompts: { "*": [ask("read", "fs/read_text_file", { path: "$prompt.text" })] } } },
    });
    const session = await host.open({ approvalPolicy: "deny-all" });
    const file = path.join(host.work, "a.txt");
    writeFileSync(file, "secret");
    await session.turn(file);
    expect((await session.agent.answer("read")).error).toMatchObject({ data: { code: "denied" } });
    expect(host.host.audit.recent.filter(({ what }) => what !== "policy")).toMatchObject([
      { what: "file-read", subject: file, by: "policy deny-all" },
    ]);
    await session.patch({ approvalPolicy: "ask" });
    await session.turn(file);
    expect(await session.agent.result("read")).toEqual({ content: "secret" });
  });
});

describe("[V607] outside of turns", () => {
  const late = (...steps: Step[]): Step[] => [
    { do: "answer", result: { stopReason: "end_turn" } },
    { do: "until", path: "gate" },
    ...steps,
  ];

  test.each([
    ["approve-all", true],
    ["deny-all", false],
  ] as const)("[V607] %s decides", async (approvalPolicy, done) => {
    const host = newHost({ agents: { mine: { prompts: { go: late(create("made")) } } } });
    const session = await host.open({ approvalPolicy });
    await session.turn("go");
    host.pass("gate");
    expect("result" in (await session.agent.answer("made"))).toBe(done);
    expect(session.state.inputNeeded).toEqual([]);
  });

  test.each([undefined, "ask", "approve-reads"] as const)(
    "[V607] under %s the question is the session's, and any client can decide it",
    async (approvalPolicy) => {
      const steps = late(
        askOn("made", "terminal/create", { command: "true" }),
        askOn("asked", "session/request_permission", {
          toolCall: { toolCallId: "x", title: "x", kind: "execute", rawInput: { command: "id" } },
          options: [{ optionId: "y", name: "Y", kind: "allow_once" }],
        }),
      );
      const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
      const session = await host.open(approvalPolicy === undefined ? {} : { approvalPolicy });
      await session.turn("go");
      host.pass("gate");
      await expect.poll(() => session.state.inputNeeded).toHaveLength(2);
      const waiting = host.host.approvals.list({ kind: "owner" });
      const targets = waiting.map((each) =>
        each.kind === "permission" ? each.toolCall.approval.target : "",
      );
      expect(targets.toSorted()).toEqual(["id", "true"]);
      for (const { id } of session.state.inputNeeded) {
        expect(session.resolve(id, "allow_once")).toEqual({ resolved: true });
      }
      expect(await session.agent.result("made")).toEqual({ terminalId: expect.any(String) as string });
      expect(await session.agent.result("asked")).toEqual({
        outcome: { outcome: "selected", optionId: "y" },
      });
      expect(session.state.inputNeeded).toEqual([]);
      expect(session.chatState.turns).toHaveLength(1);
    },
  );

  test("[V607] the question ends with its agent", async () => {
    const steps = late(
      askOn("made", "terminal/create", { command: "true" }),
      { do: "until", path: "die" },
      {
        do: "exit",
        code: 1,
      },
    );
    const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
    const session = await host.open();
    await session.turn("go");
    host.pass("gate");
    await expect.poll(() => session.state.inputNeeded).toHaveLength(1);
    const [needed] = session.state.inputNeeded;
    host.pass("die");
    await expect.poll(() => session.state.inputNeeded).toEqual([]);
    expect(session.resolve(needed?.id ?? "", "allow_once")).toMatchObject({ resolved: false });
  });
});

describe("[V609] an agent that does not ask", () => {
  const modes = {
    currentModeId: "auto",
    availableModes: [
      { id: "auto", name: "Auto" },
      { id: "read-only", name: "Read only" },
    ],
  };
  const quiet = { asks: false, askModes: ["read-only"] };

  test.each([
    ["ask", "read-only", undefined],
    ["approve-reads", "read-only", undefined],
    ["deny-all", "read-only", undefined],
    ["approve-all", "auto", false],
    [undefined, "auto", false],
  ] as const)("[V609] under %s it starts in the mode %s", async (approvalPolicy, mode, asks) => {
    const host = newHost({ agents: { mine: { session: { modes } } }, agentConfig: { mine: quiet } });
    const session = await host.open(approvalPolicy === undefined ? {} : { approvalPolicy });
    expect([session.status.current_mode, session.status.asks]).toEqual([mode, asks]);
  });

  test("[V609] a policy that is set later changes its mode; a mode that the caller names stays", async () => {
    const host = newHost({ agents: { mine: { session: { modes } } }, agentConfig: { mine: quiet } });
    const session = await host.open();
    await session.patch({ approvalPolicy: "ask" });
    expect(session.status.current_mode).toBe("read-only");
    const free = await host.open({ approvalPolicy: "ask", runtimeMode: "auto" });
    expect([free.status.current_mode, free.status.asks]).toEqual(["auto", false]);
    await expect(free.patch({ approvalPolicy: "deny-all" })).rejects.toMatchObject({
      code: "ACP_AGENT_DOES_NOT_ASK",
      message: expect.stringContaining("Set runtimeMode to read-only") as string,
    });
  });

  test("[V609] deny-all is refused where it has no such mode", async () => {
    const host = newHost({ agents: { mine: {} }, agentConfig: { mine: { asks: false } } });
    await expect(host.open({ approvalPolicy: "deny-all" })).rejects.toMatchObject({
      code: "ACP_AGENT_DOES_NOT_ASK",
    });
    expect((await host.open({ approvalPolicy: "ask" })).status.asks).toBe(false);
  });
});

test("[P14] null removes a policy, and the host asks again as the agent does", async () => {
  const host = newHost({ agents: { mine: { prompts: { go: [ASK_TRUE] } } } });
  const session = await host.open({ approvalPolicy: "deny-all" });
  const { runtime_options } = await host.host.patchSession(
    session.key,
    { approvalPolicy: null },
    { kind: "owner" },
  );
  expect(runtime_options).toEqual({ cwd: host.work });
  const turn = session.stream("go");
  session.resolve((await turn.approval()).id, "allow_once");
  await turn.ended;
});

test("[V608] what the agent does through the host, the host enforces; the rest the agent only reports", async () => {
  const { asked } = await play(
    [ASK_TRUE, askPermission("edit", { kind: "edit", locations: [{ path: "/a" }] })],
    "reject_once",
    { agentConfig: { mine: { throughHost: ["commands"] } } },
  );
  expect(asked.map(({ source }) => source)).toEqual(["host", "agent"]);
});
