// Fuzzing: runs the properties of screens, input, cost, shell lines and policies with random seeds until a difference, a hang or the end of the time.
//
// `npm run fuzz -- --minutes 10`; `--seed N` repeats one batch of each property. The exit code says whether all held.
import { type ChildProcess, fork } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { BatchReport, FuzzOrder } from "./batch.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
});
const totalMs = Number(values.minutes) * 60_000;
const onlySeed = values.seed === undefined ? undefined : Number(values.seed);
if (!(totalMs > 0) || (onlySeed !== undefined && !Number.isSafeInteger(onlySeed))) {
  process.stderr.write("Usage: npm run fuzz -- [--minutes 10] [--seed N]\n");
  process.exit(2);
}

const properties = ["screen", "input", "cost", "shell", "policy"] as const;
/** A batch takes a second or two. One that is not done by then hangs, also on a machine that is busy. */
const batchBoundMs = 90_000;
const folder = mkdtempSync(path.join(tmpdir(), "holdfast-fuzz-"));
// Shell lines run as nobody, who has to get in.
chmodSync(folder, 0o755);
const endsAtMs = performance.now() + totalMs;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Outcome {
  readonly property: string;
  readonly runs: number;
  /** What went wrong, in full. */
  readonly failure?: string;
}

const outcomes = await Promise.all(properties.map(fuzz));
rmSync(folder, { recursive: true, force: true });
for (const { property, runs, failure } of outcomes) {
  say(`${property}: ${runs} runs, ${failure === undefined ? "no difference and no hang" : "FAILED"}`);
  if (failure !== undefined) say(failure);
}
process.exitCode = outcomes.every(({ failure }) => failure === undefined) ? 0 : 1;

/** Has one child run batch after batch; the child writes down each input before it tries it. */
async function fuzz(property: (typeof properties)[number]): Promise<Outcome> {
  const inputFile = path.join(folder, `${property}.json`);
  const child = fork(fileURLToPath(new URL("batch.ts", import.meta.url)), [property, inputFile], {
    execArgv: ["--import", "tsx", "--conditions=@holdfast/source"],
  });
  let runs = 0;
  try {
    for (;;) {
      const seed = onlySeed ?? Math.floor(Math.random() * 2 ** 31);
      const report = await runBatch(child, { seed });
      if (report === "hang" || report === "crash") {
        const what =
          report === "hang" ? `did not return within ${batchBoundMs / 1000} s` : "ended its process";
        return { property, runs, failure: `Seed ${seed} ${what}. Input:\n${readInput(inputFile)}` };
      }
      runs += report.runs;
      if (report.failure !== undefined) return { property, runs, failure: `Seed ${seed}. ${report.failure}` };
      if (onlySeed !== undefined || performance.now() >= endsAtMs) return { property, runs };
    }
  } finally {
    child.kill("SIGKILL");
  }
}

function runBatch(child: ChildProcess, order: FuzzOrder): Promise<BatchReport | "hang" | "crash"> {
  return new Promise((resolve) => {
    const bound = setTimeout(() => resolve("hang"), batchBoundMs);
    const crashed = (): void => resolve("crash");
    child.once("exit", crashed);
    child.once("message", (report) => {
      clearTimeout(bound);
      child.off("exit", crashed);
      resolve(report as BatchReport);
    });
    child.send(order);
  });
}

function readInput(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "(none was written down)";
  }
}
