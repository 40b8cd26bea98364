// Writes an event stream to its reader at the reader's own pace: nothing is made for one who is slow or gone.
import type { Writable } from "node:stream";
import { formatEvent, HEARTBEAT } from "@holdfast/protocol";
import type { LoopTurn } from "./loop-turn.ts";
import type { OpenStreams, StoppableStream } from "./open-streams.ts";
import type { ReadSignal } from "./read-signal.ts";
import { endWithCode } from "./turn-events.ts";

/** Frames that are ready to be written. */
export type Chunk = string | Uint8Array;

/** Where the frames of one stream come from. */
export interface ChunkSource {
  /** Whether everything was given. */
  readonly isOver: boolean;
  /** The next frames, which may be none; undefined when there is nothing until the reader is woken. */
  next(): Chunk | undefined;
  /** Lets go of what it reads from. */
  close(): void;
}

/** What one stream is made from. */
export interface StreamParts {
  readonly source: ChunkSource;
  /** Says that the source has something again. Whoever is at work reads before it waits, and needs no signal. */
  readonly signal: ReadSignal;
  /** Headers of the answer beside those of every stream. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What all streams of a server share. */
export interface PumpOptions {
  /** How long a stream may be silent before it gives a sign of life. */
  readonly heartbeatMs: number;
  readonly streams: OpenStreams;
  readonly loopTurn: LoopTurn;
  /** Tells of an error that nobody foresaw; gives the id under which it is in the log. */
  readonly report: (error: unknown) => string;
}

type PumpState =
  /** Not begun, or everything is written: the signal goes on. */
  | "waiting"
  | "writing"
  /** The reader takes no more: its drain goes on. */
  | "full"
  /** Others have their turn of the loop; the next one goes on. */
  | "resting"
  | "closed";

/** The answer to a request for a stream. It is closed by its own end, by its reader, or by `close`. */
export class EventPump implements StoppableStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly #source: ChunkSource;
  readonly #options: PumpOptions;
  #reader: Writable | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #state: PumpState = "waiting";
  #isEnding = false;

  constructor({ source, signal, headers = {} }: StreamParts, options: PumpOptions) {
    this.#source = source;
    this.#options = options;
    this.headers = headers;
    options.streams.add(this);
    signal.listen(() => this.#goOn("waiting"));
  }

  /** Begins to write; what is already gone by then is let go of. */
  writeTo(reader: Writable): void {
    this.#reader = reader;
    reader.on("close", () => this.close());
    // What cannot be written any more is known by the close that follows.
    reader.on("error", () => undefined);
    reader.on("drain", () => this.#goOn("full"));
    if (reader.destroyed) return this.close();
    const timer = setTimeout(() => this.#breakSilence(timer), this.#options.heartbeatMs);
    // A stream is kept alive by its socket, never by its heartbeat.
    timer.unref();
    this.#heartbeat = timer;
    this.#goOn("waiting");
  }

  /** Ends the stream with an error that says that the host stops. */
  stop(): void {
    this.#isEnding = true;
    this.#goOn("waiting");
  }

  /** Lets go of what is told, which goes on. */
  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#heartbeat);
    this.#source.close();
    this.#options.streams.delete(this);
  }

  #goOn(from: PumpState): void {
    if (this.#state === from && this.#reader !== undefined) this.#write(this.#reader);
  }

  #write(reader: Writable): void {
    const { loopTurn } = this.#options;
    this.#state = "writing";
    while (!loopTurn.isSpent) {
      const chunk = this.#isEnding ? this.#endWith("HOST_STOPPING") : this.#next();
      const isFull = chunk !== undefined && chunk.length > 0 && !reader.write(chunk);
      if (this.#isEnding || this.#source.isOver) return this.#end(reader);
      if (chunk === undefined) {
        this.#state = "waiting";
        this.#heartbeat?.refresh();
        return;
      }
      if (isFull) {
        this.#state = "full";
        return;
      }
    }
    this.#state = "resting";
    loopTurn.wait(() => this.#goOn("resting"));
  }

  #next(): Chunk | undefined {
    try {
      return this.#source.next();
    } catch (error) {
      const logId = this.#options.report(error);
      return this.#endWith("INTERNAL", `Something went wrong inside the host. Look for ${logId} in its log.`);
    }
  }

  /** The last words of a stream that cannot go on. */
  #endWith(code: "HOST_STOPPING" | "INTERNAL", message?: string): string {
    this.#isEnding = true;
    return endWithCode(code, message)
      .map((event) => formatEvent(event))
      .join("");
  }

  #end(reader: Writable): void {
    reader.end();
    this.close();
  }

  #breakSilence(timer: NodeJS.Timeout): void {
    // It may be that nothing more will come, and that nobody is woken by that.
    this.#goOn("waiting");
    if (this.#state === "waiting" && this.#reader?.write(HEARTBEAT) === false) this.#state = "full";
    if (this.#state !== "closed") timer.refresh();
  }
}
