// Counts the runs of `seq 1 20000` in a terminal whose output came up short. Its own program.
import { TerminalEngine } from "@holdfast/terminal";
import { spawn } from "@lydell/node-pty";
import { serve } from "../isolated.ts";

const lastNumber = 20_000;
const command = "seq";
const args = ["1", String(lastNumber)];
const expected = Buffer.from(Array.from({ length: lastNumber }, (_, index) => `${index + 1}\r\n`).join(""));

/** A few at a time, as a host that serves several sessions has them. */
const concurrency = 4;
const busyMs = 15;
const periodMs = 20;

/** Which reader, how often, and whether the host has other things to do. */
export interface LossyRunsRequest {
  readonly reader: "ours" | "plainLibrary";
  readonly runs: number;
  readonly isBusy: boolean;
}

/** Requests that the program handles. */
export type LossyRunsProgram = typeof program;

const engine = new TerminalEngine();

const program = serve({
  countLossyRuns: async ({ reader, runs, isBusy }: LossyRunsRequest): Promise<number> => {
    const busy = isBusy ? setInterval(spin, periodMs) : undefined;
    const isComplete = reader === "ours" ? runOurs : runPlainLibrary;
    let left = runs;
    let lossy = 0;
    const worker = async (): Promise<void> => {
      for (; left > 0;) {
        left -= 1;
        if (!(await isComplete())) lossy += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    clearInterval(busy);
    return lossy;
  },
});

function spin(): void {
  const untilMs = performance.now() + busyMs;
  while (performance.now() < untilMs);
}

/** True when every byte was there, and correct, when the exit was reported. */
async function runOurs(): Promise<boolean> {
  const terminal = await engine.open({ command, args, kind: "tty" });
  const { finalOffset } = await terminal.exited;
  const isComplete =
    finalOffset === expected.length && terminal.output.bytes(0, finalOffset).equals(expected);
  await terminal.close();
  return isComplete;
}

function runPlainLibrary(): Promise<boolean> {
  return new Promise((resolve) => {
    let output = "";
    const terminal = spawn(command, args, { cols: 80, rows: 24 });
    terminal.onData((data) => (output += data));
    terminal.onExit(() => resolve(expected.equals(Buffer.from(output))));
  });
}
