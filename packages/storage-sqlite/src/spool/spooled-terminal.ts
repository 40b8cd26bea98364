// One terminal that writes: its output waits in bounded memory and is written at a bounded rate.
import { Buffer } from "node:buffer";
import type { Frame } from "./frames.ts";
import type { Segments } from "./segments.ts";

export interface SpoolRules {
  /** Limit on the output kept of one terminal. */
  readonly terminalBytes: number;
  /** Average rate at which one terminal may write. */
  readonly bytesPerSecond: number;
  /** Bytes that may be written at once after a pause. */
  readonly burstBytes: number;
  /** Bytes that may wait in memory when the rate is used up: of faster output this much of the newest is kept. */
  readonly pendingBytes: number;
  /** The time of the machine, as the times of files. */
  readonly nowMs: () => number;
  /** A time that only goes forward, for the rate. */
  readonly elapsedMs: () => number;
  /** Called when something cannot be written. */
  readonly onFault: (error: unknown) => void;
}

/** Size of one write. */
const frameBytes = 64 * 1024;

/** How long output waits for more before it is written: a write takes as long as to send it to a viewer, who comes first. */
const gatherMs = 4;

/** The spool of one terminal. `end` it. */
export class SpooledTerminal {
  readonly #rules: SpoolRules;
  readonly #segments: Segments;
  readonly #pending = new PendingBytes();
  readonly #rate: Rate;
  readonly #onWritten: () => void;
  /** Everything that touches the files, one after the other. */
  #queue: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the wait for more output. */
  #endGathering: (() => void) | undefined;
  #state: "idle" | "writing" | "ending" = "idle";
  /** The offset after the last byte that was taken in. */
  #endOffset: number;
  /** Whether the files hold nothing but what belongs to this terminal. */
  #isPrepared: boolean;

  /** `before` is pending work on the same files; output that begins at 0 starts them over. */
  constructor(
    segments: Segments,
    firstOffset: number,
    rules: SpoolRules,
    onWritten: () => void,
    before: Promise<void> = Promise.resolve(),
  ) {
    this.#rules = rules;
    this.#segments = segments;
    this.#rate = new Rate(rules.bytesPerSecond, rules.burstBytes, rules.elapsedMs);
    this.#onWritten = onWritten;
    this.#endOffset = firstOffset;
    this.#isPrepared = firstOffset > 0;
    this.#queue = before.then(() => this.#prepare()).catch(rules.onFault);
  }

  get sizeBytes(): number {
    return this.#segments.sizeBytes;
  }

  get endOffset(): number {
    return this.#endOffset;
  }

  append(offset: number, bytes: Uint8Array): void {
    const known = Math.max(0, this.#endOffset - offset);
    if (known >= bytes.length) return;
    // Bytes that have credit will be written, so they may wait, however fast they came.
    const limitBytes = Math.max(this.#rules.pendingBytes, this.#rate.creditBytes);
    this.#pending.push(offset + known, bytes.subarray(known), limitBytes);
    this.#endOffset = offset + bytes.length;
    if (this.#state === "idle" && this.#timer === undefined) this.#write();
  }

  /** Waits until what came so far is in the files, but for what the rate holds back. */
  settled(): Promise<void> {
    this.#endGathering?.();
    return this.#queue;
  }

  /** Removes the older half of what is kept. */
  dropOlder(): Promise<void> {
    return this.#segments.dropOlder();
  }

  /** Writes what waits, whatever the rate, and closes the files. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#state = "ending";
    this.#endGathering?.();
    await this.#queue;
    for (let frame = this.#pending.take(frameBytes); frame; frame = this.#pending.take(frameBytes)) {
      await this.#writeFrame(frame);
    }
    await this.#segments.close().catch(this.#rules.onFault);
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    await this.#segments.remove();
    this.#isPrepared = true;
  }

  #write(): void {
    this.#state = "writing";
    const gathered = this.#gather();
    this.#queue = this.#queue.then(() => gathered).then(() => this.#writeAll());
  }

  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Writes until nothing waits or the credit is used up; then it rests until there is credit for a frame. */
  async #writeAll(): Promise<void> {
    while (this.#state === "writing" && !this.#pending.isEmpty && this.#rate.creditBytes > 0) {
      const frame = this.#pending.take(frameBytes);
      if (frame) await this.#writeFrame(frame);
    }
    if (this.#state !== "writing") return;
    this.#state = "idle";
    if (this.#pending.isEmpty) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#write();
      },
      this.#rate.waitMs(Math.min(frameBytes, this.#rules.burstBytes / 4)),
    ).unref();
  }

  async #writeFrame({ offset, bytes }: Frame): Promise<void> {
    try {
      await this.#prepare();
      const known = Math.max(0, (await this.#segments.endOffset()) - offset);
      if (known >= bytes.length) return;
      this.#rate.spend(bytes.length - known);
      await this.#segments.append({ offset: offset + known, bytes: bytes.subarray(known) });
      this.#onWritten();
    } catch (error) {
      // These bytes are a gap now; a full disk is no reason to stop what runs.
      this.#rules.onFault(error);
    }
  }
}

interface Chunk {
  readonly offset: number;
  readonly length: number;
  readonly memory: Uint8Array;
}

/** A queue of bytes that forgets its oldest. */
class PendingBytes {
  readonly #chunks: Chunk[] = [];
  #sizeBytes = 0;

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Adds a copy, and forgets what is beyond `limitBytes`. The memory of what is forgotten is used again: a flood must not feed the garbage collector. */
  push(offset: number, bytes: Uint8Array, limitBytes: number): void {
    const tail = bytes.subarray(Math.max(0, bytes.length - limitBytes));
    let spare: Uint8Array | undefined;
    while (this.#sizeBytes + tail.length > limitBytes) {
      const oldest = this.#chunks.shift();
      if (oldest === undefined) break;
      this.#sizeBytes -= oldest.length;
      spare = oldest.memory;
    }
    const memory = spare !== undefined && spare.length >= tail.length ? spare : new Uint8Array(tail.length);
    memory.set(tail);
    this.#chunks.push({ offset: offset + bytes.length - tail.length, length: tail.length, memory });
    this.#sizeBytes += tail.length;
  }

  /** Takes the oldest consecutive bytes, about `maxBytes` of them: whole chunks, and at least one. */
  take(maxBytes: number): Frame | undefined {
    const [first] = this.#chunks;
    if (first === undefined) return undefined;
    let end = first.offset;
    let count = 0;
    for (const { offset, length } of this.#chunks) {
      if (offset !== end || (count > 0 && end + length - first.offset > maxBytes)) break;
      end += length;
      count += 1;
    }
    const taken = this.#chunks.splice(0, count);
    this.#sizeBytes -= end - first.offset;
    return {
      offset: first.offset,
      bytes: Buffer.concat(taken.map(({ memory, length }) => memory.subarray(0, length))),
    };
  }
}

/** Average rate that allows bursts: credit in bytes grows with time, up to the size of a burst. */
class Rate {
  readonly #bytesPerSecond: number;
  readonly #burstBytes: number;
  readonly #elapsedMs: () => number;
  #creditBytes: number;
  #countedAtMs: number;

  constructor(bytesPerSecond: number, burstBytes: number, elapsedMs: () => number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#burstBytes = burstBytes;
    this.#elapsedMs = elapsedMs;
    this.#creditBytes = burstBytes;
    this.#countedAtMs = elapsedMs();
  }

  /** Bytes that may be written now; negative after a write that was larger. */
  get creditBytes(): number {
    const elapsedMs = this.#elapsedMs();
    const grownBytes = ((elapsedMs - this.#countedAtMs) / 1000) * this.#bytesPerSecond;
    this.#countedAtMs = elapsedMs;
    this.#creditBytes = Math.min(this.#burstBytes, this.#creditBytes + grownBytes);
    return this.#creditBytes;
  }

  spend(sizeBytes: number): void {
    this.#creditBytes = this.creditBytes - sizeBytes;
  }

  /** How long until there is so much credit. */
  waitMs(wantedBytes: number): number {
    return Math.max(0, Math.ceil(((wantedBytes - this.creditBytes) / this.#bytesPerSecond) * 1000));
  }
}
