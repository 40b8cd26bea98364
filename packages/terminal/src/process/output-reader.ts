// Reads one run's output without losing its end: events while it runs, synchronously to the last byte when it exits (T10, T11).
import { readSync } from "node:fs";
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import { ReadStream } from "node:tty";
import type { BudgetedReader, ReadBudget } from "./read-budget.ts";

/** Larger makes every read partial, and libuv then goes back to epoll after each: measured, 2.6 times the CPU. */
const bufferBytes = 64 * 1024;

/** One buffer for all readers: bytes are handled before the next read can begin. */
const shared = Buffer.allocUnsafeSlow(bufferBytes);

/** A PTY hands out at most this much in a read, so a read this large means that more is waiting. */
const fullPtyRead = 4095;

/** The most that an unread pipe can hold; a drain that gets more has met a writer that is still writing. */
const drainBoundBytes = 1024 * 1024;

/** Node documents `onread` for connections; it works, and is typed here, for every socket. */
interface ReadingOptions extends SocketConstructorOpts {
  readonly onread: OnReadOpts;
}

/** Receiver of bytes; the buffer is only valid during the call. */
export interface ReaderSink {
  bytes(buffer: Buffer, length: number): void;
  /** Nothing more will come: every writer has closed. */
  end(): void;
}

/** Reads a FIFO or the master of a pseudo-terminal. It owns the descriptor. */
export class OutputReader implements BudgetedReader {
  readonly #fd: number;
  readonly #sink: ReaderSink;
  readonly #budget: ReadBudget;
  readonly #socket: Socket;
  #state: "open" | "ended" = "open";
  #isHeld = false;

  constructor(fd: number, kind: "fifo" | "pty", sink: ReaderSink, budget: ReadBudget) {
    this.#fd = fd;
    this.#sink = sink;
    this.#budget = budget;
    const callback = (length: number): boolean =>
      this.#take(kind === "pty" ? this.#coalesce(length) : length);
    const options: ReadingOptions = { onread: { buffer: shared, callback } };
    this.#socket =
      kind === "pty"
        ? new ReadStream(fd, options)
        : new Socket({ ...options, fd, readable: true, writable: false });
    this.#socket.on("end", () => this.#finish());
    // EIO is how Linux says that the last holder of a terminal's other side has closed it; nothing was lost.
    this.#socket.on("error", () => this.#finish());
    this.#socket.resume();
  }

  get ended(): boolean {
    return this.#state === "ended";
  }

  /** The descriptor, while it is safe to use. */
  get openFd(): number | undefined {
    return this.#state === "open" && !this.#socket.destroyed ? this.#fd : undefined;
  }

  resume(): void {
    if (this.openFd !== undefined && !this.#isHeld) this.#socket.resume();
  }

  /** While it holds, the writer waits as soon as its pipe is full; `drain` still reads. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    this.resume();
  }

  /** Reads what is there now; afterwards everything written before the call has been delivered. */
  drain(): void {
    if (this.openFd === undefined) return;
    if (this.#readAvailable() === "ended") this.close();
  }

  /** Stops reading and closes the descriptor. The sink receives `end` if it has not yet. */
  close(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#budget.forget(this);
    this.#socket.destroy();
    this.#sink.end();
  }

  #take(length: number): boolean {
    this.#sink.bytes(shared, length);
    if (this.#state === "ended") return true;
    const mayGoOn = this.#budget.spend(this, length);
    return mayGoOn && !this.#isHeld;
  }

  /** libuv stops after one partial read, and a PTY's reads are always partial: fetch what is waiting behind it. */
  #coalesce(length: number): number {
    let filled = length;
    let last = length;
    while (last >= fullPtyRead && filled + fullPtyRead <= bufferBytes) {
      last = this.#readInto(filled);
      if (last <= 0) break;
      filled += last;
    }
    return filled;
  }

  /** libuv reports the end of a PTY too early; what is still in the kernel is fetched here. */
  #finish(): void {
    if (this.openFd !== undefined) this.#readAvailable();
    this.close();
  }

  #readAvailable(): "open" | "ended" {
    for (let total = 0; total < drainBoundBytes;) {
      const length = this.#readInto(0);
      if (length === 0) return "ended";
      if (length < 0) return "open";
      total += length;
      this.#sink.bytes(shared, length);
      if (this.#state === "ended") return "ended";
    }
    return "open";
  }

  /** Bytes read; 0 at the end; -1 when nothing is there now. */
  #readInto(position: number): number {
    const { stackTraceLimit } = Error;
    // "Nothing there" comes as an exception each time, and its stack trace would cost more than the read.
    Error.stackTraceLimit = 0;
    try {
      return readSync(this.#fd, shared, position, bufferBytes - position, null);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EAGAIN" ? -1 : 0;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}
