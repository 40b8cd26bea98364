// A host that replaces another one in its home.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

function start(words: readonly string[], environment: Record<string, string> = {}): ProgramRun {
  const run = new ProgramRun([...words, "--json"], { environment });
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  return run;
}

describe("[C720] taking over", () => {
  it("[C720] has the running host stop, and listens where it listened", async () => {
    const home = temporaryFolder();
    const first = start(["--port", "0", "--home", home]);
    const { url } = await first.ready();
    const second = start(["serve", "--take-over", "--home", home]);
    expect((await second.ready()).url).toBe(url);
    expect(await first.end()).toEqual({ code: 0, signal: null });
    const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
    expect(pid).toBe(second.child.pid);
  }, 60_000);

  it("[C720] a plain second start takes nothing over, and without a running host there is nothing to take", async () => {
    const home = temporaryFolder();
    const first = start(["serve", "--take-over", "--port", "0", "--home", home]);
    const { url } = await first.ready();
    const second = start(["--home", home]);
    expect((await second.ready()).url).toBe(url);
    expect(await second.end()).toEqual({ code: 0, signal: null });
    expect(first.child.exitCode).toBe(null);
  }, 60_000);

  it("[C720] a host that does not respond is not replaced, and the error says what ends it", async () => {
    const home = temporaryFolder();
    const first = start(["--port", "0", "--home", home]);
    await first.ready();
    first.child.kill("SIGSTOP");
    const second = start(["serve", "--take-over", "--home", home]);
    expect(await second.end()).toMatchObject({ code: 1 });
    expect(second.stderr).toContain("holdfast stop --keep");
  }, 60_000);

  it("[C721] restart without a host fails with a remedy", async () => {
    const { code, stderr } = await runWords(["restart", "--home", temporaryFolder()]);
    expect(code).toBe(4);
    expect(stderr).toContain("holdfast serve");
  });
});
