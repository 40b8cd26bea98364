// Cost of polling a host: 20 responses a second of 10 MiB, each written to a pipe. Its own program.
import { execFileSync, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { AcpTerminals } from "@holdfast/terminal/acp";
import { serve } from "../isolated.ts";
import { rounded } from "../statistics.ts";

const retainedBytes = 10 * 1024 * 1024;
const pollsPerSecond = 20;
const intervalMs = 1000 / pollsPerSecond;
const sessionId = "polled";

/** Writes the retained bytes at once, then a megabyte each second. */
const pacedWriter = `
  const { readFileSync, writeSync } = require("node:fs");
  const text = readFileSync(process.argv[1]);
  for (let at = 0; at < ${retainedBytes}; ) at += writeSync(1, text, at, ${retainedBytes} - at);
  setInterval(() => writeSync(1, text, 0, 50_000), 50);
`;

/** Where the files are, and how long to poll. */
export interface PollingRequest {
  readonly textFile: string;
  readonly folder: string;
  readonly seconds: number;
}

/** CPU time of this process, user and system, as percent of one core. */
export interface Polling {
  /** Reading the command's output, making the answers, writing them to the pipe. */
  readonly corePercent: number;
  /** Writing the same bytes to the same pipe at the same times, and nothing else. */
  readonly pipeWritePercent: number;
  readonly answerMiB: number;
  readonly polls: number;
}

/** Requests that the program handles. */
export type PollingProgram = typeof program;

const program = serve({
  measurePolling: async ({ textFile, folder, seconds }: PollingRequest): Promise<Polling> => {
    const pipe = openPipe(path.join(folder, "polled-pipe"));
    const terminals = new AcpTerminals();
    const { terminalId } = await terminals.createTerminal({
      sessionId,
      command: process.execPath,
      args: ["-e", pacedWriter, textFile],
      outputByteLimit: retainedBytes,
    });
    const poll = (): Promise<Uint8Array[]> => terminals.terminalOutputJson({ sessionId, terminalId });
    while (sizeOf(await poll()) < retainedBytes) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }

    const polled = await measureCore(seconds, async () => writeAll(pipe, await poll()));
    const answer = await poll();
    await terminals.close();
    const written = await measureCore(seconds, () => writeAll(pipe, answer));
    pipe.destroy();
    return {
      corePercent: rounded(polled.corePercent),
      pipeWritePercent: rounded(written.corePercent),
      answerMiB: rounded(sizeOf(answer) / 1024 / 1024),
      polls: polled.turns,
    };
  },
});

/** A real pipe with a child that reads and drops what comes; Node's own stdio would be a socket. */
function openPipe(file: string): Socket {
  execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
  spawn("cat", [file], { stdio: "ignore" });
  // Waits until the child has opened its end.
  return new Socket({ fd: openSync(file, "w"), readable: false, writable: true });
}

function writeAll(pipe: Socket, chunks: readonly Uint8Array[]): Promise<void> {
  return new Promise((resolve, reject) => {
    pipe.cork();
    for (const chunk of chunks) pipe.write(chunk);
    pipe.write("\n", (error) => (error ? reject(error) : resolve()));
    pipe.uncork();
  });
}

async function measureCore(
  seconds: number,
  turn: () => Promise<void>,
): Promise<{ corePercent: number; turns: number }> {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  let turns = 0;
  while (elapsedMs() < seconds * 1000) {
    await turn();
    turns += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, turns * intervalMs - elapsedMs())));
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { corePercent: (user + system) / 10 / elapsedMs(), turns };
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
