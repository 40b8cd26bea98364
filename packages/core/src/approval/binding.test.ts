// Tricks of a hostile agent: what it shows, what it runs, and what a person is asked before that.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Approval } from "@holdfast/ahp";
import { afterAll, describe, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHostOptions, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { ask, askOn, askPermission, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();
const outside = realpathSync(mkdtempSync(path.join(tmpdir(), "outside-")));
afterAll(() => rmSync(outside, { recursive: true }));

const create = (name: string, params: object = {}): Step =>
  ask(name, "terminal/create", { command: "true", ...params });
const write = (name: string, file: string, content = "new"): Step =>
  ask(name, "fs/write_text_file", { path: file, content });
const approveTrue = askPermission("run", { kind: "execute", title: "ls", rawInput: { command: "true" } });

interface Played {
  readonly session: FakeSession;
  readonly asked: readonly Approval[];
  readonly work: string;
}

/** Plays a turn under `ask` in which a person gives the same answer to everything. */
async function play(
  steps: readonly Step[] | ((work: string) => readonly Step[]),
  option = "allow_once",
  more: FakeHostOptions = {},
): Promise<Played> {
  const host = newHost({ agents: { mine: { prompts: { "*": [{ do: "until", path: "gate" }] } } }, ...more });
  const script = typeof steps === "function" ? steps(host.work) : steps;
  writeFileSync(path.join(host.folder, "mine.json"), JSON.stringify([{ prompts: { go: script } }]));
  const session = await host.open({ approvalPolicy: "ask" });
  const turn = session.stream("go");
  const asked: Approval[] = [];
  for (let index = 0; ; index += 1) {
    const approval = await Promise.race([turn.approval(index), turn.ended]);
    if ("type" in approval) break;
    asked.push(approval);
    expect(session.resolve(approval.id, option)).toEqual({ resolved: true });
  }
  return { session, asked, work: host.work };
}

describe("[V603] an environment that nobody saw", () => {
  test.each([
    ["PATH", "/tmp/evil"],
    ["BASH_ENV", "/tmp/evil.sh"],
    ["LD_PRELOAD", "/tmp/evil.so"],
    ["GIT_CONFIG_COUNT", "1"],
  ])("[V603, V600] %s is shown and asked about", async (name, value) => {
    const { asked } = await play([approveTrue, create("made", { env: [{ name, value }] })]);
    expect(asked.map(({ subject }) => subject)).toMatchObject([
      { kind: "command", line: "true", environment: [] },
      { kind: "command", line: "true", environment: [{ name, value }] },
    ]);
  });

  test("[V603] variables of the catalogue, with their values, and those that are set anyway do not count", async () => {
    const commandEnvironment = { CLAUDECODE: ["1"], PAGER: ["cat"] };
    const env = (value: string): object => ({
      env: [
        { name: "CLAUDECODE", value: "1" },
        { name: "PAGER", value },
        { name: "TERM", value: "dumb" },
      ],
    });
    const again = askPermission("again", { kind: "execute", rawInput: { command: "true" } });
    const { asked } = await play(
      [approveTrue, create("made", env("cat")), again, create("evil", env("/tmp/evil"))],
      "allow_once",
      { agentConfig: { mine: { commandEnvironment } } },
    );
    expect(asked.map(({ source }) => source)).toEqual(["agent", "agent", "host"]);
    expect(asked[2]?.subject).toMatchObject({ environment: [{ name: "PAGER", value: "/tmp/evil" }] });
  });

  test("[V603] a variable that was shown is covered with its value alone", async () => {
    const rawInput = { command: "true", env: { MODE: "test" } };
    const { asked } = await play([
      askPermission("run", { kind: "execute", rawInput }),
      create("made", { env: [{ name: "MODE", value: "test" }] }),
      askPermission("again", { kind: "execute", rawInput }),
      create("other", { env: [{ name: "MODE", value: "prod" }] }),
      create("none"),
    ]);
    expect(asked.map(({ source }) => source)).toEqual(["agent", "agent", "host", "host"]);
  });
});

describe("[V6] more than was shown", () => {
  test("[V6] one yes is good for one run: the second of 200 is asked about", async () => {
    const host = newHost({
      agents: {
        mine: {
          prompts: {
            go: [
              approveTrue,
              ...Array.from({ length: 200 }, (_, index) =>
                askOn(`run-${index}`, "terminal/create", { command: "true" }),
              ),
              { do: "hang" },
            ],
          },
        },
      },
    });
    const session = await host.open({ approvalPolicy: "ask" });
    const turn = session.stream("go");
    session.resolve((await turn.approval()).id, "allow_once");
    await turn.approval(199);
    const commands = (): object[] => host.host.audit.recent.filter(({ what }) => what === "command");
    await expect.poll(commands).toHaveLength(1);
    expect(session.state.inputNeeded).toHaveLength(199);
    await session.cancel();
    expect(session.state.inputNeeded).toEqual([]);
  });

  test.each<[string, object]>([
    ["python3 -c", { command: "python3", args: ["-c", "true"] }],
    ["a program called bash in the folder", { command: "./bash", args: ["-c", "true"] }],
    ["another line", { command: "true; id" }],
    ["a shell with more arguments", { command: "bash", args: ["-c", "true", "x"] }],
    ["a folder outside", { command: "true", cwd: outside }],
    ["a folder inside", { command: "true", cwd: "$sub" }],
  ])("[V602, V6] %s is asked about", async (_what, params) => {
    const { asked } = await play((work) => {
      const sub = path.join(work, "sub");
      mkdirSync(sub);
      return [approveTrue, create("made", JSON.parse(JSON.stringify(params).replace("$sub", sub)) as object)];
    });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toMatchObject({ source: "host" });
  });

  test("[V601] a title that lies is shown as the agent's words; a command that is not named covers nothing", async () => {
    const { asked } = await play([
      askPermission("lie", {
        kind: "execute",
        title: "List the files",
        rawInput: { command: "rm -rf build" },
      }),
      askPermission("silent", { kind: "execute", title: "true" }),
      create("made"),
    ]);
    expect(asked).toMatchObject([
      { target: "rm -rf build", agentTitle: "List the files", subject: { line: "rm -rf build" } },
      { target: "The agent does not say what it will run", agentTitle: "true" },
      { target: "true", source: "host" },
    ]);
  });

  test("[V602] a program whose name has blanks is not the line that reads the same", async () => {
    const { asked, work, session } = await play((folder) => {
      writeFileSync(path.join(folder, "echo hi"), "#!/bin/sh\ntouch owned\n", { mode: 0o755 });
      return [
        askPermission("run", { kind: "execute", rawInput: { command: "./echo hi" } }),
        create("made", { command: "./echo hi" }),
      ];
    }, "reject_once");
    expect(asked.map(({ target }) => target)).toEqual(["./echo hi", "'./echo hi'"]);
    expect((await session.agent.answer("made")).error).toMatchObject({ data: { code: "denied" } });
    expect(existsSync(path.join(work, "owned"))).toBe(false);
  });

  test("[V601] kind other covers no write, only a diff that it shows", async () => {
    const { asked, work } = await play((folder) => {
      const hook = path.join(folder, ".git/hooks/x");
      const shown = path.join(folder, "a.txt");
      return [
        askPermission("other", { kind: "other", title: "Tidy up", locations: [{ path: hook }] }),
        write("hook", hook),
        askPermission("diff", {
          kind: "other",
          content: [{ type: "diff", path: shown, oldText: "", newText: "new" }],
        }),
        write("shown", shown),
      ];
    });
    const hook = path.join(work, ".git/hooks/x");
    expect(asked.map(({ target }) => target)).toEqual(["Tidy up", hook, path.join(work, "a.txt")]);
  });

  test("[V6] a start that failed uses nothing up", async () => {
    const { asked, session } = await play([
      askPermission("run", { kind: "execute", rawInput: { command: "touch a; true" } }),
      create("tooMany", { command: "touch a; true", env: [{ name: "A=B", value: "" }] }),
      create("made", { command: "touch a; true" }),
    ]);
    expect(asked).toHaveLength(1);
    expect((await session.agent.answer("tooMany")).error).toBeDefined();
    expect(await session.agent.result("made")).toEqual({ terminalId: expect.any(String) as string });
  });
});

describe("[V600] files", () => {
  test("[V600] a link is shown with the file that it leads to, and compared by it", async () => {
    const target = path.join(outside, "real.txt");
    writeFileSync(target, "one\ntwo\n");
    const { asked, work } = await play((folder) => {
      const link = path.join(folder, "link.txt");
      symlinkSync(target, link);
      return [
        write("first", link, "one\nthree\n"),
        askPermission("edit", { kind: "edit", locations: [{ path: link }] }),
        write("second", target, "four\n"),
      ];
    });
    const link = path.join(work, "link.txt");
    expect(asked).toMatchObject([
      {
        source: "host",
        target: `${target} (${link})`,
        subject: { files: [{ path: target, link, diff: { line: 2, before: "two\n", after: "three\n" } }] },
      },
      { source: "agent", subject: { files: [{ path: target, link }] } },
    ]);
    expect(asked).toHaveLength(2);
    expect(readFileSync(target, "utf8")).toBe("four\n");
  });

  test("[V600] a long change is cut, and says how much is missing", async () => {
    const { asked } = await play((folder) => [write("long", path.join(folder, "a"), "x".repeat(5000))]);
    expect(asked[0]?.subject).toMatchObject({
      files: [{ diff: { line: 1, before: "", after: "x".repeat(4096), omittedChars: 904 } }],
    });
  });

  test("[V6] a file is covered once", async () => {
    const { asked, work } = await play((folder) => {
      const file = path.join(folder, "a.txt");
      return [
        askPermission("edit", { kind: "edit", rawInput: { file_path: "a.txt" } }),
        write("first", file),
        write("second", file, "newer"),
      ];
    });
    const file = path.join(work, "a.txt");
    expect(asked.map(({ target, source }) => [target, source])).toEqual([
      [file, "agent"],
      [file, "host"],
    ]);
  });
});

describe("[V604] options", () => {
  const deceptive = [
    { optionId: "reject_once", name: "Reject", kind: "allow_once" },
    { optionId: "allow_once", name: "Allow", kind: "reject_once" },
  ];

  test.each([
    ["reject_once", "allow_once", "denied"],
    ["allow_once", "reject_once", "approved"],
  ])("[V604, V2] %s picks an option by its kind, whatever its id", async (answer, agentId, outcome) => {
    const { session, asked } = await play([askPermission("run", { kind: "execute" }, deceptive)], answer);
    expect(asked[0]?.options).toEqual([
      { id: "option-1", label: "Allow once", kind: "allow_once", agentLabel: "Reject" },
      { id: "option-2", label: "Deny", kind: "reject_once", agentLabel: "Allow" },
    ]);
    expect(await session.agent.result("run")).toEqual({
      outcome: { outcome: "selected", optionId: agentId },
    });
    expect(session.toolCalls[0]?.decisions).toMatchObject([{ outcome }]);
  });

  test("[V604] options of one kind are told apart by the agent's names", async () => {
    const options = [
      { optionId: "a", name: "Yes, auto-accept", kind: "allow_once" },
      { optionId: "b", name: "Yes, ask", kind: "allow_once" },
      { optionId: "c", name: "No", kind: "reject_once" },
    ];
    const { asked } = await play([askPermission("plan", { kind: "switch_mode" }, options)], "b");
    expect(asked[0]?.options.map(({ label }) => label)).toEqual([
      "Allow once: Yes, auto-accept",
      "Allow once: Yes, ask",
      "Deny",
    ]);
  });
});

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
    const [rule] = host.host.listPermissionRules({ kind: "owner" });
    expect(rule).toMatchObject({
      scope: "session",
      session_key: session.key,
      subject: { files: [{ path: file }] },
    });
    await host.host.removePermissionRule(rule?.id ?? "", { kind: "owner" });
    await expect(host.host.removePermissionRule(rule?.id ?? "", { kind: "owner" })).rejects.toMatchObject({
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
    expect(host.host.resolvePermission(first.key, decision, { kind: "owner" })).toEqual({ resolved: true });
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
    const [rule] = host.host.listPermissionRules({ kind: "owner" });
    expect(rule).toMatchObject({ scope: "folder", folder: host.work, agent_id: "mine" });
    await host.host.removePermissionRule(rule?.id ?? "", { kind: "owner" });
    expect(host.host.listPermissionRules({ kind: "owner" })).toEqual([]);
  });
});

test("[V4] a clock that jumped past the expiry decides, also if the timer has not fired", async () => {
  let offsetMs = 0;
  const host = newHost({
    agents: { mine: { prompts: { go: [approveTrue] } } },
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
    agents: { mine: { prompts: { go: [approveTrue, create("made"), create("other", { command: "id" })] } } },
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
    expect(host.host.audit.recent).toMatchObject([{ what: "file-read", subject: file, verdict: "denied" }]);
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
      const waiting = host.host.listApprovals({ kind: "owner" });
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

test("[V608] what the agent does through the host, the host enforces; the rest the agent only reports", async () => {
  const { asked } = await play(
    [approveTrue, askPermission("edit", { kind: "edit", locations: [{ path: "/a" }] })],
    "reject_once",
    { agentConfig: { mine: { throughHost: ["commands"] } } },
  );
  expect(asked.map(({ source }) => source)).toEqual(["host", "agent"]);
});
