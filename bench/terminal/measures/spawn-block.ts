// How long a spawn keeps the host's event loop from everything else. Its own program.
import { spawn } from "node:child_process";
import { TerminalEngine } from "@holdfast/terminal";
import { serve } from "../isolated.ts";
import { median, percentile, rounded } from "../statistics.ts";

/** Who spawns, how often, and how much memory the host holds meanwhile. */
export interface SpawnBlockRequest {
  readonly by: "text" | "tty" | "childProcess";
  readonly spawns: number;
  readonly ballastBytes: number;
}

/** Milliseconds of the loop that one spawn took: the call and all events until the child was known to run. */
export interface SpawnBlock {
  readonly median: number;
  readonly p95: number;
  /** The same for the whole life of the run: spawn, output, exit and release. */
  readonly wholeLife: number;
  /** User and system time of the whole process, mean. */
  readonly cpu: number;
  readonly rssMiB: number;
}

/** Requests that the program handles. */
export type SpawnBlockProgram = typeof program;

const ballastPieceBytes = 64 * 1024 * 1024;
const warmUpSpawns = 20;
const engine = new TerminalEngine();
const ballast: Buffer[] = [];

const program = serve({
  measureSpawnBlock: async ({ by, spawns, ballastBytes }: SpawnBlockRequest): Promise<SpawnBlock> => {
    // The helper starts with the host; what grows, grows later.
    await startOnce(by).then((end) => end());
    while (ballast.length * ballastPieceBytes < ballastBytes) {
      ballast.push(Buffer.alloc(ballastPieceBytes, 1));
    }
    for (let spawned = 0; spawned < warmUpSpawns; spawned += 1) await startOnce(by).then((end) => end());
    const blockedMs: number[] = [];
    const wholeLifeMs: number[] = [];
    const cpuBefore = process.cpuUsage();
    for (let spawned = 0; spawned < spawns; spawned += 1) {
      // Nothing else runs in this process, so all time that the loop is not idle belongs to the spawn.
      const before = performance.eventLoopUtilization();
      const end = await startOnce(by);
      blockedMs.push(performance.eventLoopUtilization(before).active);
      await end();
      wholeLifeMs.push(performance.eventLoopUtilization(before).active);
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      median: rounded(median(blockedMs)),
      p95: rounded(percentile(blockedMs, 0.95)),
      wholeLife: rounded(median(wholeLifeMs)),
      cpu: rounded((user + system) / 1000 / spawns),
      rssMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024),
    };
  },
});

/** Resolves when the child runs, with what waits for its end and gives everything back. */
async function startOnce(by: SpawnBlockRequest["by"]): Promise<() => Promise<void>> {
  if (by === "childProcess") return startChildProcess();
  const terminal = await engine.open({ command: "true", kind: by });
  return async () => {
    await terminal.exited;
    await terminal.close();
  };
}

function startChildProcess(): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const child = spawn("true", { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    const closed = new Promise<void>((settle) => child.once("close", () => settle()));
    child.once("error", reject);
    child.once("spawn", () => resolve(() => closed));
  });
}
