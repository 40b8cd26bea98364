// One terminal that writes: what it says waits, is written at a bounded rate, and reads wait their turn.
import type { Frame } from "./frames.ts";
import { PendingBytes } from "./pending-bytes.ts";
import { Rate } from "./rate.ts";
import type { Segments } from "./segments.ts";

/** The bounds that terminals are held to. */
export interface SpoolRules {
  /** What is kept of one terminal, at most. */
  readonly terminalBytes: number;
  /** What one terminal may write, averaged. */
  readonly bytesPerSecond: number;
  /** What it may write at once after a rest. */
  readonly burstBytes: number;
  /** What may wait in memory when the rate is used up: of what comes too fast this much of the newest is kept. */
  readonly pendingBytes: number;
  readonly nowMs: () => number;
  /** Told when something cannot be written. */
  readonly onFault: (error: unknown) => void;
}

/** What is written at once. */
const frameBytes = 64 * 1024;

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
  #state: "idle" | "writing" | "ending" = "idle";
  /** The offset after the last byte that was taken in. */
  #endOffset: number;
  /** Whether the files hold nothing but what belongs to this terminal. */
  #isPrepared: boolean;

  /** `before` is what must be done with the same files first; output that begins at 0 begins them anew. */
  constructor(
    segments: Segments,
    firstOffset: number,
    rules: SpoolRules,
    onWritten: () => void,
    before: Promise<void> = Promise.resolve(),
  ) {
    this.#rules = rules;
    this.#segments = segments;
    this.#rate = new Rate(rules.bytesPerSecond, rules.burstBytes, rules.nowMs);
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
    // What there is credit for will be written, so it may wait, however fast it came.
    const limitBytes = Math.max(this.#rules.pendingBytes, this.#rate.creditBytes);
    this.#pending.push(offset + known, bytes.subarray(known), limitBytes);
    this.#endOffset = offset + bytes.length;
    if (this.#state === "idle" && this.#timer === undefined) this.#write();
  }

  /** Waits until what came so far is in the files, but for what the rate holds back. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /** Removes the older half of what is kept. */
  dropOlder(): Promise<void> {
    return this.#segments.dropOlder();
  }

  /** Writes what waits, whatever the rate, and lets go of the files. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#state = "ending";
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
    this.#queue = this.#queue.then(() => this.#writeAll());
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
