// How the host grows while a flood goes through a terminal whose subscriber never reads. Its own program.
import { statSync } from "node:fs";
import { TerminalEngine } from "@holdfast/terminal";
import { serve } from "../isolated.ts";

const mebibyte = 1024 * 1024;
const sampleMs = 20;

/** What to flood with. */
export interface MemoryRequest {
  readonly textFile: string;
  readonly floodBytes: number;
}

/** The flood and what it left. */
export interface Memory {
  /** The most that the process held during the flood, less what it held before. */
  readonly growthMiB: number;
  readonly floodBytes: number;
}

/** Requests that the program handles. */
export type MemoryProgram = typeof program;

const program = serve({
  measureMemory: async ({ textFile, floodBytes }: MemoryRequest): Promise<Memory> => {
    const engine = new TerminalEngine();
    // A first command, so that the helper, the environment and the code are there when counting begins.
    const first = await engine.open({ command: "true" });
    await first.exited;
    await first.close();

    const beforeBytes = process.memoryUsage.rss();
    let mostBytes = beforeBytes;
    const sample = (): void => void (mostBytes = Math.max(mostBytes, process.memoryUsage.rss()));
    const sampling = setInterval(sample, sampleMs);
    const repeats = Math.ceil(floodBytes / statSync(textFile).size);
    const script = `n=${repeats}; while [ $n -gt 0 ]; do cat "$0"; n=$((n-1)); done`;
    const terminal = await engine.open({ command: "sh", args: ["-c", script, textFile] });
    terminal.subscribe({ from: "start" }, () => {});
    const { finalOffset } = await terminal.exited;
    sample();
    clearInterval(sampling);
    await engine.close();
    return {
      growthMiB: Math.round(((mostBytes - beforeBytes) / mebibyte) * 10) / 10,
      floodBytes: finalOffset,
    };
  },
});
