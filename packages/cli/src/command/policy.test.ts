// `holdfast policy`: what it explains, and how it ends.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
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
