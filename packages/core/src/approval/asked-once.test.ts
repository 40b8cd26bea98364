// A person is asked exactly once: what an approval covers is done, what none covers goes by the policy.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();
const outside = realpathSync(mkdtempSync(path.join(tmpdir(), "outside-")));
const secret = path.join(outside, "secret.txt");
writeFileSync(secret, "secret");
mkdirSync(path.join(outside, "folder"));
afterAll(() => rmSync(outside, { recursive: true }));

const create = (name: string, params: object = {}): Step =>
  ask(name, "terminal/create", { command: "true", ...params });
const write = (name: string, file = "$prompt.text"): Step =>
  ask(name, "fs/write_text_file", { path: file, content: "new" });
const finish = (toolCallId: string): Step => update("tool_call_update", { toolCallId, status: "completed" });

/** Plays a turn in which a person says yes, or no, to everything, and returns the questions. */
async function play(
  steps: readonly Step[],
  approvalPolicy?: "approve-all" | "approve-reads" | "deny-all" | "ask",
  option = "allow_once",
) {
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } } });
  const session = await host.open(approvalPolicy === undefined ? {} : { approvalPolicy });
  const file = path.join(host.work, "file.txt");
  const turn = session.stream(file);
  const asked: string[] = [];
  const answering = (async () => {
    for (let index = 0; ; index += 1) {
      const approval = await Promise.race([turn.approval(index), turn.ended]);
      if ("type" in approval) return;
      // A question that a policy answers in the same tick never reached a person.
      if (session.resolve(approval.id, option).resolved) asked.push(approval.target);
    }
  })();
  await answering;
  return { host, session, file, asked, agent: session.agent };
}

describe("[V6] asked once", () => {
  test.each([["approve-reads"], [undefined]] as const)(
    "[V6] under %s a command and a write of an approved call ask nobody again",
    async (policy) => {
      const { asked, agent, file } = await play(
        [
          askPermission("run", { kind: "execute", title: "true", rawInput: { command: "true" } }),
          create("made"),
          finish("run"),
          askPermission("line", { kind: "execute", title: "true", rawInput: { command: "true; true" } }),
          create("wrapped", { command: "/bin/sh", args: ["-c", "true; true"] }),
          finish("line"),
          askPermission("edit", { kind: "edit", title: "edit it", locations: [{ path: "$prompt.text" }] }),
          write("written"),
        ],
        policy,
      );
      expect(asked).toEqual(["true", "true; true", file]);
      expect(await agent.result("made")).toEqual({ terminalId: expect.any(String) as string });
      expect(await agent.result("wrapped")).toEqual({ terminalId: expect.any(String) as string });
      expect(await agent.result("written")).toEqual({});
    },
  );

  test("[V6] an approval covers neither another command, nor another file, nor what its kind has no business with", async () => {
    const { asked, file } = await play(
      [
        askPermission("run", { kind: "execute", title: "asked", rawInput: { command: "true" } }),
        create("other", { command: "echo other" }),
        write("write"),
        finish("run"),
        askPermission("edit", { kind: "edit", title: "asked too", locations: [{ path: "/elsewhere" }] }),
        write("again"),
        create("made"),
      ],
      "approve-reads",
    );
    expect(asked).toEqual(["true", "echo other", file, "/elsewhere", file, "true"]);
  });

  test("[V6] a call that is finished, and one of an earlier turn, cover nothing", async () => {
    const { asked } = await play(
      [
        askPermission("run", { kind: "execute", rawInput: { command: "true" } }),
        finish("run"),
        create("late"),
      ],
      "approve-reads",
    );
    expect(asked).toEqual(["true", "true"]);
    const host = newHost({
      agents: {
        mine: { prompts: { first: [askPermission("run", { kind: "execute" })], second: [create("late")] } },
      },
    });
    const session = await host.open({ approvalPolicy: "approve-reads" });
    const first = session.stream("first");
    session.resolve((await first.approval()).id, "yes");
    await first.ended;
    const second = session.stream("second");
    expect((await second.approval()).target).toBe("true");
  });

  test("[V6, N320] a rejected call covers nothing, and the agent learns who denied it", async () => {
    const { asked, agent } = await play(
      [askPermission("run", { kind: "execute", rawInput: { command: "true" } }), create("made")],
      "approve-reads",
      "reject_once",
    );
    expect(asked).toEqual(["true", "true"]);
    expect((await agent.answer("made")).error).toMatchObject({ code: -32009, data: { code: "denied" } });
  });

  test("[V6] a call that approve-reads allowed without asking covers neither a command nor a write", async () => {
    const { asked, file } = await play(
      [askPermission("look", { kind: "read" }), create("made"), write("written")],
      "approve-reads",
    );
    expect(asked).toEqual(["true", file]);
  });
});

describe("[V7] an action that no approval covers", () => {
  test.each([
    ["approve-all", [], true],
    ["approve-reads", ["true", "file"], true],
    ["ask", ["true", "file"], true],
    ["deny-all", [], false],
    [undefined, [], true],
  ] as const)("[V7] under %s: a person is asked about %j", async (policy, questions, done) => {
    const { asked, file, agent } = await play([create("made"), write("written")], policy);
    expect(asked.map((target) => (target === file ? "file" : target))).toEqual(questions);
    expect("result" in (await agent.answer("made"))).toBe(done);
    expect(existsSync(file)).toBe(done);
    if (!done) expect((await agent.answer("written")).error).toMatchObject({ data: { code: "denied" } });
  });

  test("[V7] a denial of the host's own question stops the action", async () => {
    const { asked, agent, file, session } = await play(
      [create("made"), write("written")],
      "approve-reads",
      "reject",
    );
    expect(asked).toEqual(["true", file]);
    expect((await agent.answer("made")).error?.message).toMatch(
      /^Running true was not allowed \(denied by .+\)\. Ask the user/,
    );
    expect((await agent.answer("written")).error?.message).toContain(`Writing ${file} was not allowed`);
    expect(session.toolCalls).toMatchObject([
      { contributor: { kind: "host" }, status: "cancelled", reason: "denied" },
      { status: "cancelled" },
    ]);
  });
});

describe("[V8] outside the session's folders", () => {
  const reach: Step[] = [
    ask("read", "fs/read_text_file", { path: secret }),
    write("written", path.join(outside, "new.txt")),
    create("made", { cwd: outside }),
  ];

  test.each([
    ["approve-all", 0, true],
    ["approve-reads", 3, true],
    ["ask", 3, true],
    ["deny-all", 0, false],
    [undefined, 3, true],
  ] as const)("[V8] under %s a person is asked %i times", async (policy, questions, done) => {
    const { asked, agent, host } = await play(reach, policy);
    expect(asked).toHaveLength(questions);
    for (const name of ["read", "written", "made"]) expect("result" in (await agent.answer(name))).toBe(done);
    const decisions = host.host.audit.recent
      .filter(({ what }) => what.startsWith("file-") || what === "command")
      .map(({ what, decision }) => [what, decision]);
    const expected = done ? "allowed" : "denied";
    expect(decisions).toEqual([
      ["file-read", expected],
      ["file-write", expected],
      ["command", expected],
    ]);
    rmSync(path.join(outside, "new.txt"), { force: true });
  });

  test("[V8] an approval that names no place does not cover one outside; one that names it does", async () => {
    const file = path.join(outside, "named.txt");
    const { asked } = await play([
      askPermission("vague", { kind: "edit", title: "vague" }),
      write("first", file),
      finish("vague"),
      askPermission("named", { kind: "edit", title: "named", locations: [{ path: file }] }),
      write("second", file),
      finish("named"),
      askPermission("run", { kind: "execute", title: "run", rawInput: { command: "true" } }),
      create("made", { cwd: outside }),
      askPermission("shown", {
        kind: "execute",
        title: "shown",
        rawInput: { command: "true", cwd: outside },
      }),
      create("again", { cwd: outside }),
    ]);
    expect(asked).toEqual([
      "The agent does not say which file it will change",
      file,
      file,
      "true",
      "true",
      "true",
    ]);
    rmSync(file);
  });
});

test("[V9] nobody is asked about an action that cannot work", async () => {
  const { asked, agent } = await play(
    [
      create("nowhere", { cwd: "/no/such/place" }),
      create("relative", { cwd: "sub" }),
      create("notAFolder", { cwd: secret }),
      ask("noCommand", "terminal/create", {}),
      write("relativeWrite", "a.txt"),
      ask("noContent", "fs/write_text_file", { path: secret }),
      ask("missing", "fs/read_text_file", { path: path.join(outside, "none") }),
      ask("folder", "fs/read_text_file", { path: outside }),
    ],
    "approve-reads",
  );
  expect(asked).toEqual([]);
  for (const name of [
    "nowhere",
    "relative",
    "notAFolder",
    "noCommand",
    "relativeWrite",
    "noContent",
    "folder",
  ]) {
    expect((await agent.answer(name)).error?.code).toBe(-32602);
  }
  expect((await agent.answer("missing")).error?.code).toBe(-32002);
});
