// Attacks on approvals: a person says yes to one thing, and the agent tries another.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Attack, AttackHost, type AskedQuestion } from "./attack-host.ts";
import { attackSettings, optionsOf } from "./attack-settings.ts";
import type { HostileStep } from "./hostile-step.ts";

/** The code of a denial for agents. */
const denied = -32_009;
const invalid = -32_602;

let target: AttackHost;
let key: string;

const shownLine = "printf x >> ran";
const plain = { do: "terminal", command: shownLine } as const;

let calls = 0;

/** The agent's own question; options as agents have them. */
function ask(toolCall: object, options: readonly object[] = agentOptions): HostileStep {
  calls += 1;
  const call = { toolCallId: `call-${calls}`, title: "List the files of the project", ...toolCall };
  return { do: "call", method: "session/request_permission", params: { toolCall: call, options } };
}

const agentOptions = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

const askShown = (): HostileStep => ask({ kind: "execute", rawInput: { command: shownLine } });

/** Says yes to the first question only. */
function yesOnce(): (question: AskedQuestion) => "allow_once" | undefined {
  let isFirst = true;
  return () => {
    const answer = isFirst ? "allow_once" : undefined;
    isFirst = false;
    return answer;
  };
}

function inProject(name: string): string {
  return path.join(target.host.project, name);
}

/** The file that the shown line appends to. */
function runs(): number {
  return existsSync(inProject("ran")) ? readFileSync(inProject("ran"), "utf8").length : 0;
}

async function expectDenials(what: string, count: number): Promise<void> {
  const entries = await target.denials(key, what);
  expect(entries.length).toBe(count);
}

/** Commands that are not the shown one. */
const others: readonly (readonly [string, Omit<Extract<HostileStep, { do: "terminal" }>, "do">])[] = [
  ["another line", { command: "printf y >> ran" }],
  ["one more command behind it", { command: `${shownLine}; printf x >> ran` }],
  ["one more command on a second line", { command: `${shownLine}\nprintf x >> ran` }],
  ["PATH", { command: shownLine, env: [{ name: "PATH", value: "/tmp/evil:/usr/bin" }] }],
  ["BASH_ENV", { command: shownLine, env: [{ name: "BASH_ENV", value: "/tmp/evil" }] }],
  ["ENV", { command: shownLine, env: [{ name: "ENV", value: "/tmp/evil" }] }],
  ["LD_PRELOAD", { command: shownLine, env: [{ name: "LD_PRELOAD", value: "/tmp/evil.so" }] }],
  [
    "GIT_CONFIG_*",
    {
      command: shownLine,
      env: [
        { name: "GIT_CONFIG_COUNT", value: "1" },
        { name: "GIT_CONFIG_KEY_0", value: "core.pager" },
        { name: "GIT_CONFIG_VALUE_0", value: "evil" },
      ],
    },
  ],
  ["NODE_OPTIONS", { command: shownLine, env: [{ name: "NODE_OPTIONS", value: "--require=/tmp/evil.js" }] }],
  ["another folder", { command: shownLine, cwd: "/tmp" }],
  ["python3 -c", { command: "python3", args: ["-c", shownLine] }],
  ["perl -e", { command: "perl", args: ["-e", shownLine] }],
  ["a shell of the project", { command: "./sh", args: ["-c", shownLine] }],
  ["a login shell that reads other files", { command: "bash", args: ["-ic", shownLine] }],
  ["a shell with arguments behind the line", { command: "sh", args: ["-c", shownLine, "x", "y"] }],
  ["a shell that reads a file first", { command: "bash", args: ["--rcfile", "x", "-c", shownLine] }],
  ["a program whose name is the line", { command: shownLine, args: ["z"] }],
  ["the line as arguments", { command: "printf", args: ["x", ">>", "ran"] }],
  ["a tty", { command: "printf y >> ran", _meta: { holdfast: { tty: true } } }],
];

describe.each(attackSettings("ordinary"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({}, optionsOf(setting));
  });
  afterAll(() => target.close());
  beforeEach(async () => {
    key = await target.open({ approvalPolicy: "ask" });
  });

  describe("[V601] a yes to one command does not cover", () => {
    it("[V601] any other", async () => {
      const before = runs();
      const steps = others.flatMap(([, step]) => [askShown(), { do: "terminal", ...step } as const]);
      const { outcomes, questions } = await target.play(key, steps, ({ source }) =>
        source === "agent" ? "allow_once" : undefined,
      );
      const answers = outcomes.filter((_outcome, index) => index % 2 === 1).map(({ code }) => code);
      expect(others.map(([name], index) => [name, answers[index]])).toEqual(
        others.map(([name]) => [name, denied]),
      );
      // The second question of each pair shows what would really run.
      const asked = questions.filter(({ source }) => source === "host");
      const shown = asked.map(({ subject }) => subject as { environment: object[]; cwd: string });
      expect(shown.map(({ environment }) => environment)).toEqual(others.map(([, { env = [] }]) => env));
      expect(shown.map(({ cwd }) => cwd)).toEqual(others.map(([, { cwd }]) => cwd ?? target.host.project));
      expect(runs()).toBe(before);
      await expectDenials("command", others.length);
    });

    it("[V601] itself a second time", async () => {
      const before = runs();
      const { outcomes } = await target.play(key, [askShown(), plain, plain, plain], yesOnce());
      expect(outcomes.slice(1).map(({ exitCode, code }) => exitCode ?? code)).toEqual([0, denied, denied]);
      expect(runs()).toBe(before + 1);
      await expectDenials("command", 2);
    });

    it("[V601] anything if it showed no command, or lies about its kind", async () => {
      const before = runs();
      const lies = [
        ask({ kind: "execute" }),
        ask({ kind: "execute", rawInput: { description: shownLine } }),
        ask({ kind: "other", title: shownLine }),
        ask({ kind: "read", locations: [{ path: inProject("ran") }] }),
        ask({ kind: "think", content: [{ type: "content", content: { type: "text", text: shownLine } }] }),
      ];
      for (const lie of lies) {
        const { outcomes } = await target.play(key, [lie, plain], yesOnce());
        expect(outcomes[1]).toMatchObject({ code: denied });
      }
      expect(runs()).toBe(before);
      await expectDenials("command", lies.length);
    });

    it("[V601] a git hook, whatever kind the request has", async () => {
      const hook = inProject(".git/hooks/pre-commit");
      const write = {
        do: "call",
        method: "fs/write_text_file",
        params: { path: hook, content: "evil" },
      } as const;
      const requests = [
        ask({ kind: "other" }),
        ask({ kind: "edit" }),
        ask({ kind: "edit", locations: [{ path: inProject("README.md") }] }),
        ask({ kind: "edit", content: [{ type: "diff", path: inProject("README.md"), newText: "evil" }] }),
        askShown(),
      ];
      for (const request of requests) {
        const { outcomes, questions } = await target.play(key, [request, write], yesOnce());
        expect(outcomes[1]).toMatchObject({ code: denied });
        expect(questions.at(-1)).toMatchObject({ target: hook, source: "host" });
      }
      expect(existsSync(hook)).toBe(false);
      await expectDenials("file-write", requests.length);
    });

    it("[V605] more than its exact self when it is for always", async () => {
      const before = runs();
      const always = { ...plain, env: [{ name: "BASH_ENV", value: "/tmp/evil" }] };
      const { outcomes } = await target.play(key, [plain, plain, always], (question) =>
        JSON.stringify(question).includes("BASH_ENV") ? undefined : "allow_always",
      );
      expect(outcomes.map(({ exitCode, code }) => exitCode ?? code)).toEqual([0, 0, denied]);
      expect(runs()).toBe(before + 2);
    });
  });

  describe("[V604] options that lie", () => {
    it("[V604] are labelled and answered by their kind", async () => {
      const options = [
        { optionId: "reject_once", name: "Reject", kind: "allow_once" },
        { optionId: "allow_once", name: "Allow", kind: "reject_once" },
        { optionId: "allow_once", name: "Deny", kind: "allow_always" },
      ];
      const step = ask({ kind: "execute", rawInput: { command: shownLine } }, options);
      const denial = await target.play(key, [step], () => "reject_once");
      expect(denial.outcomes[0]?.result).toMatchObject({ outcome: { optionId: "allow_once" } });
      const shown = denial.questions[0]?.["options"] as { label: string; kind: string; agentName: string }[];
      expect(shown.map(({ kind, label }) => [kind, label])).toEqual([
        ["allow_once", "Allow once"],
        ["reject_once", "Deny"],
        ["allow_always", "Always allow"],
      ]);
    });
  });

  describe("[V611] what moves after the yes", () => {
    it("[V611] a folder that became a link runs nothing", async () => {
      target.prepare(() => mkdirSync(inProject("work"), { recursive: true }));
      const request = ask({ kind: "execute", rawInput: { command: "touch moved", cwd: inProject("work") } });
      const swap = {
        do: "run",
        line: `mv '${inProject("work")}' '${inProject("work-old")}'; mkdir -p '${inProject("elsewhere")}'; ln -s '${inProject("elsewhere")}' '${inProject("work")}'`,
      } as const;
      const run = { do: "terminal", command: "touch moved", cwd: inProject("work") } as const;
      const { outcomes } = await target.play(key, [request, swap, run], yesOnce());
      expect(outcomes[2]?.code).toBeLessThan(0);
      expect(existsSync(inProject("elsewhere/moved"))).toBe(false);
    });

    it("[V611] a file that became a link is not written through it", async () => {
      const [file, outside] = [inProject("notes.txt"), path.join(target.host.home, "../outside.txt")];
      target.prepare(() => writeFileSync(file, "old"));
      writeFileSync(outside, "untouched");
      const diff = [{ type: "diff", path: file, oldText: "old", newText: "new" }];
      const attack: Attack = await target.play(
        key,
        [
          ask({ kind: "edit", content: diff }),
          { do: "run", line: `ln -sf '${outside}' '${file}'` },
          { do: "call", method: "fs/write_text_file", params: { path: file, content: "new" } },
        ],
        yesOnce(),
      );
      expect(attack.outcomes[2]).toMatchObject({ code: denied });
      expect(attack.questions.at(-1)?.target).toContain(path.basename(outside));
      expect(readFileSync(outside, "utf8")).toBe("untouched");
    });
  });

  describe("[V607] under deny-all, and after the turn", () => {
    it("[V607] deny-all refuses reads, writes and commands, and says so in the audit", async () => {
      key = await target.open({ approvalPolicy: "deny-all" });
      target.prepare(() => writeFileSync(inProject("readable.txt"), "inside"));
      const { outcomes, questions } = await target.play(
        key,
        [
          { do: "call", method: "fs/read_text_file", params: { path: inProject("readable.txt") } },
          { do: "call", method: "fs/write_text_file", params: { path: inProject("new.txt"), content: "" } },
          plain,
          askShown(),
        ],
        () => "allow_once",
      );
      expect(outcomes.slice(0, 3).map(({ code }) => code)).toEqual([denied, denied, denied]);
      expect(outcomes[3]?.result).toMatchObject({ outcome: { optionId: "no" } });
      expect(questions).toEqual([]);
      for (const what of ["file-read", "file-write", "command"]) await expectDenials(what, 1);
    });

    it("[V607] without a policy, a command after the turn's end is asked about", async () => {
      key = await target.open();
      const before = runs();
      await target.play(key, [{ do: "later", step: plain, afterMs: 100 }]);
      await expect.poll(async () => target.openQuestions(key)).toHaveLength(1);
      expect(runs()).toBe(before);
      const [question] = await target.openQuestions(key);
      await target.decide(key, String(question?.["requestId"]), "reject_once");
      const { outcomes } = await target.play(key, [{ do: "collect" }]);
      expect(outcomes[0]).toMatchObject({ code: denied });
      expect(runs()).toBe(before);
      await expectDenials("command", 1);
    });
  });

  describe("[N675] odd requests", () => {
    it("[N675] end in typed errors, and the host stays well", async () => {
      key = await target.open({ approvalPolicy: "approve-all" });
      const { host } = target;
      const create = (params: object): HostileStep => ({ do: "call", method: "terminal/create", params });
      const steps: HostileStep[] = [
        create({ command: "x".repeat(2_000_000) }),
        create({ command: 5 }),
        create({}),
        create({ command: "" }),
        create({ command: "echo", args: ["a\0b"] }),
        create({ command: "echo", args: "x" }),
        create({ command: "echo", cwd: "relative" }),
        create({ command: "echo", cwd: `${host.project}/missing` }),
        create({ command: "echo", env: [{ name: "A=B", value: "c" }] }),
        create({ command: "echo", env: [{ name: "A\0", value: "c" }] }),
        create({ command: "echo", outputByteLimit: -1 }),
        create({ command: "echo", _meta: { holdfast: { limits: { memoryMebibytes: -5 } } } }),
        { do: "call", method: "terminal/kill", params: { terminalId: "../x" } },
        { do: "call", method: "terminal/output", params: { terminalId: { toString: 1 } } },
        { do: "call", method: "fs/read_text_file", params: { path: "relative" } },
        { do: "call", method: "fs/read_text_file", params: { path: `${host.project}\0` } },
        { do: "call", method: "fs/read_text_file", params: { path: host.project } },
        { do: "call", method: "fs/write_text_file", params: { path: `${host.project}/x`, content: 7 } },
        { do: "call", method: "fs/write_text_file", params: { path: "/dev/null", content: "" } },
        { do: "call", method: "session/prompt", params: {} },
        { do: "call", method: "session/request_permission", params: {} },
        {
          do: "call",
          method: "session/request_permission",
          params: { toolCall: { toolCallId: "z" }, options: [] },
        },
      ];
      const { outcomes } = await target.play(key, steps);
      const answered = outcomes.map(({ code, result }, index) => [index, code ?? result]);
      const untyped = answered.filter(([, code]) => typeof code !== "number" || code === -32_603);
      // A request without options can only be cancelled.
      expect(untyped).toEqual([[21, { outcome: { outcome: "cancelled" } }]]);
      expect(outcomes[0]).toMatchObject({ code: invalid });
      expect((await target.call("GET", "/healthz")).status).toBe(200);
    });
  });
});
