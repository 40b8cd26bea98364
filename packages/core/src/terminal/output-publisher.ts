// Publishes one terminal in its channel: output as actions, in order with everything else that happens to it.
import { pathToFileURL } from "node:url";
import { type ClientId, type TerminalAction, makeId } from "@holdfast/ahp";
import type { TerminalEvent, TerminalPublisher } from "@holdfast/terminal/terminal";
import { type ByteSubscription, incompleteTailBytes, type TerminalOutput } from "@holdfast/terminal/view";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { Continuation } from "./terminal-tag.ts";
import { Throttle } from "./throttle.ts";

/** Dependencies and settings of a publisher. */
export interface OutputPublisherParts {
  readonly hub: Hub;
  readonly uri: string;
  readonly output: TerminalOutput;
  /** Whether a program without a PTY writes it: then a CR waits for its LF, so that no line end is cut in two (U322). */
  readonly isText?: boolean | undefined;
  /** For how long it continues when the last reader has left: one that comes back in that time has missed nothing. */
  readonly lingerMs: number;
  /** Called with all bytes that are shown, which are valid during the call. */
  readonly onBytes?: ((bytes: Uint8Array, offset: number) => void) | undefined;
  /** Events that an earlier host published of its bytes, which are read again. */
  readonly earlier?: Pick<Continuation, "published" | "shownOffset"> | undefined;
  readonly onTitle?: (() => void) | undefined;
  readonly onEnded?: (() => void) | undefined;
}

/** A reader of the channel, as far as its output is concerned. */
export interface OutputReader {
  readonly clientId?: ClientId | undefined;
  readonly maxLatencyMs?: number | undefined;
}

/** Output is gathered for so long at most; readers that want it sooner get each piece as it comes. */
const batchMs = 8;

/** Programs show progress in their titles: each one published would cost more than their bytes. */
const titlePauseMs = 8;

const carriageReturn = 0x0d;
const nothing: Buffer = Buffer.alloc(0);
/** Output is published in pieces of at most this size. */
const pieceBytes = 64 * 1024;

/** Turns a terminal's bytes into `terminal/data`, once for all readers, and only while there are any. */
export class OutputPublisher implements TerminalPublisher {
  readonly #parts: OutputPublisherParts;
  readonly #readers = new Set<OutputReader>();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Events from before there was a channel to publish them in. */
  #waiting: TerminalAction[] | undefined = [];
  #subscription: ByteSubscription | undefined;
  /** The beginning of a character whose end has not come. */
  #carry = nothing;
  #publishedOffset = 0;
  /** A part ends here, and with it the character that is cut. */
  #dividedOffset = 0;
  #completeSince = 0;
  #isHurried = false;
  #linger: NodeJS.Timeout | undefined;
  readonly #title = new Throttle<string>(
    titlePauseMs,
    (title) => void this.dispatch({ type: "terminal/titleChanged", title, source: "program" }),
  );
  readonly #cwd = new Throttle<string>(
    titlePauseMs,
    (path) => void this.dispatch({ type: "terminal/cwdChanged", cwd: pathToFileURL(path).href }),
  );

  constructor(parts: OutputPublisherParts) {
    this.#parts = parts;
  }

  /** The terminal of the client that holds it replies, while it is open. */
  get repliesToQueries(): boolean {
    const claim = this.#parts.hub.state(this.#parts.uri, "terminal")?.claim;
    return claim?.kind === "client" && this.isReadBy(claim.clientId);
  }

  wrote(bytes: Uint8Array, offset: number): void {
    this.#parts.onBytes?.(bytes, offset);
    if (this.#isHurried) this.flush();
  }

  publish(event: TerminalEvent): void {
    if (this.#wasPublished(event)) return;
    switch (event.kind) {
      case "title":
        return this.#title.set(event.title);
      case "cwd":
        return this.#cwd.set(event.path);
      case "commandsDetected":
        this.dispatch({ type: "terminal/commandDetectionAvailable" });
        break;
      // A line that is learned late has no separate action: clients that subscribe later see it.
      case "lineLearned":
        break;
      case "executed": {
        const { id, commandLine, startedAtMs, startOffset: offset } = event.command;
        const startedAt = new Date(startedAtMs).toISOString();
        this.divide();
        const commandId = makeId("command", id);
        this.dispatch({ type: "terminal/commandExecuted", commandId, commandLine, startedAt, offset });
        break;
      }
      case "finished": {
        const { id, endOffset: offset, exitCode, durationMs } = event.command;
        const code = exitCode === undefined ? {} : { exitCode };
        this.divide();
        const commandId = makeId("command", id);
        this.dispatch({ type: "terminal/commandFinished", commandId, ...code, durationMs, offset });
      }
    }
  }

  #wasPublished(event: TerminalEvent): boolean {
    const { earlier, output } = this.#parts;
    if (earlier === undefined) return false;
    if (event.kind === "title" || event.kind === "cwd") return output.endOffset < earlier.shownOffset;
    const name = event.kind === "commandsDetected" ? event.kind : `${event.kind} ${event.command.id}`;
    return earlier.published.has(name);
  }

  exited(): void {
    this.#title.flush();
    this.#cwd.flush();
  }

  ended(): void {
    this.divide();
    this.#parts.onEnded?.();
  }

  /** Whether a client reads. */
  isReadBy(clientId: ClientId): boolean {
    return [...this.#readers].some((reader) => reader.clientId === clientId);
  }

  /** Whether anybody reads. */
  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** The log has all output since this number; a client that has seen less must start again. */
  get completeSince(): number {
    return this.#completeSince;
  }

  /** The offset after the last character that is whole, or cut for good. */
  get wholeOffset(): number {
    const { output } = this.#parts;
    const from = Math.max(output.startOffset, this.#dividedOffset, output.endOffset - 3);
    return output.endOffset - this.#heldBytes(output.bytes(from, output.endOffset));
  }

  /** The channel is open: publishes what has happened so far. */
  opened(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const action of waiting) this.dispatch(action);
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

  /** Tells all whole characters so far. */
  flush(): void {
    if (this.#subscription === undefined) return;
    for (;;) {
      const batch = this.#subscription.view(pieceBytes);
      if (batch === undefined) return;
      if (batch.skippedBytes > 0) this.#skipTo(batch.offset);
      this.#publishBytes(batch.bytes);
    }
  }

  /** Tells all bytes so far: what follows is another part, or nothing, so a character that is cut stays so. */
  divide(): void {
    this.flush();
    this.#dividedOffset = this.#parts.output.endOffset;
    const cut = this.#carry;
    if (this.#subscription === undefined || cut.length === 0) return;
    this.#carry = nothing;
    this.#publishPiece(cut);
  }

  /** Tells something else, after the output so far. */
  dispatch(action: TerminalAction, origin?: ActionOrigin): LogEntry | undefined {
    if (this.#waiting !== undefined) {
      this.#waiting.push(action);
      return undefined;
    }
    if (!this.#parts.hub.has(this.#parts.uri)) return undefined;
    this.flush();
    const entry = this.#parts.hub.dispatch(this.#parts.uri, action, origin);
    if (entry !== undefined && action.type === "terminal/titleChanged") this.#parts.onTitle?.();
    return entry;
  }

  close(): void {
    this.#title.close();
    this.#cwd.close();
    this.#readers.clear();
    this.#stop();
  }

  #begin(): void {
    const { hub, output } = this.#parts;
    const wholeOffset = this.wholeOffset;
    this.#carry = output.bytes(wholeOffset, output.endOffset);
    if (wholeOffset !== this.#publishedOffset) {
      // A separate number, so that readers from before the gap differ from readers after it.
      this.#completeSince = hub.takeSeq();
    }
    this.#publishedOffset = wholeOffset;
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
    this.#publishedOffset = offset;
  }

  #publishBytes(bytes: Uint8Array): void {
    const last = bytes.at(-1) ?? 0;
    // Most pieces end with a whole character, and most of those in ASCII.
    if (this.#carry.length === 0 && last < 0x80 && last !== carriageReturn) return this.#publishPiece(bytes);
    const all = this.#carry.length === 0 ? bytes : Buffer.concat([this.#carry, bytes]);
    const wholeBytes = all.length - this.#heldBytes(all);
    // A copy: the bytes belong to the ring.
    this.#carry = wholeBytes === all.length ? nothing : Buffer.from(all.subarray(wholeBytes));
    if (wholeBytes > 0) this.#publishPiece(all.subarray(0, wholeBytes));
  }

  /** How many bytes at the end wait for those that follow them. */
  #heldBytes(bytes: Uint8Array): number {
    const isCut = this.#parts.isText === true && bytes.at(-1) === carriageReturn;
    return isCut ? 1 : incompleteTailBytes(bytes);
  }

  #publishPiece(bytes: Uint8Array): void {
    const offset = this.#publishedOffset;
    this.#publishedOffset += bytes.length;
    const { hub, uri } = this.#parts;
    if (!hub.has(uri)) return;
    const data = this.#decoder.decode(bytes);
    hub.dispatch(uri, { type: "terminal/data", data, offset, endOffset: this.#publishedOffset });
  }
}
