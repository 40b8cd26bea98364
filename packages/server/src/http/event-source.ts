// The frames of one turn, or of all turns of a session, made from their actions as a reader asks for them.
import type { Action, TurnId } from "@holdfast/ahp";
import type { LogEntry } from "@holdfast/core";
import { formatEvent, type TurnEvent } from "@holdfast/protocol";
import type { Chunk, ChunkSource } from "./event-pump.ts";
import { textFrame, textOf, type SharedChunks } from "./shared-chunks.ts";
import { endWithCode } from "./turn-events.ts";
import type { TurnReader } from "./turn-reader.ts";

/** What makes events of actions, given in their order. */
export interface EventProjection {
  /** The turn that is being told; its text needs no projection. */
  readonly turnId: TurnId | undefined;
  /** Whether nothing comes after what was told. */
  readonly isOver: boolean;
  /** Whether nothing is left to wait for once everything was read. */
  readonly isIdle: boolean;
  project(action: Action): readonly TurnEvent[];
}

/** What the frames are made from. */
export interface EventSourceParts {
  readonly reader: TurnReader;
  readonly projection: EventProjection;
  readonly chunks: SharedChunks;
  /** Entries up to this number are known: they are read to understand the rest, and not told (A46). */
  readonly after?: number;
}

/** Events in one chunk at most. */
const eventsPerChunk = 256;
/** Characters after which a chunk takes no further event. */
const charactersPerChunk = 64 * 1024;
/** Entries that are read for one chunk at most: those that give no event cost time too. */
const entriesPerChunk = 1024;

/** The source of one event stream. */
export class TurnEventSource implements ChunkSource {
  readonly #parts: EventSourceParts;
  readonly #after: number;
  #isOver = false;

  constructor(parts: EventSourceParts) {
    this.#parts = parts;
    this.#after = parts.after ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  next(): Chunk | undefined {
    const { reader, projection, chunks } = this.#parts;
    const run: LogEntry[] = [];
    let text = "";
    let events = 0;
    let characters = 0;
    let entries = 0;
    while (events < eventsPerChunk && characters < charactersPerChunk && entries < entriesPerChunk) {
      const reading = reader.next();
      if (reading.kind !== "entry") {
        const ending = this.#endOf(reading.kind);
        if (ending !== "") text += textOf(run.splice(0)) + ending;
        else if (events === 0) return undefined;
        break;
      }
      entries += 1;
      const { entry } = reading;
      const isNews = entry.serverSeq > this.#after;
      if (this.#isTextOfTurn(entry)) {
        if (!isNews) continue;
        run.push(entry);
        events += 1;
        characters += entry.cached(textFrame).length;
        continue;
      }
      const told = projection.project(entry.action);
      if (isNews && told.length > 0) {
        const frames = formatEntry(told, entry.serverSeq);
        text += textOf(run.splice(0)) + frames;
        events += told.length;
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
    this.#parts.reader.close();
  }

  /** The hot path. */
  #isTextOfTurn({ action }: LogEntry): boolean {
    return (
      (action.type === "chat/delta" || action.type === "chat/reasoning") &&
      action.turnId === this.#parts.projection.turnId
    );
  }

  /** What is told when there is no entry: nothing where one may still come, or none was missed. */
  #endOf(kind: "nothing" | "gap" | "closed"): string {
    const { isIdle, turnId } = this.#parts.projection;
    if (kind === "nothing" && !isIdle) return "";
    this.#isOver = true;
    if (kind === "nothing" || (kind === "closed" && turnId === undefined)) return "";
    return endWithCode(kind === "gap" ? "EVENTS_LOST" : "ACP_SESSION_NOT_FOUND")
      .map((event) => formatEvent(event))
      .join("");
  }
}

/** The id stands on the last frame of an entry: whoever has seen it has seen all of the entry (A25). */
function formatEntry(events: readonly TurnEvent[], serverSeq: number): string {
  return events
    .map((event, index) => formatEvent(event, index === events.length - 1 ? String(serverSeq) : undefined))
    .join("");
}
