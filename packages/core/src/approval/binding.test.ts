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

describe("[V711] a command in the agent's own request", () => {
  const lines: readonly (readonly [object, RegExp | undefined])[] = [
    [{ command: "ls -la" }, /^\/.*\/ls$/],
    [{ command: ["ls", "-la"] }, /^\/.*\/ls$/],
    [{ command: "cd /tmp && ls", cwd: "/tmp" }, /^\/.*\/ls$/],
    [{ command: "ls | cat" }, undefined],
    [{ command: "$X -la" }, undefined],
    [{ command: "A=1 ls" }, undefined],
    [{ command: "there-is-no-such-program --now" }, undefined],
    [{ description: "ls" }, undefined],
  ];

  test.each(lines)("[V711] %j shows its program and the agent's isolation", async (rawInput, program) => {
    const { asked } = await play([askPermission("asked", { kind: "execute", rawInput })]);
    const [{ subject, source } = {}] = asked;
    expect(source).toBe("agent");
    expect(subject).toMatchObject({ kind: "command", isolation: "none" });
    const shown = subject?.kind === "command" ? subject.program : "none";
    if (program === undefined) expect(shown).toBeUndefined();
    else expect(shown).toMatch(program);
  });
});

describe("[V603] an environment that nobody saw", () => {
  test.each([
    ["PATH", "/tmp/evil"],
    ["BASH_ENV", "/tmp/evil.sh"],
    ["LD_PRELOAD", "/tmp/evil.so"],
    ["GIT_CONFIG_COUNT", "1"],
  ])("[V603, V600] %s is shown and asked about", async (name, value) => {
    const { asked } = await play([ASK_TRUE, create("made", { env: [{ name, value }] })]);
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
      [ASK_TRUE, create("made", env("cat")), again, create("evil", env("/tmp/evil"))],
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
  test("[V6] one yes is good for one run: the second of 40 is asked about", async () => {
    const host = newHost({
      agents: {
        mine: {
          prompts: {
            go: [
              ASK_TRUE,
              ...Array.from({ length: 40 }, (_, index) =>
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
    await turn.approval(39);
    const commands = (): object[] => host.host.audit.recent.filter(({ what }) => what === "command");
    await expect.poll(commands).toHaveLength(1);
    expect(session.state.inputNeeded).toHaveLength(39);
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
      return [ASK_TRUE, create("made", JSON.parse(JSON.stringify(params).replace("$sub", sub)) as object)];
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

  test("[V611] a link that is turned elsewhere after the question is not written through", async () => {
    const shown = path.join(outside, "shown.txt");
    const secret = path.join(outside, "secret.txt");
    writeFileSync(shown, "");
    writeFileSync(secret, "secret");
    const host = newHost({ agents: { mine: { prompts: { "*": [write("written", "$prompt.text")] } } } });
    const link = path.join(host.work, "link");
    symlinkSync(shown, link);
    const session = await host.open({ approvalPolicy: "ask" });
    const turn = session.stream(link);
    const { id, target } = await turn.approval();
    expect(target).toBe(`${shown} (${link})`);
    rmSync(link);
    symlinkSync(secret, link);
    session.resolve(id, "allow_once");
    await turn.ended;
    expect((await session.agent.answer("written")).error).toBeUndefined();
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(readFileSync(shown, "utf8")).not.toBe("");
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

  test("[V604] options of one kind are distinguished by the agent's names", async () => {
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
