// The terminal benchmark: progress and a table of goals on stderr, the result as one JSON line on stdout.
//   npm run bench:terminal              in full, a few minutes
//   npm run bench:terminal -- --short   a quick look, less than a minute
import { availableParallelism } from "node:os";
import { goalTable } from "./goals.ts";
import { type BenchmarkOptions, readOptions } from "./options.ts";
import { QuietMachine } from "./quiet.ts";
import type { Result } from "./result.ts";
import {
  measureEcho,
  measureGuardCost,
  measureLossyRuns,
  measureManyCommands,
  measureMemory,
  measurePolling,
  measureSpawnBlock,
} from "./sections.ts";
import { median, rounded } from "./statistics.ts";
import { measureThroughput, ratio } from "./throughput.ts";
import { makeWorkloads, type Workloads } from "./workloads.ts";

async function measure(options: BenchmarkOptions, workloads: Workloads): Promise<Result> {
  const machine = new QuietMachine(options.quietLimitMs);
  const peers = await measureThroughput(workloads, options.rounds, machine);
  const shares = ["ptyText", "ptyYes", "ptyAnsi"].map((workload) => ratio(peers, workload, "ours", "c"));
  const lossyRuns = await measureLossyRuns(options);
  const spawnBlockMs = await measureSpawnBlock(options, machine);
  await machine.wait();
  const polling = await measurePolling(options, workloads);
  await machine.wait();
  const commands = await measureManyCommands(options);
  await machine.wait();
  const guardCost = await measureGuardCost(options);
  const rssGrowthMiB = await measureMemory(options, workloads);
  await machine.wait();
  const echo = await measureEcho(options);
  return {
    lossyRuns,
    ptyOfLimit: roundedOrNull(mean(shares)),
    pipeOfLimit: roundedOrNull(ratio(peers, "pipeText", "ours", "c")),
    naiveTimes: roundedOrNull(ratio(peers, "pipeText", "ours", "naive")),
    spawnBlockMs,
    pollCorePercent: polling.corePercent,
    pollPipeWritePercent: polling.pipeWritePercent,
    fiftyCommandsMs: commands.fiftyMs,
    fiftyCommandsColdMs: commands.firstFiftyMs,
    thousandCommandsMs: commands.rowMs,
    guardCost,
    rssGrowthMiB,
    echoP50Ms: echo.p50Ms,
    echoP99Ms: echo.p99Ms,
    peers,
    machine: { cores: availableParallelism(), idlePercent: median(machine.idlePercents) },
  };
}

/** Null when one of the values is. */
function mean(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (sum, value) => (sum === null || value === null ? null : sum + value / values.length),
    0,
  );
}

function roundedOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value);
}

const options = readOptions(process.argv.slice(2));
const workloads = makeWorkloads(options);
// The files lie in memory, so they must go also when somebody interrupts the run.
process.once("exit", () => workloads.remove());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const result = await measure(options, workloads);
process.stderr.write(`\n${goalTable(result)}`);
process.stdout.write(`${JSON.stringify(result)}\n`);
