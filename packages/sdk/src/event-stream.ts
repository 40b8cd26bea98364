// A stream of events that survives its connections: when one breaks, it is taken up after the last event.
import { wait } from "./abort.ts";
import { HoldfastError } from "./error.ts";
import { ReplayGuard } from "./replay-guard.ts";
import type { Retry } from "./retry.ts";
import { SseParser, type SseFrame } from "./sse.ts";

/** How far a stream has been read, and what it tells. */
export interface StreamPlace {
  /** The id of the last event that had one; what follows it can be asked for. */
  readonly lastEventId: string | undefined;
  /** The turn that is told, where the host names it. */
  readonly turnId: string | undefined;
}

/** Where a stream comes from and how it is read. */
export interface EventSource<Event> {
  /** Where to begin to read; absent: as the request says. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly retry: Retry;
  open(signal: AbortSignal): Promise<Response>;
  /** Whether enough is known to open it again. */
  canReopen(place: StreamPlace): boolean;
  /** Opens it again after what was read. */
  reopen(place: StreamPlace, signal: AbortSignal): Promise<Response>;
  read(type: string, data: unknown): Event;
  /** Whether nothing comes after this event. */
  isLast(event: Event): boolean;
  /** Whether the host may end the stream here without having said so. */
  mayEndAfter(event: Event | undefined): boolean;
}

type StreamEnd = { readonly kind: "over" } | { readonly kind: "broken"; readonly cause: unknown };

const turnIdHeader = "x-holdfast-turn-id";

/** The events of one stream, to be read once. It begins with the first `next`; `return` lets go of it. */
export class EventStream<Event> implements AsyncIterableIterator<Event, undefined, undefined> {
  readonly #source: EventSource<Event>;
  readonly #controller = new AbortController();
  readonly #events: AsyncGenerator<Event, undefined, undefined>;
  readonly #guard = new ReplayGuard();
  #lastEventId: string | undefined;
  #turnId: string | undefined;
  #lastEvent: Event | undefined;
  #isClosed = false;
  /** Connections in a row that brought nothing new. */
  #failures = 0;

  constructor(source: EventSource<Event>) {
    this.#source = source;
    this.#lastEventId = source.after;
    this.#events = this.#run();
  }

  /** The id of the last event that had one: a place to read on from later. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** The turn that is told, once the host has named it. */
  get turnId(): string | undefined {
    return this.#turnId;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    return this.#events.next();
  }

  /** Lets go of the stream, also while an event is awaited. The turn itself goes on. */
  return(): Promise<IteratorResult<Event, undefined>> {
    this.#isClosed = true;
    this.#controller.abort();
    return this.#events.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#run(): AsyncGenerator<Event, undefined, undefined> {
    const { signal } = this.#source;
    const onAbort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort);
    try {
      let response = await this.#source.open(this.#controller.signal);
      for (;;) {
        this.#turnId ??= response.headers.get(turnIdHeader) ?? undefined;
        const end = yield* this.#read(response);
        if (end.kind === "over") return;
        response = await this.#takeUp(end.cause);
      }
    } catch (error) {
      // Whoever let go of the stream wants to hear nothing more of it.
      if (!this.#isClosed) throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async *#read(response: Response): AsyncGenerator<Event, StreamEnd, undefined> {
    const parser = new SseParser();
    const reader = response.body?.getReader();
    if (reader === undefined) throw notAStream("it has no body");
    try {
      for (;;) {
        const chunk = await this.#pull(reader);
        if (chunk === undefined) return this.#endOfConnection();
        for (const frame of parser.push(chunk)) {
          const event = this.#take(frame);
          if (event === undefined) continue;
          yield event;
          if (this.#source.isLast(event)) return { kind: "over" };
        }
      }
    } catch (cause) {
      this.#controller.signal.throwIfAborted();
      if (cause instanceof HoldfastError) throw cause;
      return { kind: "broken", cause };
    } finally {
      // It may be broken already; then there is nothing left to let go of.
      reader.cancel().catch(() => undefined);
    }
  }

  /** The next bytes; undefined when the connection came to an orderly end. */
  async #pull(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
    const { maxSilenceMs } = this.#source.retry;
    let isSilent = false;
    const timer = this.#canBeTakenUp
      ? setTimeout(() => {
          isSilent = true;
          // This makes the read below come to its end.
          reader.cancel().catch(() => undefined);
        }, maxSilenceMs)
      : undefined;
    try {
      const { value } = await reader.read();
      if (isSilent) throw new Error(`The connection was silent for ${maxSilenceMs / 1000} s.`);
      return value;
    } finally {
      clearTimeout(timer);
    }
  }

  #endOfConnection(): StreamEnd {
    if (this.#source.mayEndAfter(this.#lastEvent)) return { kind: "over" };
    return { kind: "broken", cause: new Error("The connection ended before the stream did.") };
  }

  get #place(): StreamPlace {
    return { lastEventId: this.#lastEventId, turnId: this.#turnId };
  }

  get #canBeTakenUp(): boolean {
    return this.#source.canReopen(this.#place);
  }

  /** The event of a frame, unless it has been given before. */
  #take(frame: SseFrame): Event | undefined {
    const isNews = this.#guard.isNews(frame, this.#canBeTakenUp);
    if (frame.id !== undefined) this.#lastEventId = frame.id;
    const { event: type = "", data } = frame;
    // A frame without a name is no event of ours, such as one that only tells where the stream begins.
    if (!isNews || type === "" || data === undefined) return undefined;
    const event = this.#source.read(type, parseData(data));
    this.#failures = 0;
    this.#lastEvent = event;
    return event;
  }

  /** Opens the stream again after the last event; gives up after too many attempts in a row (X15). */
  async #takeUp(firstCause: unknown): Promise<Response> {
    if (!this.#canBeTakenUp) throw brokenStream("its host does not say how to take it up again", firstCause);
    const { retry } = this.#source;
    const { signal } = this.#controller;
    let cause = firstCause;
    while (this.#failures < retry.attempts) {
      await wait(retry.delayMs(this.#failures), signal);
      this.#failures += 1;
      try {
        const response = await this.#source.reopen(this.#place, signal);
        this.#guard.expectReplay();
        return response;
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        if (!isPassing(error)) throw brokenStream("its host refuses to take it up again", cause);
      }
    }
    throw brokenStream(`${retry.attempts} attempts to take it up again brought nothing`, cause);
  }
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw notAStream("an event's data is not JSON", cause);
  }
}

/** Whether another attempt may fare better: nothing answered, or a host that is busy, starting or stopping did. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === undefined || error.status === 429 || error.status >= 500;
}

function brokenStream(what: string, cause: unknown): HoldfastError {
  return new HoldfastError(
    "STREAM_BROKEN",
    `The stream broke off, and ${what}. Its turn may go on; read the session to see where it stands.`,
    { cause },
  );
}

function notAStream(what: string, cause?: unknown): HoldfastError {
  return new HoldfastError("INVALID_RESPONSE", `The answer is not a stream of events: ${what}.`, { cause });
}
