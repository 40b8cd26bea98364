// The lock: one holder, whatever died before and however many want it.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { writeHostFile } from "./host-file.ts";
import { acquireLock, isStillHeld, type HomeLock } from "./lock.ts";
import { identifyProcess } from "./process-identity.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

/** How often each of several programs holds the lock. */
const times = process.env["HOLDFAST_LONG"] === undefined ? 40 : 120;

async function hold(home: string): Promise<HomeLock> {
  const attempt = await acquireLock(home);
  if (attempt.kind === "taken") throw new Error(`taken by ${attempt.holder.pid}`);
  return attempt.lock;
}

function writeLock(home: string, holder: object, name = "lock"): void {
  const startedAt = new Date(0).toISOString();
  writeFileSync(path.join(home, name), JSON.stringify({ id: "0".repeat(36), startedAt, ...holder }));
}

function deadPid(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}

describe("[X850] the lock as the client library reads it", () => {
  it("[X850] names a holder that the library recognizes, and gets the token until the lock is released", async () => {
    const home = temporaryFolder();
    const keys: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      keys.push(headers["x-api-key"]);
      response.end(`{"sessions":[]}`);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    const lock = await hold(home);
    writeHostFile(home, lock.holder, `http://127.0.0.1:${address.port}`);
    writeFileSync(path.join(home, "token"), "owners-token");
    for (const name of ["RTX_APP_ID", "RTX_API_KEY"]) vi.stubEnv(name, undefined);
    vi.stubEnv("HOLDFAST_HOME", home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { acpAgent } = new Holdfast();
    await acpAgent.listSessions();
    lock.release();
    await Promise.allSettled([acpAgent.listSessions()]);
    expect(keys).toEqual(["owners-token"]);
  });
});

describe("[C5] the lock on a home", () => {
  it("[C5] is held by one, and can be had again when it is released", async () => {
    const home = temporaryFolder();
    const lock = await hold(home);
    expect(await acquireLock(home)).toEqual({ kind: "taken", holder: lock.holder });
    expect(isStillHeld(home, lock.holder)).toBe(true);
    lock.release();
    expect(isStillHeld(home, lock.holder)).toBe(false);
    expect(readdirSync(home)).toEqual([]);
    const next = await hold(home);
    lock.release();
    expect(isStillHeld(home, next.holder)).toBe(true);
  });

  it.each([
    ["gives it back", "release", []],
    ["leaves it behind", "abandon", ["lock"]],
  ])("[C5, C6] is never held by two of many when each holder %s", async (_what, ending, left) => {
    const home = temporaryFolder();
    const runs = [1, 2, 3, 4].map(
      () => new ProgramRun([home, String(times), ending], { program: "lock-program" }),
    );
    const ends = await Promise.all(runs.map(async (run) => ({ ...(await run.end()), says: run.stdout })));
    expect(ends).toEqual(runs.map(() => ({ code: 0, signal: null, says: `held ${times}\n` })));
    expect(readdirSync(home)).toEqual(left);
  });
});

describe("[C6] a lock that was left behind", () => {
  it("[C6] by a process that is gone is taken over", async () => {
    const home = temporaryFolder();
    writeLock(home, { pid: deadPid(), birth: "then" });
    const lock = await hold(home);
    expect(JSON.parse(readFileSync(path.join(home, "lock"), "utf8"))).toEqual(lock.holder);
    expect(readdirSync(home)).toEqual(["lock"]);
  });

  it.skipIf(process.platform === "win32")(
    "[C6] with a pid that another process has now is taken over",
    async () => {
      const home = temporaryFolder();
      writeLock(home, { pid: process.ppid, birth: "before that process began" });
      expect((await hold(home)).holder.pid).toBe(process.pid);
    },
  );

  it("[C6] is not taken from a process that runs", async () => {
    const home = temporaryFolder();
    const parent = identifyProcess(process.ppid);
    writeLock(home, { ...parent });
    expect(await acquireLock(home)).toMatchObject({ kind: "taken", holder: parent });
  });

  it.each(["", "garbage", "null", "{}", `{"id":"../../x","pid":1}`])(
    "[C6] that says %j belongs to nobody",
    async (text) => {
      const home = temporaryFolder();
      writeFileSync(path.join(home, "lock"), text);
      expect((await hold(home)).holder.pid).toBe(process.pid);
    },
  );

  it("[C6] by one who was killed while taking over from another is taken over, and nothing is left", async () => {
    const home = temporaryFolder();
    const [first, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(36));
    const dead = { pid: deadPid(), birth: "then" };
    writeLock(home, { ...dead, id: first });
    writeLock(home, { ...dead, id: second }, `lock.after-${first}`);
    writeLock(home, { ...dead, id: third }, `lock.after-${second}`);
    writeLock(home, { ...dead, id: third }, "lock.new-x");
    await hold(home);
    expect(readdirSync(home)).toEqual(["lock"]);
  });

  it("[C5][C6] by holders that are killed again and again never has two heirs", async () => {
    const home = temporaryFolder();
    const ends: string[] = [];
    const contend = async (): Promise<void> => {
      for (let lives = 0; lives < 3; lives += 1) {
        const run = new ProgramRun([home, "30", "die"], { program: "lock-program" });
        const { code, signal } = await run.end();
        ends.push(signal ?? `${code} ${run.stdout}${run.stderr}`);
      }
    };
    await Promise.all([contend(), contend(), contend(), contend()]);
    expect(ends).toHaveLength(12);
    expect(ends.filter((end) => end !== "SIGKILL" && end !== "0 held 30\n")).toEqual([]);
    expect(ends).toContain("SIGKILL");
    await hold(home);
    expect(readdirSync(home).filter((name) => name !== "inside")).toEqual(["lock"]);
  });
});
