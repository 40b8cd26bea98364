// A sink for tests: keeps what was written and can be made to say that it is full.
import type { MessageSink } from "../outbox.ts";
import type { MessageChunks } from "../wire.ts";

const decoder = new TextDecoder();

/** Keeps every message as it was written. */
export class RecordingSink implements MessageSink {
  readonly writes: MessageChunks[] = [];
  isFull = false;
  isClosed = false;
  #drain: () => void = () => undefined;

  write(chunks: MessageChunks): boolean {
    this.writes.push(chunks);
    return !this.isFull;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Announces that the sink takes more. */
  drain(): void {
    this.isFull = false;
    this.#drain();
  }

  /** The messages written so far, as text. */
  get texts(): string[] {
    return this.writes.map((chunks) =>
      chunks.map((chunk) => (typeof chunk === "string" ? chunk : decoder.decode(chunk))).join(""),
    );
  }

  /** The messages written so far, parsed. */
  get messages(): unknown[] {
    return this.texts.map((text) => JSON.parse(text) as unknown);
  }
}
