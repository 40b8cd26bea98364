// How long a host needs to start when its keeper holds many terminals, and when it holds nothing.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { median } from "../terminal/statistics.ts";
import { startProgram, stopAll, thisProgram } from "./program.ts";

/** Medians in milliseconds, from the start of the process until it listens. */
export interface StartTimes {
  readonly emptyMs: number;
  readonly fullMs: number;
}

export async function measureStarts(folder: string, terminals: number, rounds: number): Promise<StartTimes> {
  const homes = { empty: path.join(folder, "empty"), full: path.join(folder, "full") };
  const times: Record<keyof typeof homes, number[]> = { empty: [], full: [] };
  for (const home of Object.values(homes)) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const host = await startProgram(thisProgram, home);
    if (home === homes.full) {
      for (let made = 0; made < terminals; made += 1) {
        await host.sdk.terminals.create({ command: "/bin/cat", kind: "tty", cwd: "/" });
      }
    }
    await host.kill();
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of ["empty", "full"] as const) {
      const host = await startProgram(thisProgram, homes[name]);
      if (name === "full") {
        const running = (await host.sdk.terminals.list()).filter(
          ({ lifecycle }) => lifecycle.status === "running",
        );
        if (running.length !== terminals) throw new Error(`${running.length} of ${terminals} terminals run`);
      }
      await host.kill();
      // The first round is for files that were not read yet.
      if (round > 0) times[name].push(host.startMs);
    }
  }
  for (const home of Object.values(homes)) await stopAll(home);
  return { emptyMs: median(times.empty), fullMs: median(times.full) };
}
