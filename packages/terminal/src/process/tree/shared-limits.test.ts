// Limits that runs share, hostile trees under limits, and processes that leave their cgroup.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { findByArgument, uniqueSeconds, untilGone } from "../../testing/detector.ts";
import { guardLeaks } from "../../testing/leaks.ts";
import { makeSpawner } from "../../testing/level.ts";
import { cgroupMount } from "../../testing/ordinary-user.ts";
import { recordRun } from "../../testing/record-run.ts";
import type { LimitScope } from "../port.ts";

guardLeaks();
const spawner = makeSpawner();
const plain = makeSpawner({ useCgroups: false });
afterAll(() => Promise.all([spawner.close(), plain.close()]));

const mebibyte = 1024 * 1024;
/** Whether a command can write to another group: in a sandbox even root cannot, where this was tried. */
async function canLeave(): Promise<boolean> {
  if (process.getuid?.() !== 0 || cgroupMount() === undefined) return false;
  const command = `echo 0 > ${cgroupMount()}/cgroup.procs`;
  return (await (await recordRun(spawner, { command })).exit()).exitCode === 0;
}

function session(id: string, limits: LimitScope["limits"]): LimitScope[] {
  return [{ level: "session", id, limits }];
}

/** Takes so many mebibytes of memory, says so, and waits for a line. */
function holder(mebibytes: number): string {
  return `python3 -c 'x=bytearray(${mebibytes}<<20)\nprint("held", flush=True)\ninput()'`;
}

describe("limits that runs share", () => {
  it("[T662] on memory end the run that exceeds them together with another, and name their level", async (context) => {
    const scopes = session("agenthost:/session/a b", { memoryBytes: 150 * mebibyte });
    const first = await recordRun(spawner, { command: holder(80), hasInput: true, scopes });
    const by = first.run.limits.memoryBytes?.by;
    if (by === "rlimit" || by === "none") {
      await first.run.end(0);
      return context.skip("this machine has no memory controller that is writable");
    }
    expect(first.run.limits.memoryBytes).toMatchObject({ value: 150 * mebibyte, level: "session" });
    await first.seen(/held/);
    const second = await recordRun(spawner, { command: holder(100), hasInput: true, scopes });
    const ended = await Promise.race([first.exit(), second.exit()]);
    expect(ended.limit).toEqual({ name: "memoryBytes", value: 150 * mebibyte, level: "session" });
    await Promise.all([first.run.end(0), second.run.end(0)]);
    for (const { run } of [first, second]) run.release();
  });

  it("[T662] do not touch runs of another session", async (context) => {
    const limits = { processes: 4 };
    const line = "sleep 0.2 & sleep 0.2 & wait; echo done";
    const runs = ["one", "two", "three"].map((id) =>
      recordRun(spawner, { command: line, scopes: session(id, limits) }),
    );
    for (const { run, exit, text } of await Promise.all(runs)) {
      if (run.limits.processes?.by === "rlimit") {
        return context.skip("an rlimit counts all processes of the user");
      }
      expect(await exit()).toMatchObject({ exitCode: 0, limit: undefined });
      expect(text()).toBe("done\n");
    }
  });

  it("[T662] on processes count all runs of a session, and name their level", async (context) => {
    const scopes: LimitScope[] = [
      { level: "host", id: "", limits: { memoryBytes: 4096 * mebibyte } },
      { level: "key", id: "app", limits: { processes: 100 } },
      ...session("many", { processes: 6 }),
    ];
    const limits = { processes: 50 };
    const wait = "echo up; read -r line";
    const line = `sleep 60 & sleep 60 & ${wait}`;
    const first = await recordRun(spawner, { command: line, hasInput: true, scopes, limits });
    if (first.run.limits.processes?.by.startsWith("cgroup") !== true) {
      await first.run.end(0);
      return context.skip("this machine has no pids controller that is writable");
    }
    await first.seen(/up/);
    const second = await recordRun(spawner, { command: "for i in 1 2 3 4 5; do sleep 1 & done", scopes });
    const { limit } = await second.exit();
    expect(second.text()).toMatch(/[Rr]esource temporarily unavailable|[Cc]annot fork/);
    expect(limit).toEqual({ name: "processes", value: 6, level: "session" });
    expect(await first.run.end(0)).toEqual([]);
    expect(await second.run.end(0)).toEqual([]);
    for (const { run } of [first, second]) run.release();
  });

  it("[T662] that change hold the runs that are there, raised or lowered", async (context) => {
    const first = await recordRun(spawner, {
      command: `read -r line; ${holder(120)}`,
      hasInput: true,
      scopes: session("changed", { memoryBytes: 100 * mebibyte }),
    });
    if (first.run.limits.memoryBytes?.by.startsWith("cgroup") !== true) {
      await first.run.end(0);
      return context.skip("this machine has no memory controller that is writable");
    }
    spawner.limit(session("changed", { memoryBytes: 200 * mebibyte }));
    first.run.write(Buffer.from("go\n"));
    await first.seen(/held/);
    spawner.limit(session("changed", {}));
    const lowered = session("changed", { memoryBytes: 150 * mebibyte });
    spawner.limit(lowered);
    const second = await recordRun(spawner, { command: holder(60), hasInput: true, scopes: lowered });
    const { limit } = await Promise.race([first.exit(), second.exit()]);
    expect(limit).toMatchObject({ name: "memoryBytes", level: "session" });
    await Promise.all([first.run.end(0), second.run.end(0)]);
    for (const { run } of [first, second]) run.release();
  });

  it("[T662] hold each process without cgroups, and say so", async () => {
    const { run, exit, text } = await recordRun(plain, {
      command: holder(150),
      scopes: session("plain", { memoryBytes: 100 * mebibyte, cpuCores: 1 }),
    });
    expect(run.limits).toMatchObject({
      memoryBytes: { value: 100 * mebibyte, level: "session", by: "rlimit" },
      cpuCores: { by: "none" },
    });
    expect((await exit()).exitCode).not.toBe(0);
    expect(text()).toContain("MemoryError");
  });
});

const bomb = `python3 -c 'import os, sys
while True:
    try: os.fork()
    except OSError: pass
'`;

describe("a hostile tree", () => {
  it("[T666] a fork bomb under a limit stays below it and is ended without survivors", async (context) => {
    const seconds = uniqueSeconds();
    const { run, exit } = await recordRun(spawner, {
      command: `${bomb} ${seconds}`,
      limits: { processes: 40, cpuCores: 0.5 },
    });
    if (run.limits.processes?.by.startsWith("cgroup") !== true) {
      await run.end(0);
      return context.skip("this machine has no pids controller that is writable");
    }
    await expect.poll(async () => (await run.members()).length, { timeout: 20_000, interval: 100 }).toBe(40);
    const askedMs = performance.now();
    const members = await run.members();
    expect(members.length).toBeLessThanOrEqual(40);
    expect(members.every(({ command }) => command.includes("python3"))).toBe(true);
    expect(performance.now() - askedMs).toBeLessThan(5000);
    expect(await run.end(100)).toEqual([]);
    expect((await exit()).limit).toEqual({ name: "processes", value: 40, level: "command" });
    expect(await untilGone(seconds)).toEqual([]);
    run.release();
  });

  it("[T661] a process that left its cgroup is a survivor of its command, and ends with it", async (context) => {
    if (!(await canLeave())) return context.skip("only root may move a process out of its cgroup here");
    const seconds = uniqueSeconds();
    const { run, exit } = await recordRun(spawner, {
      command: `(echo 0 > ${cgroupMount()}/cgroup.procs && exec setsid sleep ${seconds}) >/dev/null 2>&1 & exit 0`,
    });
    expect(run.tree).toBe("cgroup");
    expect((await exit()).exitCode).toBe(0);
    await expect
      .poll(async () => (await run.members()).map(({ command }) => command), { timeout: 10_000 })
      .toEqual([`sleep ${seconds}`]);
    expect(await run.end(1000)).toEqual([]);
    expect(await untilGone(seconds)).toEqual([]);
    run.release();
  });

  it("[T661] a command that leaves its cgroup, ignores TERM and forks is ended with its tree", async (context) => {
    if (!(await canLeave())) return context.skip("only root may move a process out of its cgroup here");
    const seconds = uniqueSeconds();
    const { run, seen } = await recordRun(spawner, {
      command: `trap '' TERM; echo $$ > ${cgroupMount()}/cgroup.procs; for i in 1 2 3; do setsid sh -c 'trap "" TERM; while :; do sleep ${seconds} & wait $!; done' & done; echo up; wait`,
    });
    await seen(/up/);
    await expect.poll(() => findByArgument(seconds).length, { timeout: 10_000 }).toBeGreaterThan(3);
    expect(await run.end(100)).toEqual([]);
    expect(await untilGone(seconds)).toEqual([]);
    run.release();
  });

  it("[T661] of an earlier command is never taken for one of this command", async () => {
    const seconds = uniqueSeconds();
    const other = await recordRun(spawner, { command: "sleep", args: [seconds] });
    const { run, exit } = await recordRun(spawner, { command: "true" });
    await exit();
    expect(await run.members()).toEqual([]);
    expect(await run.end(0)).toEqual([]);
    expect(await other.run.members()).toHaveLength(1);
    await other.run.end(0);
  });
});

describe("the score by which the kernel chooses whom to end", () => {
  it.each([
    ["with cgroups", spawner],
    ["without", plain],
  ] as const)("[T663] is raised for commands and not for the spawn helper (%s)", async (_how, port) => {
    const { exit, text } = await recordRun(port, { command: "cat", args: ["/proc/self/oom_score_adj"] });
    await exit();
    const own = readScore("self");
    expect(Number(text())).toBe(Math.max(500, own));
    expect(readScore(String(port.helperPid))).toBeLessThanOrEqual(own);
  });
});

function readScore(pid: string): number {
  return Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"));
}
