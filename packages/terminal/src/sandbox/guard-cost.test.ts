// The cost of a sandbox beside that of bubblewrap alone; `npm run bench:terminal` measures it well.
import process from "node:process";
import { expect, it, onTestFinished } from "vitest";
import { Spawner } from "../process/spawner.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { recordRun } from "../testing/run-record.ts";
import { findSystemProgram } from "./system-program.ts";

guardLeaks();

const bubblewrap = findSystemProgram("bwrap");

async function timeRun(spawner: Spawner, args: readonly string[], sandbox?: string): Promise<number> {
  const started = performance.now();
  const [command = "", ...rest] = args;
  const { run, record } = await recordRun(spawner, { command, args: rest, cwd: "/", sandbox });
  await record.exited();
  run.release();
  return performance.now() - started;
}

/** The fastest shows the cost itself: everything else on the machine only adds to it. */
const best = (times: readonly number[]): number => Math.min(...times);

it.runIf(bubblewrap !== undefined)("[T652] guard adds at most twice what bare bubblewrap adds", async () => {
  const spawner = new Spawner({ environment: process.env });
  onTestFinished(() => spawner.close());
  const sandbox = await spawner.openSandbox({
    level: "guard",
    hidden: [],
    visible: [],
    readOnly: [],
    writable: [],
  });
  const plain: number[] = [];
  const guard: number[] = [];
  const bare: number[] = [];
  const isShown = (): boolean => best(guard) - best(plain) <= 2 * (best(bare) - best(plain));
  // On a busy machine none of a few may have run undisturbed.
  for (let round = 0; round < 25 || (round < 250 && !isShown()); round += 1) {
    plain.push(await timeRun(spawner, ["/bin/true"]));
    guard.push(await timeRun(spawner, ["/bin/true"], sandbox.id));
    bare.push(await timeRun(spawner, [bubblewrap ?? "", "--dev-bind", "/", "/", "/bin/true"]));
  }
  expect(best(guard) - best(plain)).toBeLessThanOrEqual(2 * (best(bare) - best(plain)));
});
