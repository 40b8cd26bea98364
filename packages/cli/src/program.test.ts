// The program as a process: what it prints, when it ends, and what it leaves behind.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProgramRun, type ProgramRunOptions } from "./testing/program-run.ts";
import { temporaryFolder } from "./testing/temporary-home.ts";

function start(home: string, words: readonly string[] = [], options?: ProgramRunOptions): ProgramRun {
  const run = new ProgramRun(["--port", "0", "--home", home, "--json", ...words], options);
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  return run;
}

/** Files that a host that is gone may leave in its home. */
const kept = ["token"];

function errorsOf({ stderr }: ProgramRun): string[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { level: string; message: string })
    .filter(({ level }) => level === "error")
    .map(({ message }) => message);
}

describe("[C8] ready", () => {
  it("[C8] is one line of JSON, and nothing else, with --json", async () => {
    const home = temporaryFolder();
    const run = start(home);
    const ready = await run.ready();
    const { port } = new URL(ready.url);
    expect(run.stdout).toBe(
      `{"event":"ready","url":"http://127.0.0.1:${port}","ahpUrl":"ws://127.0.0.1:${port}/ahp","tokenFile":"${path.join(home, "token")}"}\n`,
    );
    expect(await (await fetch(ready.url)).text()).toBe(String(run.child.pid));
    const before = run.stdout;
    await run.stop();
    expect(run.stdout).toBe(before);
  });

  it("[C8] is a link that signs in once, the home and a command to try, for people, and never the token", async () => {
    const home = path.join(temporaryFolder(), "it's a home");
    const run = new ProgramRun(["--port", "0", "--home", home]);
    onTestFinished(async () => void (await run.stop("SIGKILL")));
    const page = await run.until(({ stdout }) => (stdout.includes("Try") ? stdout : undefined));
    const token = readFileSync(path.join(home, "token"), "utf8").trim();
    expect(page).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\?ticket=once\n/);
    expect(run.stdout + run.stderr).not.toContain(token);
    expect(page).toContain(`Home  ${home}\n`);
    const [, command = ""] = /Try {3}(.*)\n/.exec(page) ?? [];
    // Other users can see arguments, and not what comes through a pipe.
    const tried = spawnSync("sh", ["-c", `curl() { echo "$@"; cat; }; ${command}`], { encoding: "utf8" });
    const [words, header] = tried.stdout.split("\n");
    expect(words).toMatch(/^-H @- http:\/\/127\.0\.0\.1:\d+\/sdk\//);
    expect(header).toBe(`x-api-key: ${token}`);
  });
});

describe("[C7] host.json", () => {
  it("[C7] says where the host is and who, not the token, and goes with it", async () => {
    const home = temporaryFolder();
    const run = start(home);
    const { url, token } = await run.ready();
    const file = path.join(home, "host.json");
    const text = readFileSync(file, "utf8");
    const { startedAt, ...rest } = JSON.parse(text) as { startedAt: string };
    expect(rest).toEqual({ url, pid: run.child.pid });
    expect(new Date(startedAt).toISOString()).toBe(startedAt);
    expect(text).not.toContain(token);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    await run.stop();
    expect(readdirSync(home).toSorted()).toEqual(kept);
  });
});

describe("[C5] a second start", () => {
  it("[C5] prints the running host's line, whatever else it asks for, and exits with 0", async () => {
    const home = temporaryFolder();
    const first = start(home);
    await first.ready();
    const second = start(home, ["--port", "1", "--config", "/nowhere"]);
    expect(await second.end()).toEqual({ code: 0, signal: null });
    expect(second.stdout).toBe(first.stdout);
    const third = new ProgramRun(["--home", home]);
    expect(await third.end()).toEqual({ code: 0, signal: null });
    expect(third.stdout).toContain(`already running (process ${first.child.pid})`);
    expect(third.stdout).toContain("/?ticket=another");
    expect(await first.stop()).toEqual({ code: 0, signal: null });
  });

  it("[C844] names the arguments that have no effect", async () => {
    const home = temporaryFolder();
    const { port } = new URL((await start(home).ready()).url);
    const other = new ProgramRun(["--home", home, "--port", "1", "--host", "::1"]);
    expect(await other.end()).toEqual({ code: 0, signal: null });
    expect(other.stderr).toContain("--port 1 and --host ::1 have no effect: the host already runs at ");
    const same = new ProgramRun(["--home", home, "--port", port, "--host", "127.0.0.1"]);
    expect(await same.end()).toEqual({ code: 0, signal: null });
    expect(same.stderr).toBe("");
  });

  it("[C844] beside a host that does not respond says so", async () => {
    const home = temporaryFolder();
    const first = start(home);
    const { url } = await first.ready();
    first.child.kill("SIGSTOP");
    const second = new ProgramRun(["--home", home]);
    expect(await second.end()).toEqual({ code: 4, signal: null });
    expect(second.stdout).toBe("");
    expect(errorsOf(second)).toEqual([
      `Holdfast is already running at ${url} (process ${first.child.pid}) and has not responded for 3 s. End it with: holdfast stop`,
    ]);
  });

  it("[C5, C6] of six at the same time after a crash: one serves, all name it", async () => {
    const home = temporaryFolder();
    const crashed = start(home);
    const old = await crashed.ready();
    await crashed.stop("SIGKILL");
    expect(existsSync(path.join(home, "host.json"))).toBe(true);

    const runs = Array.from({ length: 6 }, () => start(home));
    const lines = await Promise.all(runs.map((run) => run.ready()));
    const pid = Number(await (await fetch(lines[0]?.url ?? "")).text());
    const serving = runs.filter((run) => run.child.pid === pid);
    expect(serving).toHaveLength(1);
    for (const line of lines) expect(line).toEqual(lines[0]);
    expect(lines[0]?.token).toBe(old.token);
    for (const run of runs) if (run.child.pid !== pid) expect((await run.end()).code).toBe(0);
    expect(await serving[0]?.stop()).toEqual({ code: 0, signal: null });
    expect(readdirSync(home).toSorted()).toEqual(kept);
  });

  it("[C5] while the first one drains waits, and then serves", async () => {
    const home = temporaryFolder();
    const first = start(home, [], { environment: { TEST_DRAIN: "1500" } });
    const { url } = await first.ready();
    first.child.kill("SIGTERM");
    await first.until(({ stderr }) => (stderr.includes("draining") ? true : undefined));
    const second = start(home);
    const ready = await second.ready();
    expect((await first.end()).code).toBe(0);
    expect(ready.url).not.toBe(url);
    expect(await (await fetch(ready.url)).text()).toBe(String(second.child.pid));
    expect(existsSync(path.join(home, "host.json"))).toBe(true);
  });
});

describe("[C4] an address that cannot be had", () => {
  it("[C4] ends the start with 3 and says what to do", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const home = temporaryFolder();
    const run = start(home, ["--port", String(port)]);
    expect(await run.end()).toEqual({ code: 3, signal: null });
    expect(run.stdout).toBe("");
    expect(errorsOf(run)).toEqual([expect.stringMatching(new RegExp(`Port ${port} is taken .* --port 0`))]);
    expect(readdirSync(home).toSorted()).toEqual(kept);
  });
});

describe("[C11] exit codes", () => {
  it("[C11] 2 for a wrong argument and for a configuration that does not fit, with nothing left behind", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "config.jsonc"), `{ "listen": { "port": -1 } }`);
    const unfit = start(home);
    const wrong = [start(home, ["--colour"]), start(home, ["--port", "x"])];
    for (const run of [unfit, ...wrong]) {
      expect(await run.end()).toEqual({ code: 2, signal: null });
      expect(run.stdout).toBe("");
    }
    expect(errorsOf(unfit)).toEqual([expect.stringContaining("listen.port must be at least 0")]);
    for (const { stderr } of wrong) {
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: "WRONG_ARGUMENTS", exitCode: 2 } });
    }
    expect(readdirSync(home)).toEqual(["config.jsonc"]);
  });

  it("[C11] 0 for help, on stdout", async () => {
    const run = new ProgramRun(["--help"]);
    expect(await run.end()).toEqual({ code: 0, signal: null });
    expect(run.stdout).toContain("Usage: holdfast");
  });
});

describe("[C12] the end", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "[C12] on %s drains, cleans up and exits with 0",
    async (signal) => {
      const home = temporaryFolder();
      const run = start(home, [], { environment: { TEST_DRAIN: "50" } });
      await run.ready();
      expect(await run.stop(signal)).toEqual({ code: 0, signal: null });
      expect(run.stderr).toContain("draining\n");
      expect(readdirSync(home).toSorted()).toEqual(kept);
    },
  );

  it("[C12] on a second signal is at once, with 1", async () => {
    const home = temporaryFolder();
    const run = start(home, [], { environment: { TEST_DRAIN: "never" } });
    await run.ready();
    run.child.kill("SIGTERM");
    await run.until(({ stderr }) => (stderr.includes("draining") ? true : undefined));
    expect(existsSync(path.join(home, "host.json"))).toBe(false);
    expect(await run.stop("SIGINT")).toEqual({ code: 1, signal: null });
    expect(readdirSync(home).toSorted()).toEqual(kept);
  });

  it.each(["uncaught", "rejection"])(
    "[C12] by a fault (%s) is logged, with 1 and nothing left",
    async (fault) => {
      const home = temporaryFolder();
      const run = start(home, [], { environment: { TEST_FAULT: fault } });
      expect(await run.end()).toEqual({ code: 1, signal: null });
      expect(errorsOf(run)).toEqual(["The host ended because of an error"]);
      expect(run.stderr).toContain("planted fault");
      expect(readdirSync(home).toSorted()).toEqual(kept);
    },
  );

  it("[C12] of a host that could not start is the same", async () => {
    const home = temporaryFolder();
    const run = start(home, [], { environment: { TEST_FAULT: "start" } });
    expect(await run.end()).toEqual({ code: 1, signal: null });
    expect(run.stdout).toBe("");
    expect(readdirSync(home).toSorted()).toEqual(kept);
  });

  it("[C12] does not come when the reader of the output goes away", async () => {
    const home = path.join(temporaryFolder(), "home");
    mkdirSync(home);
    const run = start(home);
    const { url } = await run.ready();
    run.child.stdout?.destroy();
    run.child.stderr?.destroy();
    run.child.kill("SIGTERM");
    expect((await run.end()).code).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});
