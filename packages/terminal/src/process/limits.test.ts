// Limits: each fires, is named in the exit, and can be read while it is in force.
import { afterAll, describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { recordRun } from "../testing/record-run.ts";
import { checkLimits } from "./limits.ts";
import { Spawner } from "./spawner.ts";

guardLeaks();
const spawner = new Spawner();
afterAll(() => spawner.close());

const hungry = "python3 -c 'x=[]\nwhile True: x.append(bytearray(1<<20))'";

describe("a limit", () => {
  it("[T25] on the wall clock ends the run and is named", async () => {
    const { run, exit } = await recordRun(spawner, { command: "sleep 60", limits: { wallClockMs: 150 } });
    expect(run.limits).toEqual({ wallClockMs: { value: 150, by: "host" } });
    expect(await exit()).toMatchObject({ signal: "SIGTERM", limit: "wallClockMs" });
  });

  it("[T25] on output bytes ends the run and is named", async () => {
    const { exit } = await recordRun(spawner, { command: "yes", limits: { outputBytes: 1_000_000 } });
    const { limit, finalOffset } = await exit();
    expect(limit).toBe("outputBytes");
    expect(finalOffset).toBeGreaterThan(1_000_000);
  });

  it.each(["auto", "process-group"] as const)(
    "[T25] on CPU seconds ends the run and is named (%s)",
    async (tree) => {
      const { run, exit } = await recordRun(spawner, {
        command: "while :; do :; done",
        limits: { cpuSeconds: 1 },
        tree,
      });
      expect(["cgroup2", "rlimit"]).toContain(run.limits.cpuSeconds?.by);
      expect((await exit()).limit).toBe("cpuSeconds");
    },
  );

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
      limits: { memoryBytes: 100 * 1024 * 1024 },
    });
    const by = run.limits.memoryBytes?.by;
    const ended = await exit();
    expect(ended.exitCode).not.toBe(0);
    if (by === "rlimit") expect(text()).toContain("MemoryError");
    else if (by === "none") context.skip("nothing on this machine limits memory");
    else expect(ended).toMatchObject({ limit: "memoryBytes" });
  });

  it("[T25] on processes refuses the next one", async () => {
    const { run, exit, text } = await recordRun(spawner, {
      command: "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3 & done; wait",
      limits: { processes: 5 },
    });
    const by = run.limits.processes?.by;
    const { limit } = await exit();
    expect(by).toMatch(/cgroup|rlimit/);
    // As root an rlimit on processes is no limit.
    if (by !== "rlimit") {
      expect(text()).toMatch(/[Rr]esource temporarily unavailable|[Cc]annot fork/);
      expect(limit).toBe("processes");
    }
  });

  it("[T25] on CPU cores is in force where there is a controller", async () => {
    const { run, exit } = await recordRun(spawner, { command: "true", limits: { cpuCores: 0.5 } });
    await exit();
    expect(run.limits.cpuCores?.value).toBe(0.5);
    expect(["cgroup1", "cgroup2", "none"]).toContain(run.limits.cpuCores?.by);
  });

  it("[T25] that did not fire is not named", async () => {
    const { exit } = await recordRun(spawner, {
      command: "exit 3",
      limits: { wallClockMs: 60_000, outputBytes: 1e9, cpuSeconds: 60, memoryBytes: 1e9, processes: 500 },
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
