// Server-sent event stream written to a socket at the reader's pace: nothing is produced for a reader that is slow or gone.
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { EVENT_STREAM_TYPE, formatEvent, HEARTBEAT } from "@holdfast/protocol";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { OpenStreams, StopCode, StoppableStream } from "./open-streams.ts";
import { endWithCode } from "./turn-events.ts";

export type Chunk = string | Uint8Array;

export interface ChunkSource {
  /** Whether everything was read. */
  readonly isOver: boolean;
  /** The next frames, possibly empty; undefined when there is nothing until the stream is woken. */
  next(): Chunk | undefined;
  close(): void;
}

/** Wakes the stream that reads a source; the source is opened before the stream exists. */
export class ReadSignal {
  #listener: (() => void) | undefined;

  /** Nothing is remembered: a stream that begins later reads everything first. */
  readonly notify = (): void => {
    this.#listener?.();
  };

  listen(listener: () => void): void {
    this.#listener = listener;
  }
}

export interface StreamParts {
  readonly source: ChunkSource;
  /** Notified when the source has something again; a stream that is writing reads before it waits. */
  readonly signal: ReadSignal;
  /** Response headers beside those of every stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Registers a listener for the moment when changes can no longer be recorded; returns its removal. */
  readonly onOutage?: ((listener: () => void) => () => void) | undefined;
}

export interface StreamOptions {
  /** The longest silence before a heartbeat. */
  readonly heartbeatMs: number;
  readonly streams: OpenStreams;
  /** Logs an unexpected error; returns its id in the log. */
  readonly report: (error: unknown) => string;
}

type StreamState =
  /** Not begun, or everything is written: the signal continues it. */
  | "waiting"
  | "writing"
  /** The reader takes no more: its drain continues it. */
  | "full"
  /** The tick's budget is spent: the next tick continues it. */
  | "yielding"
  | "closed";

const streamHeaders = {
  "content-type": `${EVENT_STREAM_TYPE}; charset=utf-8`,
  // Proxies must neither cache, change nor buffer events.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** For clients of a host that another one takes over from: milliseconds until the next attempt. */
const restartHint = "retry: 100\n\n";

/** The response to a request for events. Its source, its reader or `close` ends it. */
export class EventStream implements StoppableStream {
  readonly #source: ChunkSource;
  readonly #options: StreamOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #forgetOutage: (() => void) | undefined;
  #reader: Writable | undefined;
  /** Whether nothing was written since the last beat. */
  #isSilent = false;
  #state: StreamState = "waiting";
  #isEnding = false;
  #stopCode: StopCode | undefined;

  constructor({ source, signal, headers = {}, onOutage }: StreamParts, options: StreamOptions) {
    this.#source = source;
    this.#options = options;
    this.#headers = headers;
    options.streams.add(this, options.heartbeatMs);
    this.#forgetOutage = onOutage?.(() => this.stop("STORAGE_UNAVAILABLE"));
    signal.listen(() => this.#continueFrom("waiting"));
  }

  /** Sends the stream straight to the request's socket: every layer in between would cost. */
  respond(outgoing: ServerResponse | undefined): Response {
    if (outgoing === undefined) {
      this.close();
      throw new TypeError("An event stream needs the socket of its request");
    }
    // A client that has left has no socket to send headers to.
    if (!outgoing.destroyed) {
      outgoing.writeHead(200, { ...streamHeaders, ...this.#headers });
      outgoing.flushHeaders();
    }
    this.writeTo(outgoing);
    return RESPONSE_ALREADY_SENT;
  }

  writeTo(reader: Writable): void {
    this.#reader = reader;
    reader.on("close", () => this.close());
    // A failed write is followed by the close.
    reader.on("error", () => undefined);
    reader.on("drain", () => this.#continueFrom("full"));
    if (reader.destroyed) return this.close();
    this.#continueFrom("waiting");
  }

  /** Writes a heartbeat unless something was written since the last call. */
  beat(): void {
    const wasSilent = this.#isSilent;
    // A source can end without a signal.
    this.#continueFrom("waiting");
    this.#isSilent = true;
    if (!wasSilent || this.#state !== "waiting") return;
    this.#isSilent = false;
    if (this.#reader?.write(HEARTBEAT) === false) this.#state = "full";
  }

  /** Ends the stream with an error event. */
  stop(code: StopCode): void {
    this.#stopCode = code;
    this.#continueFrom("waiting");
  }

  disconnect(): void {
    const reader = this.#reader;
    this.close();
    // Not an event: it says how soon to come back.
    reader?.write(restartHint, () => reader.destroy());
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#forgetOutage?.();
    this.#source.close();
    this.#options.streams.delete(this);
  }

  #continueFrom(state: StreamState): void {
    if (this.#state === state && this.#reader !== undefined) this.#write(this.#reader);
  }

  #write(reader: Writable): void {
    const { tick } = this.#options.streams;
    this.#state = "writing";
    while (!tick.isSpent) {
      const chunk = this.#stopCode === undefined ? this.#next() : this.#endWith(this.#stopCode);
      const isFull = chunk !== undefined && chunk.length > 0 && !reader.write(chunk);
      if (this.#isEnding || this.#source.isOver) return this.#end(reader);
      if (chunk === undefined) {
        this.#state = "waiting";
        this.#isSilent = false;
        return;
      }
      if (isFull) {
        this.#state = "full";
        return;
      }
    }
    this.#state = "yielding";
    tick.wait(() => this.#continueFrom("yielding"));
  }

  #next(): Chunk | undefined {
    try {
      return this.#source.next();
    } catch (error) {
      const logId = this.#options.report(error);
      return this.#endWith("INTERNAL", `Something went wrong inside the host. Look for ${logId} in its log.`);
    }
  }

  #endWith(code: StopCode | "INTERNAL", message?: string): string {
    this.#isEnding = true;
    return endWithCode(code, message)
      .map((event) => formatEvent(event))
      .join("");
  }

  #end(reader: Writable): void {
    reader.end();
    this.close();
  }
}
