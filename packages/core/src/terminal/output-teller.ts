// Tells the readers of a terminal's channel what it writes, as actions, in order with everything else that happens to it.
import type { ClientId, TerminalAction } from "@holdfast/ahp";
import type { ByteSubscription, TerminalOutput } from "@holdfast/terminal/view";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import { incompleteBytes } from "./incomplete-bytes.ts";

/** What a teller is made from. */
export interface OutputTellerParts {
  readonly hub: Hub;
  readonly uri: string;
  readonly output: TerminalOutput;
  /** For how long it goes on when the last reader has left: one that comes back in that time has missed nothing. */
  readonly lingerMs: number;
}

/** A reader of the channel, as far as its output is concerned. */
export interface OutputReader {
  readonly clientId?: ClientId | undefined;
  readonly maxLatencyMs?: number | undefined;
}

/** Output is gathered for so long at most; whoever wants it sooner gets each piece as it comes. */
const batchMs = 8;

const nothing: Buffer = Buffer.alloc(0);

/**
 * Bytes on their way to text, of one teller at a time. Memory of its own for each batch would be what a flood leaves
 * most of, and the garbage collector goes by that.
 */
const batchMemory = Buffer.allocUnsafeSlow(64 * 1024);

/** Turns a terminal's bytes into `terminal/data`, once for all readers, and only while there are any. */
export class OutputTeller {
  readonly #parts: OutputTellerParts;
  readonly #readers = new Set<OutputReader>();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** What happened before there was a channel to tell it in. */
  #waiting: TerminalAction[] | undefined = [];
  #subscription: ByteSubscription | undefined;
  /** The beginning of a character whose end has not come. */
  #carry = nothing;
  #toldOffset = 0;
  /** A part ends here, and with it the character that is cut. */
  #dividedOffset = 0;
  #completeSince = 0;
  #isHurried = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(parts: OutputTellerParts) {
    this.#parts = parts;
  }

  /** Whether a client reads. */
  isReadBy(clientId: ClientId): boolean {
    return [...this.#readers].some((reader) => reader.clientId === clientId);
  }

  /** Whether anybody reads. */
  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** The log has all output since this number; whoever has seen less must begin anew. */
  get completeSince(): number {
    return this.#completeSince;
  }

  /** The offset after the last character that is whole, or cut for good. */
  get wholeOffset(): number {
    const { output } = this.#parts;
    const from = Math.max(output.startOffset, this.#dividedOffset, output.endOffset - 3);
    return output.endOffset - incompleteBytes(output.bytes(from, output.endOffset));
  }

  /** The channel is there: what has happened so far is told. */
  opened(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const action of waiting) this.tell(action);
  }

  /** Somebody begins to read; from now on the log has all output. */
  addReader(reader: OutputReader): void {
    this.#readers.add(reader);
    this.#noteHurry();
    clearTimeout(this.#linger);
    if (this.#subscription === undefined) this.#begin();
    this.flush();
  }

  removeReader(reader: OutputReader): void {
    if (!this.#readers.delete(reader)) return;
    this.#noteHurry();
    if (this.#readers.size > 0) return;
    clearTimeout(this.#linger);
    if (this.#parts.lingerMs === 0) return this.#stop();
    this.#linger = setTimeout(() => this.#stop(), this.#parts.lingerMs);
    this.#linger.unref();
  }

  /** Bytes have come: they are told with the next batch, or now if somebody is in a hurry. */
  pushed(): void {
    if (this.#isHurried) this.flush();
  }

  /** Tells all whole characters so far. */
  flush(): void {
    if (this.#subscription === undefined) return;
    for (;;) {
      const batch = this.#subscription.readInto(batchMemory);
      if (batch === undefined) return;
      if (batch.skippedBytes > 0) this.#skipTo(batch.offset);
      this.#tellBytes(batch.bytes);
    }
  }

  /** Tells all bytes so far: what follows is another part, or nothing, so a character that is cut stays so. */
  divide(): void {
    this.flush();
    this.#dividedOffset = this.#parts.output.endOffset;
    const cut = this.#carry;
    if (this.#subscription === undefined || cut.length === 0) return;
    this.#carry = nothing;
    this.#tellPiece(cut);
  }

  /** Tells something else, after the output so far. */
  tell(action: TerminalAction, origin?: ActionOrigin): LogEntry | undefined {
    if (this.#waiting !== undefined) {
      this.#waiting.push(action);
      return undefined;
    }
    if (!this.#parts.hub.has(this.#parts.uri)) return undefined;
    this.flush();
    return this.#parts.hub.dispatch(this.#parts.uri, action, origin);
  }

  close(): void {
    this.#readers.clear();
    this.#stop();
  }

  #begin(): void {
    const { hub, output } = this.#parts;
    const wholeOffset = this.wholeOffset;
    this.#carry = output.bytes(wholeOffset, output.endOffset);
    if (wholeOffset !== this.#toldOffset) {
      // A number of its own, so that who read last before the gap can be told from who reads first after it.
      this.#completeSince = hub.takeSeq();
    }
    this.#toldOffset = wholeOffset;
    this.#subscription = output.subscribe({ from: "end" }, () => this.flush());
  }

  #stop(): void {
    clearTimeout(this.#linger);
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#carry = nothing;
  }

  #noteHurry(): void {
    this.#isHurried = [...this.#readers].some(({ maxLatencyMs = batchMs }) => maxLatencyMs < batchMs);
  }

  /** Bytes were overwritten before anybody could read them. */
  #skipTo(offset: number): void {
    this.#carry = nothing;
    this.#toldOffset = offset;
  }

  #tellBytes(bytes: Buffer): void {
    const all = this.#carry.length === 0 ? bytes : Buffer.concat([this.#carry, bytes]);
    const wholeBytes = all.length - incompleteBytes(all);
    // A copy: a slice would keep the whole batch in memory.
    this.#carry = wholeBytes === all.length ? nothing : Buffer.from(all.subarray(wholeBytes));
    if (wholeBytes > 0) this.#tellPiece(all.subarray(0, wholeBytes));
  }

  #tellPiece(bytes: Buffer): void {
    const offset = this.#toldOffset;
    this.#toldOffset += bytes.length;
    const { hub, uri } = this.#parts;
    if (!hub.has(uri)) return;
    const data = this.#decoder.decode(bytes);
    hub.dispatch(uri, { type: "terminal/data", data, offset, endOffset: this.#toldOffset });
  }
}
