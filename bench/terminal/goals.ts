// Goals of the engine, and how a result compares with them.
import type { Result } from "./result.ts";

interface Goal {
  readonly name: string;
  /** What is promised, for people. */
  readonly wanted: string;
  readonly value: (result: Result) => number | null;
  readonly isMet: (value: number) => boolean;
}

function atMost(name: string, most: number, value: Goal["value"]): Goal {
  return { name, wanted: `≤ ${most}`, value, isMet: (measured) => measured <= most };
}

function atLeast(name: string, least: number, value: Goal["value"]): Goal {
  return { name, wanted: `≥ ${least}`, value, isMet: (measured) => measured >= least };
}

const goals: readonly Goal[] = [
  atMost("lossyRuns.ours", 0, ({ lossyRuns }) => lossyRuns.ours),
  atMost("lossyRuns.oursBusy", 0, ({ lossyRuns }) => lossyRuns.oursBusy),
  atLeast("ptyOfLimit", 0.75, ({ ptyOfLimit }) => ptyOfLimit),
  atLeast("ptyOfLimit (goal)", 0.9, ({ ptyOfLimit }) => ptyOfLimit),
  atLeast("pipeOfLimit", 0.5, ({ pipeOfLimit }) => pipeOfLimit),
  atLeast("pipeOfLimit (goal)", 0.8, ({ pipeOfLimit }) => pipeOfLimit),
  atLeast("naiveTimes", 10, ({ naiveTimes }) => naiveTimes),
  atLeast("naiveTimes (goal)", 15, ({ naiveTimes }) => naiveTimes),
  atMost("spawnBlockMs.small", 1, ({ spawnBlockMs }) => spawnBlockMs.small),
  atMost("spawnBlockMs.at1GB", 1, ({ spawnBlockMs }) => spawnBlockMs.at1GB),
  atMost("pollCorePercent", 5, ({ pollCorePercent }) => pollCorePercent),
  atMost("fiftyCommandsMs", 1000, ({ fiftyCommandsMs }) => fiftyCommandsMs),
  atMost("guardCost.ratio", 2, ({ guardCost }) => guardCost?.ratio ?? null),
  atMost("rssGrowthMiB", 32, ({ rssGrowthMiB }) => rssGrowthMiB),
  atMost("echoP99Ms (goal)", 10, ({ echoP99Ms }) => echoP99Ms),
];

/** A table of the goals, one line each. */
export function goalTable(result: Result): string {
  const lines = goals.map(({ name, wanted, value, isMet }) => {
    const measured = value(result);
    const outcome = measured === null ? "not measured" : isMet(measured) ? "pass" : "MISS";
    return `${name.padEnd(22)}${wanted.padEnd(9)}${String(measured).padStart(9)}  ${outcome}`;
  });
  return `${lines.join("\n")}\n`;
}
