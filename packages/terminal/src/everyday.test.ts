// Twelve commands that agents run every day: as text they give exactly what a pipe gives, and none hangs.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildEnvironment } from "./process/index.ts";
import { guardLeaks } from "./testing/leaks.ts";
import { makeEngine } from "./testing/level.ts";

guardLeaks();
// npm looks for a newer npm once a day, and says so in the first command that finds one.
const base = { ...process.env, NPM_CONFIG_UPDATE_NOTIFIER: "false" };
const env = buildEnvironment({ base, audience: "agent-command", hasScreen: false });
const engine = makeEngine({ environment: env, killGraceMs: 500 });
const folder = mkdtempSync(join(tmpdir(), "everyday-"));
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** A small repository with two commits and a change. */
function makeRepository(): void {
  const git = (...args: string[]): void =>
    void execFileSync(
      "git",
      ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", ...args],
      { cwd: folder, env: { ...process.env, HOME: folder } },
    );
  git("init", "-q");
  writeFileSync(join(folder, "file.txt"), Array.from({ length: 200 }, (_, i) => `line ${i}\n`).join(""));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "everyday", version: "1.0.0", scripts: { hello: "echo hello" } }),
  );
  git("add", ".");
  git("commit", "-qm", "first");
  git("commit", "-qm", "second", "--allow-empty");
  writeFileSync(join(folder, "file.txt"), "changed\n");
}
makeRepository();

const bar = `for i in 1 2 3 4 5; do printf "\\r[%-5s] %d%%" "$(printf '#%.0s' $(seq $i))" $((i*20)); done; echo`;
const commands: [name: string, needs: string, line: string][] = [
  ["ls -l", "ls", "ls -l --color=auto"],
  // The width of a column depends on the highest PID, which is another in a sandbox.
  ["ps aux", "ps", "ps aux | head -1 | tr -s ' '"],
  ["git log", "git", "git log --stat"],
  ["git diff", "git", "git diff"],
  ["npm ls", "npm", "npm ls"],
  ["npm run", "npm", "npm run hello --silent"],
  ["a progress bar", "sh", bar],
  ["python -c", "python3", "python3 -c 'import sys; print(1); print(2, file=sys.stderr); sys.exit(3)'"],
  ["a prompt", "sh", "read -p 'Continue? ' answer; echo got:$answer"],
  // Without the time that it took, which is never the same.
  [
    "git that would ask for a password",
    "git",
    "git clone -q https://user@127.0.0.1:1/x.git 2>&1 | sed 's/after [0-9]* ms/after a while/'",
  ],
  ["grep and sort", "grep", "grep -rn 'line 1' . --include=*.txt | sort | head; grep nothing file.txt"],
  ["a failing pipeline", "sh", "set -o pipefail; false | cat; echo $?; cat missing.txt"],
];

describe("an everyday command run as text", () => {
  for (const [name, needs, line] of commands) {
    it(`[T6] ${name} gives what a pipe gives`, async (context) => {
      if (spawnSync("sh", ["-c", `command -v ${needs}`]).status !== 0) {
        return context.skip(`${needs} is not installed`);
      }
      const expected = spawnSync("bash", ["-c", `{ ${line}\n} 2>&1 | cat`], {
        cwd: folder,
        env,
        input: "",
        encoding: "utf8",
      });
      const terminal = await engine.open({ command: line, cwd: folder });
      await terminal.exited;
      expect(terminal.output.tail()).toEqual({ output: expected.stdout, truncated: false });
      await terminal.close();
    });
  }

  it("[T6][T24] a background server lets the command end, and is still there", async (context) => {
    if (spawnSync("sh", ["-c", "command -v python3"]).status !== 0) {
      return context.skip("python3 is not installed");
    }
    const terminal = await engine.open({
      command: "python3 -m http.server 0 --bind 127.0.0.1 & echo started",
      cwd: folder,
    });
    const { exitCode } = await terminal.exited;
    expect(exitCode).toBe(0);
    expect(terminal.output.tail().output).toContain("started\n");
    const survivors = (await terminal.survivors()).map((survivor) => survivor.command);
    expect(survivors).toContainEqual(expect.stringContaining("http.server"));
    await terminal.close();
  });
});
