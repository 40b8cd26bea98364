// The event stream of one turn, made as its reader pulls: nothing is queued for a reader who is slow or gone.
import { setImmediate as nextTurnOfLoop } from "node:timers/promises";
import type { LogEntry } from "@holdfast/core";
import { formatEvent, HEARTBEAT, textDelta, type TurnEvent } from "@holdfast/protocol";
import type { ReadSignal } from "./read-signal.ts";
import { endWithCode, endWithError } from "./turn-events.ts";
import type { TurnProjection } from "./turn-projection.ts";
import type { TurnReader } from "./turn-reader.ts";

/** What an event stream is made from. */
export interface EventSourceParts {
  readonly reader: TurnReader;
  readonly projection: TurnProjection;
  readonly signal: ReadSignal;
  /** Tells of an error that nobody foresaw; gives the id under which it is in the log. */
  readonly report: (error: unknown) => string;
  /** Told once, when the stream is over or its reader has gone. */
  readonly onClosed: () => void;
}

/** Events in one chunk at most. */
const eventsPerChunk = 64;
/** Characters after which a chunk takes no further event. */
const charactersPerChunk = 64 * 1024;
/** How long a backlog may be written before others get their turn of the loop. */
const busyTimeMs = 4;

/** The ready frame of a piece of text; it depends on nothing but its entry, so all readers share it. */
const textFrame = {
  name: "app-api-text",
  show({ action, serverSeq }: LogEntry): string {
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") return "";
    const stream = action.type === "chat/delta" ? "output" : "thought";
    return formatEvent(textDelta(action.content, stream, action.partId), String(serverSeq));
  },
};

/** The source of one event stream. It is closed by its own end, by its reader, or by `close`. */
export class TurnEventSource {
  readonly #parts: EventSourceParts;
  readonly #encoder = new TextEncoder();
  #state: "open" | "stopping" | "over" | "closed" = "open";
  /** Since when chunks have followed one another without a pause; undefined when all was read. */
  #busySinceMs: number | undefined;

  constructor(parts: EventSourceParts) {
    this.#parts = parts;
  }

  /** The stream; it is pulled only when its reader wants more (A22). */
  toStream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.close() },
      { highWaterMark: 0 },
    );
  }

  /** Ends the stream with an error that says that the host stops. */
  stop(): void {
    if (this.#state !== "open") return;
    this.#state = "stopping";
    this.#parts.signal.notify();
  }

  /** Lets go of the turn, which goes on. */
  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#parts.reader.close();
    this.#parts.signal.close();
    this.#parts.onClosed();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    await this.#giveWay();
    while (this.#state !== "closed") {
      const text = this.#nextChunk();
      if (text !== "") controller.enqueue(this.#encoder.encode(text));
      if (this.#state === "over") {
        controller.close();
        this.close();
        return;
      }
      if (text !== "") return;
      if ((await this.#parts.signal.sleep()) === "silent") {
        controller.enqueue(this.#encoder.encode(HEARTBEAT));
        return;
      }
    }
  }

  /** A long backlog would otherwise be written in one go, for as long as the socket takes it (A23). */
  async #giveWay(): Promise<void> {
    if (this.#busySinceMs === undefined || performance.now() - this.#busySinceMs < busyTimeMs) return;
    await nextTurnOfLoop();
    this.#busySinceMs = undefined;
  }

  #nextChunk(): string {
    try {
      return this.#readChunk();
    } catch (error) {
      const logId = this.#parts.report(error);
      return this.#endWith(
        endWithCode("INTERNAL", `Something went wrong inside the host. Look for ${logId} in its log.`),
      );
    }
  }

  #readChunk(): string {
    let text = "";
    let events = 0;
    this.#busySinceMs ??= performance.now();
    while (events < eventsPerChunk && text.length < charactersPerChunk) {
      if (this.#state === "stopping") return text + this.#endWith(endWithCode("HOST_STOPPING"));
      const reading = this.#parts.reader.next();
      if (reading.kind === "nothing") {
        this.#busySinceMs = undefined;
        return text;
      }
      if (reading.kind !== "entry") return text + this.#endWith(endOf(reading.kind));
      const { entry } = reading;
      if (this.#isTextOfTurn(entry)) {
        text += entry.cached(textFrame);
        events += 1;
        continue;
      }
      const projected = this.#parts.projection.project(entry.action);
      text += formatEntry(projected, entry.serverSeq);
      events += projected.length;
      if (this.#parts.projection.isOver) {
        this.#state = "over";
        return text;
      }
    }
    return text;
  }

  /** The hot path. */
  #isTextOfTurn({ action }: LogEntry): boolean {
    return (
      (action.type === "chat/delta" || action.type === "chat/reasoning") &&
      action.turnId === this.#parts.projection.turnId
    );
  }

  #endWith(events: readonly TurnEvent[]): string {
    this.#state = "over";
    return events.map((event) => formatEvent(event)).join("");
  }
}

/** The id stands on the last frame of an entry: whoever has seen it has seen all of the entry (A25). */
function formatEntry(events: readonly TurnEvent[], serverSeq: number): string {
  return events
    .map((event, index) => formatEvent(event, index === events.length - 1 ? String(serverSeq) : undefined))
    .join("");
}

function endOf(kind: "gap" | "closed"): TurnEvent[] {
  if (kind === "closed") return endWithCode("ACP_SESSION_NOT_FOUND");
  return endWithError({
    code: "EVENTS_LOST",
    message:
      "The stream was read too slowly, and events are gone. The turn goes on; read its session, or cancel it.",
    retryable: false,
  });
}
