// The ready bytes of runs of text, made once for all readers who come by the same place.
import type { LogEntry } from "@holdfast/core";
import { formatEvent, textDelta } from "@holdfast/protocol";

interface SharedChunk {
  readonly last: LogEntry;
  readonly bytes: Uint8Array;
}

/** How much is kept: enough for readers who are close to one another, nothing to speak of for a host. */
const limitBytes = 1024 * 1024;

/** The ready frame of a piece of text; it depends on nothing but its entry, so all readers share it. */
export const textFrame = {
  name: "app-api-text",
  show({ action, serverSeq }: LogEntry): string {
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") return "";
    const stream = action.type === "chat/delta" ? "output" : "thought";
    return formatEvent(textDelta(action.content, stream, action.partId), String(serverSeq));
  },
};

/** The text of a run of entries. */
export function textOf(run: readonly LogEntry[]): string {
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
