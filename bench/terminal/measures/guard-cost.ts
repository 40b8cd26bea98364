// The cost of a run under guard beside that of a plain run and of bubblewrap alone, in turns. Its own program.
import { Spawner } from "@holdfast/terminal/process";
import { serve } from "../isolated.ts";
import { median, rounded } from "../statistics.ts";

/** How often each is run. */
export interface GuardCostRequest {
  readonly runs: number;
}

/** Medians of a whole run, from the start to its end, in milliseconds; null where the machine cannot isolate. */
export interface GuardCost {
  readonly plainMs: number;
  readonly guardMs: number;
  readonly bwrapMs: number;
  /** The time that guard adds to a plain run, in units of the time that bubblewrap alone adds. */
  readonly ratio: number;
}

/** Requests that the program handles. */
export type GuardCostProgram = typeof program;

const env = { PATH: process.env["PATH"] ?? "" };

const program = serve({
  measureGuardCost: async ({ runs }: GuardCostRequest): Promise<GuardCost | null> => {
    const spawner = new Spawner({ environment: env });
    try {
      const { backend } = await spawner.isolation();
      if (!backend.startsWith("bubblewrap")) return null;
      const sandbox = await spawner.openSandbox({
        level: "guard",
        hidden: [],
        visible: [],
        readOnly: [],
        writable: [],
      });
      const times = { plain: [] as number[], guard: [] as number[], bwrap: [] as number[] };
      for (let run = 0; run < runs; run += 1) {
        times.plain.push(await timeRun(spawner, ["/bin/true"]));
        times.guard.push(await timeRun(spawner, ["/bin/true"], sandbox.id));
        times.bwrap.push(await timeRun(spawner, ["/usr/bin/bwrap", "--dev-bind", "/", "/", "/bin/true"]));
      }
      const [plainMs, guardMs, bwrapMs] = [median(times.plain), median(times.guard), median(times.bwrap)];
      return {
        plainMs: rounded(plainMs),
        guardMs: rounded(guardMs),
        bwrapMs: rounded(bwrapMs),
        ratio: rounded((guardMs - plainMs) / (bwrapMs - plainMs)),
      };
    } finally {
      await spawner.close();
    }
  },
});

async function timeRun(spawner: Spawner, words: readonly string[], sandbox?: string): Promise<number> {
  const [command = "", ...args] = words;
  const started = performance.now();
  const sink = { bytes() {}, exit() {}, end() {} };
  const run = await spawner.start({ kind: "text", command, args, cwd: "/", env, sandbox }, sink);
  const { exitCode } = await run.exited;
  const endedMs = performance.now() - started;
  run.release();
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}`);
  return endedMs;
}
