// `holdfast policy`: what it explains, and how it ends.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT_CODES } from "../exit-codes.ts";
import { runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { ScriptedHost } from "../testing/scripted-host.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

function homeWith(policy?: string): string {
  const home = temporaryFolder();
  if (policy !== undefined) writeFileSync(path.join(home, "policy.jsonc"), policy);
  return home;
}

const rules = `{
  // The rules of a team.
  "preset": "reads",
  "rules": [
    { "id": "no force push", "effect": "deny", "command": "git push ** --force* **", "reason": "it loses commits" },
    { "id": "agent push", "effect": "allow", "command": "git push **", "agent": "claude*" },
  ],
}`;

describe("[C685] policy test", () => {
  it.each([
    [["git", "push", "--force"], 13, 'deny, by rule "no force push" of policy.jsonc'],
    [["git log -n 3 | head"], 0, 'allow, by rule "git log" of preset reads'],
    [["ls; git push origin --force-with-lease"], 13, "it loses commits"],
    [["echo $(date)"], 12, "command substitution"],
    [["--agent", "claude-cli", "--", "git push"], 0, "agent push"],
    [["--agent", "claude-cli", "--env", "GIT_SSH=x", "--", "git push"], 12, "no rule matches"],
  ])("[C685] %j ends with %d", async (words, code, text) => {
    const ran = await runWords([
      "policy",
      "test",
      "--home",
      homeWith(rules),
      ...(words.includes("--") ? words : ["--", ...words]),
    ]);
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain(text);
  });

  it("[C685] --json has the parsed commands and the decision on each", async () => {
    const { stdout } = await runWords([
      "policy",
      "test",
      "--json",
      "--home",
      homeWith(rules),
      "--",
      "ls && rm x",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      decision: "ask",
      commands: [{ words: [{ value: "ls" }] }, { words: [{ value: "rm" }, { value: "x" }] }],
      explanation: {
        parts: [
          { source: "ls", effect: "allow", rule: { id: "ls" } },
          { source: "rm x", effect: "ask" },
        ],
      },
    });
  });

  it("[C685] without rules the session's policy decides", async () => {
    const home = homeWith();
    expect((await runWords(["policy", "test", "--home", home, "--", "ls"])).code).toBe(12);
    expect(
      (await runWords(["policy", "test", "--home", home, "--policy", "approve-all", "--", "ls"])).code,
    ).toBe(0);
    expect(
      (await runWords(["policy", "test", "--home", home, "--policy", "deny-all", "--", "ls"])).code,
    ).toBe(13);
  });
});

describe("[V686] policy test agrees with the host", () => {
  const policies = ["approve-all", "approve-reads", "deny-all", "ask", "none"] as const;
  const codes = { allow: EXIT_CODES.done, ask: EXIT_CODES.asks, deny: EXIT_CODES.denies } as const;

  type Policy = (typeof policies)[number];

  /** The decisions of the host on commands for which the agent asks no permission. */
  async function hostDecides({ api, folder }: ScriptedHost, policy: Policy, lines: readonly string[]) {
    const { session_key: key } = await api.acpAgent.createSession({
      agent_id: "scripted",
      cwd: folder,
      ...(policy !== "none" && { approvalPolicy: policy }),
    });
    const decisions = [];
    for (const line of lines) {
      let wasAsked = false;
      for await (const { type } of api.acpAgent.streamChat(key, line)) {
        if (type !== "permission_request") continue;
        wasAsked = true;
        await api.acpAgent.cancelTurn(key);
      }
      const entries = await api.audit.list({ session: key, what: "command" });
      const allowed = entries.findLast(({ subject }) => subject === line)?.decision === "allowed";
      decisions.push(wasAsked ? "ask" : allowed ? "allow" : "deny");
    }
    return decisions;
  }

  it.each([
    ["without a policy file", undefined],
    ["with one", `{"deny": ["mkdir **"], "ask": ["touch **"], "allow": ["true **"]}`],
  ])(
    "[V686] %s",
    async (_name, file) => {
      const parent = temporaryFolder();
      const make = { do: "ask", as: "made", method: "terminal/create", params: { command: "$prompt.text" } };
      const host = await ScriptedHost.start(parent, { prompts: { "*": [make] } }, file);
      onTestFinished(() => host.close());
      const outside = path.join(parent, "outside");
      const lines = ["true", "echo $(true)", `echo x > ${outside}`, "touch asked", "mkdir denied"];
      for (const policy of policies) {
        const words = ["policy", "test", "--json", "--home", host.home, "--cwd", host.folder];
        const tested = [];
        for (const line of lines) {
          const { code, stdout } = await runWords([...words, "--policy", policy, "--", line]);
          const { decision } = JSON.parse(stdout) as { decision: keyof typeof codes };
          expect(code).toBe(codes[decision]);
          tested.push(decision);
        }
        expect([policy, tested]).toEqual([policy, await hostDecides(host, policy, lines)]);
      }
    },
    60_000,
  );

  it("[V686] without a policy file, a line that cannot be taken apart is not said to be asked about", async () => {
    const words = ["policy", "test", "--home", homeWith(), "--policy", "none", "--"];
    for (const line of ["echo $(date)", "echo x > /etc/passwd"]) {
      const ran = await runWords([...words, line]);
      expect([line, ran.code]).toEqual([line, 0]);
      expect(ran.stdout).toContain("allow, by the approval policy none");
      expect(ran.stdout).not.toMatch(/^ask/m);
    }
  });
});

describe("[C686] policy check and show", () => {
  it("[C686] check names every mistake and ends with 2", async () => {
    const wrong = await runWords([
      "policy",
      "check",
      "--home",
      homeWith(`{"deny": "rm", "rules": [{"efect": 1}]}`),
    ]);
    expect(wrong.code).toBe(2);
    for (const text of ["deny must be an array", "rules[0].effect must be one of", "efect"]) {
      expect(wrong.stderr).toContain(text);
    }
    const syntax = await runWords(["policy", "check", "--home", homeWith(`{"deny": [}`)]);
    expect(syntax.stderr).toContain("line 1, column 11");
    expect((await runWords(["policy", "check", "--home", homeWith(rules)])).stdout).toContain("is valid.");
    expect((await runWords(["policy", "check", "--home", homeWith()])).stdout).toContain("There is no");
    expect((await runWords(["policy", "check", "/does/not/exist"])).code).toBe(2);
  });

  it("[C715] show asks the running host, whose rules may be those before a change that cannot be used", async () => {
    const home = homeWith(rules);
    const host = new ProgramRun(["serve", "--port", "0", "--home", home, "--json"], { program: "main" });
    onTestFinished(async () => void (await host.stop()));
    await host.ready();
    writeFileSync(path.join(home, "policy.jsonc"), "{ nonsense");
    const { stdout, stderr } = await runWords(["policy", "show", "--home", home]);
    expect(stderr).toContain("cannot be used");
    expect(stdout).toContain("deny   no force push");
    const shown = await runWords(["policy", "show", "--json", "--home", home]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      file: path.join(home, "policy.jsonc"),
      sets: [{ source: "preset reads" }, { source: "policy.jsonc" }],
      problem: expect.stringContaining("cannot be used") as string,
    });
  });

  it("[C686] show lists the rules in force", async () => {
    const { stdout } = await runWords(["policy", "show", "--home", homeWith(rules)]);
    expect(stdout).toContain("preset reads: ask where no rule matches");
    expect(stdout).toContain("deny   no force push");
  });
});
