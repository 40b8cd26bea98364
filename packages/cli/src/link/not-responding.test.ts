// Commands and a host that does not respond.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandRun, runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";

/** A host with a separate home. */
class TestHome {
  readonly home = mkdtempSync(path.join(tmpdir(), "holdfast-cli-"));
  readonly host = this.start(["--port", "0", "--json"]);

  /** Starts the program as a process. */
  start([first = "", ...rest]: readonly string[]): ProgramRun {
    return new ProgramRun([first, ...rest, "--home", this.home], { program: "main" });
  }

  run([command = "", ...rest]: readonly string[]): Promise<CommandRun> {
    return runWords([command, "--home", this.home, ...rest]);
  }

  async close(): Promise<void> {
    await this.host.stop("SIGKILL");
    rmSync(this.home, { recursive: true, force: true });
  }
}

const givenUp: readonly (readonly [exitCode: number, words: readonly string[]])[] = [
  [4, ["ls"]],
  [4, ["run", "shell", "echo hi"]],
  // Other codes are those of the command that it runs (C36).
  [125, ["exec", "--", "true"]],
];

describe.skipIf(process.platform === "win32")("[C224] a host that does not respond", () => {
  const ended = new Map<readonly string[], CommandRun & { readonly tookMs: number }>();
  let slow: CommandRun | undefined;
  let watch: ProgramRun | undefined;
  const homes: TestHome[] = [];

  // Everything waits for 5 s and more, so all of it waits at once: the commands and `watch` for one host.
  beforeAll(async () => {
    const [stopping, responding] = [new TestHome(), new TestHome()];
    homes.push(stopping, responding);
    await Promise.all(homes.map(({ host }) => host.ready()));
    await stopping.run(["exec", "--detach", "--name", "seen", "sleep", "1000"]);
    watch = stopping.start(["watch"]);
    await watch.until(({ stdout }) => (stdout.includes("seen") ? true : undefined));
    stopping.host.child.kill("SIGSTOP");
    const startedMs = performance.now();
    const running = givenUp.map(async ([, words]) => {
      const ran = await stopping.run(words);
      ended.set(words, { ...ran, tookMs: performance.now() - startedMs });
    });
    const exec = responding.run(["exec", "--", "sh", "-c", "sleep 6; echo done"]);
    await Promise.all(running);
    slow = await exec;
  }, 60_000);
  afterAll(async () => {
    await watch?.stop("SIGKILL");
    for (const home of homes) await home.close();
  });

  it.each(givenUp)("[C224] is given up after 5 s with a sentence and exit code %i: %j", (exitCode, words) => {
    const { code, stdout, stderr, tookMs } = ended.get(words) ?? expect.unreachable();
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: "HOST_NOT_RESPONDING",
        message: expect.stringContaining("has not responded for 5 s"),
        remedy: expect.stringContaining("holdfast stop"),
      },
    });
    expect(tookMs).toBeGreaterThan(4_900);
  });

  it("[C224] is waited for by a command that takes long while it answers", () => {
    expect(slow).toMatchObject({ code: 0, stdout: "done\n" });
  });

  it("[C224] is reported by watch, which continues when it is back", async () => {
    const reported = (text: string): Promise<true> | undefined =>
      watch?.until(({ stderr }) => (stderr.includes(text) ? true : undefined));
    expect(await reported("is not responding")).toBe(true);
    homes[0]?.host.child.kill("SIGCONT");
    expect(await reported("responds again")).toBe(true);
  });
});
