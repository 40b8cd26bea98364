// A host whose event loop hangs: what ends it, what it leaves, and what must not be taken for a hang.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { ProgramRun, type ProgramRunOptions } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

const timeouts = { timeout: 30_000, interval: 50 };
const SIGINT = 2;

async function serve(
  home: string,
  options: ProgramRunOptions = {},
): Promise<{ run: ProgramRun; url: string }> {
  const run = new ProgramRun(["--port", "0", "--home", home, "--json"], options);
  onTestFinished(async () => {
    run.child.kill("SIGCONT");
    await run.stop("SIGKILL");
  });
  const { url } = await run.ready();
  return { run, url };
}

function watched(hangMs: number, more: Readonly<Record<string, string>> = {}): ProgramRunOptions {
  return { environment: { TEST_HANG_MS: String(hangMs), ...more } };
}

function reportsIn(home: string): string[] {
  return readdirSync(home).filter((name) => name.startsWith("hang-report"));
}

/** Whether the process handles a signal itself. */
function handles({ child }: ProgramRun, signal: number): boolean {
  const [, mask = "0"] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${mask}`) & (1n << BigInt(signal - 1))) !== 0n;
}

describe.skipIf(process.platform !== "linux")("[C220] a host whose event loop hangs", () => {
  it("[C220] [C221] is ended with exit code 9 and a report of where it hung, which the next start mentions once", async () => {
    const home = temporaryFolder();
    const { run } = await serve(home, watched(1500));
    run.child.kill("SIGUSR2");
    expect(await run.end()).toEqual({ code: 9, signal: null });
    const line = run.stderr.split("\n").find((text) => text.includes("The host hung")) ?? "";
    const file = path.join(home, "hang-report.txt");
    expect(JSON.parse(line)).toMatchObject({ level: "error", report: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const report = readFileSync(file, "utf8");
    expect(report.match(/^ {4}at hangForEver \(file:.+serve-program\.js:\d+:\d+\)$/gm)).toHaveLength(2);
    expect(readdirSync(home)).not.toContain("lock");
    const next = await serve(home);
    expect(next.run.stderr).toContain("The last host hung");
    const [kept = ""] = reportsIn(home);
    expect(next.run.stderr).toContain(kept);
    expect(readFileSync(path.join(home, kept), "utf8")).toBe(report);
    await next.run.stop();
    const third = await serve(home);
    expect(third.run.stderr).toBe("");
    expect(reportsIn(home)).toEqual([kept]);
  }, 60_000);

  it("[C220] in native code is killed, and the report says so", async () => {
    const home = temporaryFolder();
    const { run } = await serve(home, watched(1000, { TEST_HANG: "native", TEST_RELEASE_MS: "60000" }));
    run.child.kill("SIGUSR2");
    expect(await run.end()).toEqual({ code: null, signal: "SIGKILL" });
    expect(readFileSync(path.join(home, "hang-report.txt"), "utf8")).toContain("in native code");
  }, 60_000);

  it("[C220] is not one that was stopped by a signal, nor one that gets little of the CPU", async () => {
    const home = temporaryFolder();
    const hangMs = 1000;
    const { run, url } = await serve(home, watched(hangMs));
    const busy = fetch(`${url}/busy/${hangMs / 2}`);
    await run.until(({ stderr }) => (stderr.includes("busy") ? true : undefined));
    run.child.kill("SIGSTOP");
    await delay(hangMs * 2);
    // From here on it gets a fifth of the time.
    const answer = { isThere: false };
    void busy.then(() => (answer.isThere = true));
    for (let slice = 0; slice < 200 && !answer.isThere; slice += 1) {
      run.child.kill("SIGCONT");
      await delay(40);
      run.child.kill("SIGSTOP");
      await delay(160);
    }
    run.child.kill("SIGCONT");
    expect((await busy).status).toBe(200);
    expect((await fetch(url)).status).toBe(200);
    expect(reportsIn(home)).toEqual([]);
  }, 90_000);

  it("[C220] is ended also where it gets a tenth of the CPU", async () => {
    const home = temporaryFolder();
    const { run } = await serve(home, watched(1000, { TEST_RELEASE_MS: "60000" }));
    run.child.kill("SIGUSR2");
    await run.until(({ stderr }) => (stderr.includes("hanging") ? true : undefined));
    while (reportsIn(home).length === 0) {
      const sliceEndMs = usedCpuMs(run) + 20;
      run.child.kill("SIGCONT");
      await vi.waitFor(() => expect(usedCpuMs(run)).toBeGreaterThanOrEqual(sliceEndMs), {
        ...timeouts,
        interval: 5,
      });
      run.child.kill("SIGSTOP");
      await delay(180);
    }
    run.child.kill("SIGCONT");
    expect(await run.end()).toEqual({ code: 9, signal: null });
  }, 120_000);

  it("[C220] is not one that takes long to start", async () => {
    const home = temporaryFolder();
    const { url } = await serve(home, watched(300, { TEST_START_BUSY: "1000" }));
    expect((await fetch(url)).status).toBe(200);
    expect(reportsIn(home)).toEqual([]);
  }, 60_000);

  it("[C222] ends by a signal once the watchdog has noticed, and handles signals again if it comes back", async () => {
    const home = temporaryFolder();
    const { run, url } = await serve(home, watched(60_000, { TEST_RELEASE_MS: "500" }));
    expect(handles(run, SIGINT)).toBe(true);
    const busy = fetch(`${url}/busy/2000`);
    await vi.waitFor(() => expect(handles(run, SIGINT)).toBe(false), timeouts);
    expect((await busy).status).toBe(200);
    await vi.waitFor(() => expect(handles(run, SIGINT)).toBe(true), timeouts);
    run.child.kill("SIGUSR2");
    await vi.waitFor(() => expect(handles(run, SIGINT)).toBe(false), timeouts);
    expect(await run.stop("SIGINT")).toEqual({ code: null, signal: "SIGINT" });
  }, 90_000);

  // It uses 10 s of CPU time before it may end.
  it.runIf(process.env["HOLDFAST_LONG"] !== undefined)(
    "[C220] the whole program ends within seconds of 10 s, with every process that it ran",
    async () => {
      const home = temporaryFolder();
      const preloaded = fileURLToPath(new URL("../testing/hang-on-signal.mjs", import.meta.url));
      const { run } = await serve(home, {
        program: "main",
        environment: { NODE_OPTIONS: `--import=${preloaded}` },
      });
      // A number that no other process on this machine has among its arguments.
      const seconds = String(process.pid * 10_000 + 321);
      const { code } = await runWords(["exec", "--home", home, "--detach", "--", "sleep", seconds]);
      expect(code).toBe(0);
      await vi.waitFor(() => expect(findProcesses(seconds)).toHaveLength(1), timeouts);
      const hungMs = performance.now();
      run.child.kill("SIGUSR2");
      expect(await run.end()).toEqual({ code: 9, signal: null });
      expect(performance.now() - hungMs).toBeGreaterThan(10_000);
      expect(readFileSync(path.join(home, "hang-report.txt"), "utf8")).toContain("at hangOnSignal (");
      await vi.waitFor(() => expect(findProcesses(seconds)).toEqual([]), timeouts);
      // The watchdog counts CPU time, of which a process may get a tenth on a machine that others use too.
    },
    300_000,
  );
});

/** The CPU time that a process has used; of one that has ended, more than any other. */
function usedCpuMs({ child }: ProgramRun): number {
  const file = `/proc/${child.pid}/stat`;
  // Not reaped yet, it is still there.
  if (!existsSync(file)) return Number.POSITIVE_INFINITY;
  const stat = readFileSync(file, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The processes that have a word among their arguments. */
function findProcesses(word: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      // It ended just now.
      return false;
    }
  });
}
