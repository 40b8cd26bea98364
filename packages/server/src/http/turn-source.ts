// Frames of one turn, or of all turns of a session, made from log entries as the reader asks for them.
import { earliest, type LogEntry, type LogReader, type NoEntry } from "@holdfast/core";
import { type EventPlace, formatEvent, textDelta, type TurnEvent } from "@holdfast/protocol";
import type { Chunk, ChunkSource } from "./event-stream.ts";
import { endWithCode } from "./turn-events.ts";
import type { EventProjection } from "./turn-projection.ts";

interface EventSourceParts {
  /** Read as one, in the order of the host. */
  readonly logs: { readonly chat: LogReader; readonly session: LogReader };
  readonly projection: EventProjection;
  readonly chunks: SharedChunks;
  /** Entries up to this number are known: they are read to understand the rest, and not sent (A46). */
  readonly after?: number;
  /** The entry of which only the last events are wanted, and how many of its first are known. */
  readonly within?: EventPlace | undefined;
}

const eventsPerChunk = 256;
/** Characters after which a chunk takes no further event. */
const charactersPerChunk = 64 * 1024;
/** Entries that are read for one chunk at most: those that give no event cost time too. */
const entriesPerChunk = 1024;

export class TurnEventSource implements ChunkSource {
  readonly #parts: EventSourceParts;
  readonly #logs: ReadonlySet<LogReader>;
  readonly #after: number;
  #isOver = false;
  /** Why `#take` found no entry; a gap and the chat's end are final. */
  #none: NoEntry = "nothing";

  constructor(parts: EventSourceParts) {
    this.#parts = parts;
    this.#logs = new Set([parts.logs.chat, parts.logs.session]);
    this.#after = parts.after ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  next(): Chunk | undefined {
    const { projection, chunks } = this.#parts;
    const run: LogEntry[] = [];
    let text = "";
    let events = 0;
    let characters = 0;
    let entries = 0;
    while (events < eventsPerChunk && characters < charactersPerChunk && entries < entriesPerChunk) {
      const entry = this.#take();
      if (entry === undefined) {
        const ending = this.#endOf(this.#none);
        if (ending !== "") text += textOf(run.splice(0)) + ending;
        else if (events === 0) return undefined;
        break;
      }
      entries += 1;
      const isNews = entry.serverSeq > this.#after;
      if (this.#isTextOfTurn(entry)) {
        if (!isNews) continue;
        run.push(entry);
        events += 1;
        characters += entry.cached(textFrame).length;
        continue;
      }
      const projected = projection.project(entry.action);
      if (isNews && projected.length > 0) {
        const frames = formatEntry(projected, entry.serverSeq, this.#knownOf(entry));
        text += textOf(run.splice(0)) + frames;
        events += projected.length;
        characters += frames.length;
      }
      if (projection.isOver) {
        this.#isOver = true;
        break;
      }
    }
    // Text alone is the same for all who read it, so its bytes are made once.
    if (text === "") return run.length === 0 ? "" : chunks.bytesOf(run);
    return text + textOf(run);
  }

  close(): void {
    for (const log of this.#logs) log.close();
  }

  #take(): LogEntry | undefined {
    const log = earliest(this.#logs, this.#noteNone);
    return this.#none === "gap" ? undefined : log?.take();
  }

  /** A gap in either log ends the stream, and so does the chat's end; the session's does not. */
  readonly #noteNone = (log: LogReader, why: NoEntry): void => {
    if (why === "gap" || (why === "closed" && log === this.#parts.logs.chat && this.#none !== "gap")) {
      this.#none = why;
    }
  };

  /** How many events of an entry the reader has already. */
  #knownOf({ serverSeq }: LogEntry): number {
    const { within } = this.#parts;
    return within?.seq === serverSeq ? (within.events ?? 0) : 0;
  }

  /** The hot path. */
  #isTextOfTurn({ action }: LogEntry): boolean {
    return (
      (action.type === "chat/delta" || action.type === "chat/reasoning") &&
      action.turnId === this.#parts.projection.turnId
    );
  }

  /** The last frames when there is no entry: none where one may still come, or none was missed. */
  #endOf(kind: NoEntry): string {
    const { isIdle, turnId } = this.#parts.projection;
    if (kind === "nothing" && !isIdle) return "";
    this.#isOver = true;
    if (kind === "nothing" || (kind === "closed" && turnId === undefined)) return "";
    return endWithCode(kind === "gap" ? "EVENTS_LOST" : "ACP_SESSION_NOT_FOUND")
      .map((event) => formatEvent(event))
      .join("");
  }
}

/**
 * Every frame has an id (A25). An entry's last frame carries its number, so that a reader that has the number has the whole entry;
 * a frame before it also says how many of the entry's frames there are up to it.
 */
function formatEntry(events: readonly TurnEvent[], serverSeq: number, known: number): string {
  return events
    .map((event, index) => {
      if (index < known) return "";
      const isLast = index === events.length - 1;
      return formatEvent(event, isLast ? String(serverSeq) : `${serverSeq}.${index + 1}`);
    })
    .join("");
}

interface SharedChunk {
  readonly last: LogEntry;
  readonly bytes: Uint8Array;
}

/** How much is kept: enough for readers who are close to one another, nothing to speak of for a host. */
const limitBytes = 1024 * 1024;

/** The ready frame of a piece of text; it depends on nothing but its entry, so all readers share it. */
const textFrame = {
  name: "app-api-text",
  show({ action, serverSeq }: LogEntry): string {
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") return "";
    const stream = action.type === "chat/delta" ? "output" : "thought";
    return formatEvent(textDelta(action.content, stream, action.partId), String(serverSeq));
  },
};

function textOf(run: readonly LogEntry[]): string {
  let text = "";
  for (const entry of run) text += entry.cached(textFrame);
  return text;
}

/** The newest runs of text as bytes. One for all streams of a server. */
export class SharedChunks {
  /** By the first entry of the run, the oldest chunk first. */
  readonly #chunks = new Map<LogEntry, SharedChunk>();
  #sizeBytes = 0;

  /** The bytes of a run of consecutive texts of one turn. */
  bytesOf(run: readonly LogEntry[]): Uint8Array {
    const first = run[0];
    const last = run.at(-1);
    if (first === undefined || last === undefined) return new Uint8Array();
    const known = this.#chunks.get(first);
    if (known?.last === last) return known.bytes;
    const bytes = Buffer.from(textOf(run));
    if (known !== undefined) this.#forget(first, known);
    this.#chunks.set(first, { last, bytes });
    this.#sizeBytes += bytes.length;
    for (const [oldest, chunk] of this.#chunks) {
      if (this.#sizeBytes <= limitBytes) break;
      this.#forget(oldest, chunk);
    }
    return bytes;
  }

  #forget(first: LogEntry, { bytes }: SharedChunk): void {
    this.#chunks.delete(first);
    this.#sizeBytes -= bytes.length;
  }
}
