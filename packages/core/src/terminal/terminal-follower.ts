// Follows a terminal from any byte: from the spool what memory no longer holds, then live, then its exit.
import type { TerminalState, TerminalUri } from "@holdfast/ahp";
import type { ByteSubscription } from "@holdfast/terminal/view";
import type { LogReader } from "../channel/log-reader.ts";
import type { Hub } from "../channel/hub.ts";
import type { TerminalSpool } from "../ports.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { PaceReader } from "./output-pace.ts";
import type { TerminalReader, TerminalReading } from "./terminal-reader.ts";

/** Dependencies of a follower. */
export interface FollowerParts {
  readonly uri: TerminalUri;
  readonly hub: Hub;
  readonly spool: TerminalSpool | undefined;
  /** The terminal while the host holds it. */
  readonly live: () => HostTerminal | undefined;
  /** Its state, from memory or from what is kept. */
  readonly state: () => TerminalState | undefined;
  readonly onReadable: () => void;
  /** Receives how far it has come, where the program waits for it. */
  readonly pace?: PaceReader | undefined;
  readonly onSkipped: (skippedBytes: number) => void;
}

const pieceBytes = 64 * 1024;

/** One follower of one terminal. */
export class TerminalFollower implements TerminalReader {
  readonly #parts: FollowerParts;
  /** The next byte to give. */
  #offset: number;
  #cursor: LogReader | undefined;
  #waker: ByteSubscription | undefined;
  #hasReportedExit = false;
  #isClosed = false;

  /** Begins at an offset; 0 begins with the oldest byte that is kept. */
  constructor(parts: FollowerParts, offset: number) {
    this.#parts = parts;
    this.#offset = offset;
    const { hub, uri, onReadable } = parts;
    if (hub.has(uri)) this.#cursor = hub.subscribe(uri, onReadable).cursor;
  }

  async next(): Promise<TerminalReading> {
    if (this.#isClosed) return { kind: "end" };
    const size = this.#readSize();
    if (size !== undefined) return size;
    const output = this.#parts.live()?.output;
    // A closed terminal's memory is empty: its output is in the spool.
    if (output === undefined) return this.#nextKept();
    if (this.#offset < output.startOffset) return this.#nextOlder(output.startOffset);
    if (this.#offset < output.endOffset) {
      const bytes = output.bytes(this.#offset, Math.min(output.endOffset, this.#offset + pieceBytes));
      return this.#give(bytes);
    }
    return this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#cursor?.close();
    this.#waker?.close();
    this.#parts.pace?.close();
  }

  /** All output was given: the exit, if it has ended, else nothing until there is more. */
  #wait(): TerminalReading {
    const exited = this.#readExit();
    if (exited !== undefined) return exited;
    const output = this.#parts.live()?.output;
    this.#waker?.close();
    this.#waker = output?.subscribe({ from: "end" }, this.#parts.onReadable);
    const isOver = this.#waker === undefined || this.#waker.ended;
    // The end of the output may come a moment before the exit is published; the channel wakes us then.
    return isOver && this.#hasReportedExit ? { kind: "end" } : { kind: "nothing" };
  }

  /** Bytes before those in memory; what the spool has not kept either is skipped. */
  async #nextOlder(startOffset: number): Promise<TerminalReading> {
    const slice = await this.#parts.spool?.read(this.#parts.uri, this.#offset, pieceBytes);
    if (slice === undefined || slice.startOffset >= startOffset) return this.#skipTo(startOffset);
    if (slice.startOffset > this.#offset) return this.#skipTo(slice.startOffset);
    return this.#give(slice.bytes);
  }

  async #nextKept(): Promise<TerminalReading> {
    const slice = await this.#parts.spool?.read(this.#parts.uri, this.#offset, pieceBytes);
    if (slice === undefined || slice.bytes.length === 0) return this.#nextWithout();
    if (slice.startOffset > this.#offset) return this.#skipTo(slice.startOffset);
    return this.#give(slice.bytes);
  }

  /** There are no more bytes: those that it is known to have written are skipped, then it has ended. */
  #nextWithout(): TerminalReading {
    const endOffset = this.#parts.state()?.output.endOffset ?? 0;
    if (endOffset > this.#offset) return this.#skipTo(endOffset);
    return this.#readExit() ?? { kind: "end" };
  }

  /** Gives bytes up to where the stream changes. */
  #give(bytes: Uint8Array): TerminalReading {
    const offset = this.#offset;
    const range = this.#parts.live()?.streams.at(offset);
    const given = range === undefined ? bytes : bytes.subarray(0, range.end - offset);
    this.#moveTo(offset + given.length);
    return { kind: "output", offset, bytes: given, ...(range?.stream === "error" && { stream: "error" }) };
  }

  #skipTo(offset: number): TerminalReading {
    const skippedBytes = offset - this.#offset;
    this.#moveTo(offset);
    this.#parts.onSkipped(skippedBytes);
    return { kind: "skipped", offset, skippedBytes };
  }

  #moveTo(offset: number): void {
    this.#offset = offset;
    this.#parts.pace?.read(offset);
  }

  #readExit(): TerminalReading | undefined {
    const lifecycle = this.#parts.state()?.lifecycle;
    if (this.#hasReportedExit || lifecycle?.status !== "exited") return undefined;
    this.#hasReportedExit = true;
    return { kind: "exited", exit: lifecycle.exit, endOffset: this.#offset };
  }

  /** The newest size, if it changed since the last look. */
  #readSize(): TerminalReading | undefined {
    let size: TerminalReading | undefined;
    while (this.#cursor?.hasMore === true) {
      const reading = this.#cursor.read();
      if (reading.kind !== "entries") {
        this.#cursor.close();
        this.#cursor = undefined;
        break;
      }
      for (const { action } of reading.entries) {
        if (action.type === "terminal/resized") {
          size = { kind: "resized", cols: action.cols, rows: action.rows };
        }
      }
    }
    return size;
  }
}
