// Starts a run through the port and records all its events.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessPort, Run, RunExit, RunRequest, RunStream } from "../process/port.ts";

/** Recorded events of one run. */
export class RunRecord {
  /** Events in order, a stream's name once for adjacent chunks: `output`, `error`, `exit`, `end`. */
  readonly events: string[] = [];
  /** Chunks that did not begin where the one before them ended. */
  readonly misplaced: string[] = [];
  readonly #chunks: { stream: RunStream; bytes: Buffer }[] = [];
  readonly #firstOffset: Readonly<Record<RunStream, number>>;
  readonly #nextOffset: Record<RunStream, number>;
  readonly #watchers = new Set<() => void>();
  #exit: RunExit | undefined;

  /** The offsets at which it begins. */
  constructor({ output = 0, error = 0 }: Partial<Record<RunStream, number>> = {}) {
    this.#firstOffset = { output, error };
    this.#nextOffset = { output, error };
  }

  bytes(stream: RunStream, bytes: Uint8Array, offset: number): void {
    if (offset !== this.#nextOffset[stream]) {
      this.misplaced.push(`${stream} at ${offset} instead of ${this.#nextOffset[stream]}`);
    }
    this.#nextOffset[stream] = offset + bytes.length;
    this.#chunks.push({ stream, bytes: Buffer.from(bytes) });
    if (this.events.at(-1) !== stream) this.events.push(stream);
    this.#changed();
  }

  exit(exit: RunExit): void {
    this.#exit = exit;
    this.events.push("exit");
    this.#changed();
  }

  end(): void {
    this.events.push("end");
    this.#changed();
  }

  /** How many bytes of a stream were delivered, with those before its beginning. */
  sizeBytes(stream: RunStream = "output"): number {
    return this.#nextOffset[stream];
  }

  text(stream: RunStream = "output"): string {
    const chunks = this.#chunks.filter((chunk) => chunk.stream === stream);
    return Buffer.concat(chunks.map((chunk) => chunk.bytes)).toString("utf8");
  }

  /** Both streams, in the order in which they were delivered. */
  joinedText(): string {
    return Buffer.concat(this.#chunks.map((chunk) => chunk.bytes)).toString("utf8");
  }

  /** The offset in each stream after so many of the bytes that were delivered. */
  placeAfter(sizeBytes: number): Record<RunStream, number> {
    const place = { ...this.#firstOffset };
    let left = sizeBytes;
    for (const { stream, bytes } of this.#chunks) {
      place[stream] += Math.min(bytes.length, left);
      left -= Math.min(bytes.length, left);
    }
    return place;
  }

  /** Resolves when a stream's text matches. */
  async seen(pattern: RegExp, stream: RunStream = "output"): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.text(stream));
      if (match) return match;
      await this.#nextChange();
    }
  }

  /** Resolves when a stream was delivered to this offset, or has exited. */
  async reached(offset: number, stream: RunStream = "output"): Promise<void> {
    while (this.#nextOffset[stream] < offset && this.#exit === undefined) await this.#nextChange();
  }

  async exited(): Promise<RunExit> {
    while (this.#exit === undefined) await this.#nextChange();
    return this.#exit;
  }

  async ended(): Promise<void> {
    while (!this.events.includes("end")) await this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add(resolve);
    });
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

/** Starts a run with the defaults of these tests: text, in /tmp, with the test's own environment. */
export async function recordRun(
  processPort: ProcessPort,
  request: Partial<RunRequest> & { command: string },
  record = new RunRecord(),
): Promise<{ run: Run; record: RunRecord }> {
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  const run = await processPort.start({ kind: "text", cwd: "/tmp", env, ...request }, record);
  return { run, record };
}

/** Whether a process runs; one that has ended and only waits for its parent's notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch (error) {
    // ESRCH: there is none. ENOENT: it went while we looked, or this system has no /proc.
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux";
  }
}

/** Resolves when none of the processes is there; rejects if one stays. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  // Bounded: what a test that ran out of time still waits for would disturb the files that share its process.
  for (let waitedMs = 0; pids.some(isAlive); waitedMs += 10) {
    if (waitedMs > 50_000) throw new Error(`Processes do not end: ${pids.filter(isAlive).join(", ")}`);
    await sleep(10);
  }
}

/** Attaches to a held run and acknowledges all that it gets. */
export async function attachAcknowledging(
  processPort: ProcessPort,
  id: string,
  record: RunRecord,
  from: number,
): Promise<Run> {
  const holder: { run?: Run } = {};
  const run = await processPort.attach(
    id,
    {
      bytes: (stream, bytes, offset) => {
        record.bytes(stream, bytes, offset);
        holder.run?.acknowledge(stream, offset + bytes.length);
      },
      exit: (exit) => record.exit(exit),
      end: () => record.end(),
    },
    { output: from },
  );
  holder.run = run;
  return run;
}
