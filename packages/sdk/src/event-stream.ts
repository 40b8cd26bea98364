// A stream of events that survives its connections: when one breaks, it resumes after the last event.
import { wait } from "./response-watch.ts";
import { HoldfastError } from "./error.ts";
import { type SseFrame, SseParser } from "./sse.ts";

/** How far a stream has been read, and the turn it belongs to. */
export interface StreamPlace {
  /** The id of the last event that had one; what follows it can be asked for. */
  readonly lastEventId: string | undefined;
  /** The turn of the stream, where the host names it. */
  readonly turnId: string | undefined;
}

interface EventSource<Event> {
  /** Where to begin to read; absent: as the request says. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly retry: Retry;
  /** Called when a connection breaks, before the first attempt to reconnect. */
  readonly onDisconnect?: (() => void) | undefined;
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

type StreamEnd =
  | { readonly kind: "over" }
  /** `retryMs`: a host that restarts wants to be asked so soon. */
  | { readonly kind: "broken"; readonly cause: unknown; readonly retryMs?: number | undefined };

/** How long a restarting host is asked at the interval that it requested; after that it counts as lost. */
const restartBoundMs = 10_000;

/** Attempts that a host leaves without any response, 5 s each, after which it is not tried again. */
const maxSilences = 3;

const turnIdHeader = "x-holdfast-turn-id";

/** The events of one stream, to be read once. It begins with the first `next`; `return` closes it. */
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

  /** The turn of the stream, once the host has named it. */
  get turnId(): string | undefined {
    return this.#turnId;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    return this.#events.next();
  }

  /** Closes the stream, also while an event is awaited. The turn itself continues. */
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
        response = await this.#resume(end.cause, end.retryMs);
      }
    } catch (error) {
      // The caller closed the stream and expects no further errors.
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
      return { kind: "broken", cause, retryMs: parser.retryMs };
    } finally {
      // It may be broken already; then there is nothing left to cancel.
      reader.cancel().catch(() => undefined);
    }
  }

  /** The next bytes; undefined when the connection came to an orderly end. */
  async #pull(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
    const { maxSilenceMs } = this.#source.retry;
    let isSilent = false;
    const timer = this.#canResume
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

  get #canResume(): boolean {
    return this.#source.canReopen(this.#place);
  }

  /** The event of a frame, unless it has been given before. */
  #take(frame: SseFrame): Event | undefined {
    const isNews = this.#guard.isNews(frame, this.#canResume);
    if (frame.id !== undefined) this.#lastEventId = frame.id;
    const { event: type = "", data } = frame;
    // A frame without a name is no event of ours, such as one that only marks where the stream begins.
    if (!isNews || type === "" || data === undefined) return undefined;
    const event = this.#source.read(type, parseData(data));
    this.#failures = 0;
    this.#lastEvent = event;
    return event;
  }

  /** Opens the stream again after the last event; gives up after too many attempts in a row (X15). */
  async #resume(firstCause: unknown, retryMs: number | undefined): Promise<Response> {
    if (!this.#canResume) throw brokenStream("the host does not say how to resume the stream", firstCause);
    const { retry, onDisconnect } = this.#source;
    onDisconnect?.();
    const { signal } = this.#controller;
    let cause = firstCause;
    let silences = 0;
    const restartedMs = performance.now() + restartBoundMs;
    while (this.#failures < retry.attempts && silences < maxSilences) {
      const isRestarting = retryMs !== undefined && performance.now() < restartedMs;
      await wait(isRestarting ? retryMs : retry.delayMs(this.#failures), signal);
      if (!isRestarting) this.#failures += 1;
      try {
        const response = await this.#source.reopen(this.#place, signal);
        this.#guard.expectReplay();
        return response;
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        if (isSilence(error)) silences += 1;
        if (!isPassing(error)) throw brokenStream("the host refused to resume the stream", cause);
      }
    }
    if (isSilence(cause)) throw cause;
    throw brokenStream(`${retry.attempts} reconnection attempts failed`, cause);
  }
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw notAStream("an event's data is not JSON", cause);
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === "HOST_NOT_RESPONDING";
}

/** Whether another attempt may fare better: nothing answered, or a host that is busy, starting or stopping did. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === undefined || error.status === 429 || error.status >= 500;
}

function brokenStream(what: string, cause: unknown): HoldfastError {
  return new HoldfastError("STREAM_BROKEN", `Lost the connection to the host; ${what}.`, { cause });
}

function notAStream(what: string, cause?: unknown): HoldfastError {
  return new HoldfastError("INVALID_RESPONSE", `The answer is not a stream of events: ${what}.`, { cause });
}

/** Retry schedule for reopening a broken stream. */
export interface RetryOptions {
  /** Attempts in a row that bring nothing new, after which the stream counts as lost. */
  readonly attempts?: number;
  /** The wait before the first attempt; each further one waits twice as long. */
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
  /** The silence after which a connection counts as broken, whatever TCP thinks. */
  readonly maxSilenceMs?: number;
}

/** Enough for a host that restarts: half a minute in all. A host gives a sign of life every 15 s at least. */
const defaults = { attempts: 10, baseDelayMs: 100, maxDelayMs: 5000, maxSilenceMs: 20_000 };

/** When to try again, and when no more. */
export class Retry {
  readonly attempts: number;
  readonly maxSilenceMs: number;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;

  constructor(options: RetryOptions = {}) {
    const { attempts, baseDelayMs, maxDelayMs, maxSilenceMs } = { ...defaults, ...options };
    this.attempts = attempts;
    this.maxSilenceMs = maxSilenceMs;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  /** The wait before an attempt, counted from 0; spread, so that all clients of a host do not come at once. */
  delayMs(attempt: number, random: () => number = Math.random): number {
    const longestMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** attempt);
    return longestMs * (0.5 + random() / 2);
  }
}

/**
 * For hosts that give an id only to the last event of a log entry; today's give one to each (A25).
 * Resumed after the id before, such a host sends the entry again from its beginning; events already given are skipped.
 */
class ReplayGuard {
  /** Events given since the last id. */
  #given: string[] = [];
  /** Those of them that are still expected again. */
  #expected: string[] = [];

  /** The stream was opened again after the last id. */
  expectReplay(): void {
    this.#expected = [...this.#given];
  }

  /** Whether a frame has not been given before. Without a way to resume the stream, nothing need be remembered. */
  isNews(frame: SseFrame, canResume: boolean): boolean {
    const { event, data, id } = frame;
    const text = `${event}\n${data}`;
    const isRepeated = this.#expected[0] === text;
    if (isRepeated) this.#expected.shift();
    // The host sends something else now, so none of it is a repetition.
    else if (data !== undefined) this.#expected = [];
    if (id !== undefined) this.#given = [];
    else if (canResume && !isRepeated && data !== undefined) this.#given.push(text);
    return !isRepeated;
  }
}
