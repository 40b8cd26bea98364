// The frames of one terminal: its bytes with their offsets, and what happens to it.
import type { TerminalFeed, TerminalReading } from "@holdfast/core";
import { formatEvent, type TerminalEvent } from "@holdfast/protocol";
import type { Chunk, ChunkSource } from "./event-pump.ts";

type SourceState =
  /** Nothing was asked for; who reads next asks. */
  | { readonly kind: "idle" }
  /** The feed is looking; `again` when there may be more than it saw as it began to look. */
  | { readonly kind: "asking"; readonly again: boolean }
  | { readonly kind: "told"; readonly reading: TerminalReading }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "over" };

/** The source of one terminal's stream. The feed is asked for one piece at a time, and only when its reader has room. */
export class TerminalEventSource implements ChunkSource {
  readonly #feed: TerminalFeed;
  readonly #wake: () => void;
  #state: SourceState = { kind: "idle" };

  /** `wake` is called when the feed has given something that was asked for. */
  constructor(feed: TerminalFeed, wake: () => void) {
    this.#feed = feed;
    this.#wake = wake;
  }

  get isOver(): boolean {
    return this.#state.kind === "over";
  }

  next(): Chunk | undefined {
    switch (this.#state.kind) {
      case "idle":
        this.#ask();
        return undefined;
      case "asking":
        this.#state = { kind: "asking", again: true };
        return undefined;
      case "told":
        return this.#tell(this.#state.reading);
      case "failed":
        throw this.#state.error;
      case "over":
        return undefined;
    }
  }

  close(): void {
    this.#feed.close();
  }

  #ask(): void {
    this.#state = { kind: "asking", again: false };
    this.#feed.next().then(
      (reading) => this.#take(reading),
      (error: unknown) => {
        this.#state = { kind: "failed", error };
        this.#wake();
      },
    );
  }

  #take(reading: TerminalReading): void {
    const isToAskAgain = this.#state.kind === "asking" && this.#state.again;
    if (reading.kind === "nothing") {
      this.#state = { kind: "idle" };
      if (isToAskAgain) this.#ask();
      return;
    }
    this.#state = { kind: "told", reading };
    this.#wake();
  }

  #tell(reading: TerminalReading): string {
    this.#state = { kind: reading.kind === "end" ? "over" : "idle" };
    switch (reading.kind) {
      case "output": {
        const { offset, bytes } = reading;
        // The id is where to go on from: the offset of the byte after these (A53).
        const data = { offset, bytes: encodeBase64(bytes) };
        return format({ type: "output", data }, offset + bytes.length);
      }
      case "skipped": {
        const { offset, skippedBytes } = reading;
        return format({ type: "skipped", data: { offset, skippedBytes } }, offset);
      }
      case "resized":
        return format({ type: "resized", data: { cols: reading.cols, rows: reading.rows } });
      case "exited":
        return format({ type: "exited", data: { exit: reading.exit, endOffset: reading.endOffset } });
      case "end":
        return format({ type: "close", data: { success: true } });
      case "nothing":
        return "";
    }
  }
}

function format(event: TerminalEvent, id?: number): string {
  return formatEvent(event, id === undefined ? undefined : String(id));
}

function encodeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
