// The parts of the benchmark that measure the engine alone, each in separate processes.
import { askOnce, Isolated } from "./isolated.ts";
import type { Echo, EchoProgram } from "./measures/echo.ts";
import type { GuardCost, GuardCostProgram } from "./measures/guard-cost.ts";
import type { LossyRunsProgram } from "./measures/lossy-runs.ts";
import type { ManyCommands, ManyCommandsProgram } from "./measures/many-commands.ts";
import type { MemoryProgram } from "./measures/memory.ts";
import type { Polling, PollingProgram } from "./measures/polling.ts";
import type { SpawnBlockProgram, SpawnBlockRequest } from "./measures/spawn-block.ts";
import type { BenchmarkOptions } from "./options.ts";
import { progress } from "./progress.ts";
import type { QuietMachine } from "./quiet.ts";
import type { BlockedMs, Result } from "./result.ts";
import type { Workloads } from "./workloads.ts";

const gigabyte = 1e9;
/** Turns between the readers: whatever else the machine does meets all of them. */
const lossyTurns = 10;

/** Counts runs that came up short: ours, ours in a busy host, and the plain library. */
export async function measureLossyRuns({ lossyRuns: runs }: BenchmarkOptions): Promise<Result["lossyRuns"]> {
  const program = new URL("measures/lossy-runs.ts", import.meta.url);
  const [ours, plain] = [new Isolated<LossyRunsProgram>(program), new Isolated<LossyRunsProgram>(program)];
  const counts = { ours: 0, oursBusy: 0, plainLibrary: 0 };
  try {
    for (let turn = 0; turn < lossyTurns; turn += 1) {
      const share = { runs: runs / lossyTurns };
      counts.ours += await ours.ask("countLossyRuns", { ...share, reader: "ours", isBusy: false });
      counts.oursBusy += await ours.ask("countLossyRuns", { ...share, reader: "ours", isBusy: true });
      counts.plainLibrary += await plain.ask("countLossyRuns", {
        ...share,
        reader: "plainLibrary",
        isBusy: false,
      });
    }
  } finally {
    await Promise.all([ours.close(), plain.close()]);
  }
  progress(
    `lossy of ${runs}: ours ${counts.ours}, busy ${counts.oursBusy}, plain library ${counts.plainLibrary}`,
  );
  return { runs, ...counts };
}

/** Measures what a spawn costs the loop, in a small host and in one that holds a gigabyte. */
export async function measureSpawnBlock(
  { spawns }: BenchmarkOptions,
  machine: QuietMachine,
): Promise<Result["spawnBlockMs"]> {
  const program = new URL("measures/spawn-block.ts", import.meta.url);
  const measure = async (by: SpawnBlockRequest["by"]): Promise<BlockedMs> => {
    const ask = async (ballastBytes: number) => {
      await machine.wait();
      const request = { by, spawns, ballastBytes };
      return askOnce<SpawnBlockProgram, "measureSpawnBlock">(program, "measureSpawnBlock", request);
    };
    const small = await ask(0);
    const large = await ask(gigabyte);
    progress(
      `spawn ${by}: ${small.median} ms (p95 ${small.p95}, whole life ${small.wholeLife}) at ${small.rssMiB} MiB, ` +
        `${large.median} ms (p95 ${large.p95}, whole life ${large.wholeLife}) at ${large.rssMiB} MiB`,
    );
    return {
      small: small.median,
      at1GB: large.median,
      p95: { small: small.p95, at1GB: large.p95 },
      cpu: { small: small.cpu, at1GB: large.cpu },
      wholeLife: { small: small.wholeLife, at1GB: large.wholeLife },
    };
  };
  const text = await measure("text");
  return { ...text, tty: await measure("tty"), childProcess: await measure("childProcess") };
}

/** Measures what polls cost the host. */
export async function measurePolling(
  { pollSeconds }: BenchmarkOptions,
  workloads: Workloads,
): Promise<Polling> {
  const { textFile, folder } = workloads;
  const polling = await askOnce<PollingProgram, "measurePolling">(
    new URL("measures/polling.ts", import.meta.url),
    "measurePolling",
    { textFile, folder, seconds: pollSeconds },
  );
  const { polls, answerMiB, corePercent, pipeWritePercent } = polling;
  progress(
    `${polls} polls of ${answerMiB} MiB: ${corePercent} % of a core, the pipe write alone ${pipeWritePercent} %`,
  );
  return polling;
}

/** Measures rows of small commands. */
export async function measureManyCommands(options: BenchmarkOptions): Promise<ManyCommands> {
  const commands = await askOnce<ManyCommandsProgram, "measureManyCommands">(
    new URL("measures/many-commands.ts", import.meta.url),
    "measureManyCommands",
    { rounds: options.fiftyRounds, commands: options.thousandCommands, concurrency: 10 },
  );
  const { fiftyMs, firstFiftyMs, rowMs } = commands;
  progress(
    `50 commands: ${fiftyMs} ms (cold ${firstFiftyMs}), ${options.thousandCommands} by tens: ${rowMs} ms`,
  );
  return commands;
}

/** Measures what guard adds to a run. */
export async function measureGuardCost({ guardRuns: runs }: BenchmarkOptions): Promise<GuardCost | null> {
  const program = new URL("measures/guard-cost.ts", import.meta.url);
  const cost = await askOnce<GuardCostProgram, "measureGuardCost">(program, "measureGuardCost", { runs });
  progress(
    cost === null
      ? "guard: this machine has no bubblewrap"
      : `a run: ${cost.plainMs} ms, under guard ${cost.guardMs} ms, in bare bubblewrap ${cost.bwrapMs} ms: ${cost.ratio} × its cost`,
  );
  return cost;
}

/** Measures how the host grows in a flood. */
export async function measureMemory(
  { floodBytes }: BenchmarkOptions,
  { textFile }: Workloads,
): Promise<number> {
  const memory = await askOnce<MemoryProgram, "measureMemory">(
    new URL("measures/memory.ts", import.meta.url),
    "measureMemory",
    { textFile, floodBytes },
  );
  progress(
    `${(memory.floodBytes / gigabyte).toFixed(1)} GB with a reader that never reads: +${memory.growthMiB} MiB`,
  );
  return memory.growthMiB;
}

/** Measures keystrokes beside a flood. */
export async function measureEcho({ keystrokes }: BenchmarkOptions): Promise<Echo> {
  const echo = await askOnce<EchoProgram, "measureEcho">(
    new URL("measures/echo.ts", import.meta.url),
    "measureEcho",
    { keystrokes },
  );
  const { p50Ms, p99Ms, floodMegabytesPerSecond } = echo;
  progress(`echo beside a flood of ${floodMegabytesPerSecond} MB/s: p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
  return echo;
}
