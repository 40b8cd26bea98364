// Limits: each fires, is named in the exit, and can be read while it is in force.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { makeSpawner } from "../testing/level.ts";
import { recordRun } from "../testing/record-run.ts";
import { checkLimits, effectiveLimits, findExcess, LIMIT_NAMES, strictestLimits } from "./limits.ts";
import type { LimitScope, RunLimits } from "./port.ts";

guardLeaks();
const spawner = makeSpawner();
/** As on a machine without cgroups. */
const plain = makeSpawner({ useCgroups: false });
afterAll(() => Promise.all([spawner.close(), plain.close()]));

const isRoot = process.getuid?.() === 0;
const mebibyte = 1024 * 1024;
const hungry = "python3 -c 'x=[]\nwhile True: x.append(bytearray(1<<20))'";

describe("a limit", () => {
  it("[T25] on the wall clock ends the run and is named", async () => {
    const { run, exit } = await recordRun(spawner, { command: "sleep 60", limits: { wallClockMs: 150 } });
    expect(run.limits).toEqual({ wallClockMs: { value: 150, level: "command", by: "host" } });
    const limit = { name: "wallClockMs", value: 150, level: "command" };
    expect(await exit()).toMatchObject({ signal: "SIGTERM", limit });
  });

  it("[T25] on output bytes ends the run and is named", async () => {
    const { exit } = await recordRun(spawner, { command: "yes", limits: { outputBytes: 1_000_000 } });
    const { limit, finalOffset } = await exit();
    expect(limit).toEqual({ name: "outputBytes", value: 1_000_000, level: "command" });
    expect(finalOffset).toBeGreaterThan(1_000_000);
  });

  it.each([
    ["cgroups", spawner, "auto"],
    ["cgroups for limits only", spawner, "process-group"],
    ["rlimits", plain, "auto"],
  ] as const)("[T25] on CPU seconds ends the run and is named (%s)", async (_how, port, tree) => {
    const { run, exit } = await recordRun(port, {
      command: "while :; do :; done",
      limits: { cpuSeconds: 1 },
      tree,
    });
    expect(port === plain ? ["rlimit"] : ["cgroup2", "rlimit"]).toContain(run.limits.cpuSeconds?.by);
    expect((await exit()).limit).toEqual({ name: "cpuSeconds", value: 1, level: "command" });
  });

  it.each(["auto", "process-group"] as const)(
    "[T200] on CPU seconds sets the soft limit, the hard one a second above it, and prints nothing (%s)",
    async (tree) => {
      const { exit, text } = await recordRun(spawner, {
        command: "ulimit -S -t; ulimit -H -t",
        limits: { cpuSeconds: 7 },
        tree,
      });
      await exit();
      expect(text()).toBe("7\n8\n");
    },
  );

  it("[T200] on CPU seconds ends a program that ignores XCPU, by the hard limit", async () => {
    const { exit, text } = await recordRun(spawner, {
      command: "trap '' XCPU; while :; do :; done",
      limits: { cpuSeconds: 1 },
      tree: "process-group",
    });
    expect((await exit()).signal).toBe("SIGKILL");
    expect(text()).toBe("");
  });

  it("[T25] on memory ends the run; a cgroup's is named, an rlimit's is the program's own failure", async (context) => {
    const { run, exit, text } = await recordRun(spawner, {
      command: hungry,
      limits: { memoryBytes: 100 * mebibyte },
    });
    const by = run.limits.memoryBytes?.by;
    const ended = await exit();
    expect(ended.exitCode).not.toBe(0);
    if (by === "rlimit") expect(text()).toContain("MemoryError");
    else if (by === "none") context.skip("nothing on this machine limits memory");
    else expect(ended.limit).toEqual({ name: "memoryBytes", value: 100 * mebibyte, level: "command" });
  });

  it("[T25] on memory holds without cgroups, in each process", async () => {
    const { run, exit, text } = await recordRun(plain, {
      command: hungry,
      limits: { memoryBytes: 100 * mebibyte },
    });
    expect(run).toMatchObject({ tree: "process-group", limits: { memoryBytes: { by: "rlimit" } } });
    expect((await exit()).exitCode).not.toBe(0);
    expect(text()).toContain("MemoryError");
  });

  it("[T25] on processes refuses the next one", async () => {
    const { run, exit, text } = await recordRun(spawner, {
      command: "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3 & done; wait",
      limits: { processes: 5 },
    });
    const by = run.limits.processes?.by;
    const { limit } = await exit();
    expect(by).toMatch(isRoot ? /cgroup|none/ : /cgroup|rlimit/);
    if (by?.startsWith("cgroup") === true) {
      expect(text()).toMatch(/[Rr]esource temporarily unavailable|[Cc]annot fork/);
      expect(limit).toEqual({ name: "processes", value: 5, level: "command" });
    }
  });

  it("[T25] on processes is not claimed to hold root where only an rlimit is there", async () => {
    const { run, exit } = await recordRun(plain, { command: "true", limits: { processes: 5000 } });
    await exit();
    expect(run.limits.processes?.by).toBe(isRoot ? "none" : "rlimit");
  });

  it("[T25] on CPU cores is in force where there is a controller", async () => {
    const { run, exit } = await recordRun(spawner, { command: "true", limits: { cpuCores: 0.5 } });
    await exit();
    expect(run.limits.cpuCores?.value).toBe(0.5);
    expect(["cgroup1", "cgroup2", "none"]).toContain(run.limits.cpuCores?.by);
  });

  it.each([
    ["cgroups", spawner],
    ["no cgroups", plain],
  ] as const)("[T664] on disk writes ends the run and is named (%s)", async (_how, port) => {
    const folder = mkdtempSync(path.join(tmpdir(), "disk-writes-"));
    try {
      const { run, exit } = await recordRun(port, {
        command: "while :; do dd if=/dev/zero of=file bs=1M count=8 conv=fsync 2>/dev/null; done",
        cwd: folder,
        limits: { diskWriteBytes: 32 * mebibyte, wallClockMs: 20_000 },
      });
      expect(["cgroup2", "proc"]).toContain(run.limits.diskWriteBytes?.by);
      expect((await exit()).limit).toEqual({
        name: "diskWriteBytes",
        value: 32 * mebibyte,
        level: "command",
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("[T25] that did not fire is not named", async () => {
    const { exit } = await recordRun(spawner, {
      command: "exit 3",
      limits: {
        wallClockMs: 60_000,
        outputBytes: 1e9,
        cpuSeconds: 60,
        memoryBytes: 1e9,
        processes: 500,
        diskWriteBytes: 1e9,
      },
    });
    expect(await exit()).toMatchObject({ exitCode: 3, limit: undefined });
  });

  it.each([
    [{ wallClockMs: 0 }, "limits.wallClockMs"],
    [{ memoryBytes: -1 }, "limits.memoryBytes"],
    [{ processes: 1.5 }, "limits.processes"],
    [{ cpuSeconds: Number.NaN }, "limits.cpuSeconds"],
    [{ outputBytes: "10" }, "limits.outputBytes"],
    [7, "limits"],
  ])("[T5] %j is refused, naming %s", (limits, field) => {
    expect(() => checkLimits(limits as never)).toThrow(
      expect.objectContaining({ code: "invalid_request", field }),
    );
  });
});

const amounts = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined });
const anyLimits: fc.Arbitrary<RunLimits> = fc.record(
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, amounts])),
);
const anyScopes: fc.Arbitrary<LimitScope[]> = fc
  .tuple(...(["host", "key", "session"] as const).map((level) => fc.tuple(fc.constant(level), anyLimits)))
  .map((levels) =>
    levels.map(([level, { memoryBytes, processes, cpuCores }]) => ({
      level,
      id: level,
      limits: { memoryBytes, processes, cpuCores },
    })),
  );

describe("the limits of several levels", () => {
  it("[T660] are for each name the lowest value there is, whatever the order", () => {
    fc.assert(
      fc.property(fc.array(anyLimits, { maxLength: 4 }), (all) => {
        const strictest = strictestLimits(...all);
        for (const name of LIMIT_NAMES) {
          const values = all.map((limits) => limits[name]).filter((value) => value !== undefined);
          expect(strictest[name]).toBe(values.length === 0 ? undefined : Math.min(...values));
        }
        expect(strictestLimits(...all.toReversed())).toEqual(strictest);
        for (const limits of all) expect(findExcess(strictest, limits)).toBeUndefined();
      }),
    );
  });

  it("[T660] name the innermost level that has the lowest value", () => {
    fc.assert(
      fc.property(anyLimits, anyScopes, (command, scopes) => {
        const effective = effectiveLimits(command, scopes);
        const levels = [...scopes, { level: "command", limits: command }];
        for (const name of LIMIT_NAMES) {
          const values = levels.map(({ limits }) => (limits as RunLimits)[name] ?? Number.POSITIVE_INFINITY);
          const lowest = Math.min(...values);
          const level = levels.findLast(({ limits }) => (limits as RunLimits)[name] === lowest)?.level;
          const expected = level === undefined ? undefined : { name, value: lowest, level };
          expect(effective.get(name)).toEqual(expected);
        }
      }),
    );
  });

  it("[T660] a request is above its ceiling exactly when one of its values is", () => {
    fc.assert(
      fc.property(anyLimits, anyLimits, (requested, ceiling) => {
        const isAbove = LIMIT_NAMES.some((name) => (requested[name] ?? 0) > (ceiling[name] ?? 1000));
        expect(findExcess(requested, ceiling) !== undefined).toBe(isAbove);
      }),
    );
  });
});
