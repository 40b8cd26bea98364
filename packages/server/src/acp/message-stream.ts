// Server-sent events of one ACP connection over HTTP, or of one of its sessions: kept until read, and a little longer.
import type { ServerResponse } from "node:http";
import { EVENT_STREAM_TYPE, HEARTBEAT, HostError } from "@holdfast/protocol";
import type { OpenStreams, StoppableStream } from "../http/open-streams.ts";

export interface MessageStreamParts {
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
  /** Called with the size of a message that was handed to the reader. */
  readonly onSent: (sizeBytes: number) => void;
}

interface Kept {
  readonly id: number;
  readonly frame: string;
}

/** Messages that a reader may have missed when it comes back. */
const keptAfterSending = { messages: 1000, characters: 1024 * 1024 };

const headers = {
  "content-type": `${EVENT_STREAM_TYPE}; charset=utf-8`,
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The messages for one reader at a time. Its connection closes it. */
export class MessageStream implements StoppableStream {
  readonly #parts: MessageStreamParts;
  /** Sent messages that are still kept, then those that wait. */
  readonly #messages: Kept[] = [];
  #keptCharacters = 0;
  /** The index of the first message that waits. */
  #next = 0;
  #lastId = 0;
  #reader: ServerResponse | undefined;
  #isFull = false;
  #isSilent = false;

  constructor(parts: MessageStreamParts) {
    this.#parts = parts;
  }

  get hasReader(): boolean {
    return this.#reader !== undefined;
  }

  /** Whether nobody reads it and nothing waits to be read. */
  get isIdle(): boolean {
    return this.#reader === undefined && this.#next === this.#messages.length;
  }

  append(text: string): void {
    this.#lastId += 1;
    this.#messages.push({ id: this.#lastId, frame: `id: ${this.#lastId}\ndata: ${text}\n\n` });
    this.#pump();
  }

  /** Takes a reader on, after the last message that it has; the reader before it is sent away. */
  attach(reader: ServerResponse, lastEventId: number | undefined): void {
    // It has left while its request was checked, and there will be no close event.
    if (reader.destroyed) return;
    if (lastEventId !== undefined) this.#rewind(lastEventId);
    this.#leave();
    this.#reader = reader;
    this.#isFull = false;
    reader.writeHead(200, headers);
    reader.flushHeaders();
    reader.on("drain", () => {
      if (this.#reader !== reader) return;
      this.#isFull = false;
      this.#pump();
    });
    reader.on("close", () => {
      if (this.#reader === reader) this.#leave();
    });
    // A failed write is followed by the close.
    reader.on("error", () => undefined);
    this.#parts.streams.add(this, this.#parts.heartbeatMs);
    this.#pump();
  }

  beat(): void {
    const wasSilent = this.#isSilent;
    this.#isSilent = true;
    if (wasSilent && !this.#isFull) this.#reader?.write(HEARTBEAT);
  }

  /** The host stops; the reader comes back to the next one. */
  stop(): void {
    this.#leave();
  }

  /** The same: there is no last event either way. */
  disconnect(): void {
    this.#leave();
  }

  close(): void {
    this.#leave();
    this.#messages.length = 0;
  }

  #leave(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#parts.streams.delete(this);
    reader?.end();
  }

  #rewind(lastEventId: number): void {
    const [first] = this.#messages;
    const oldest = first?.id ?? this.#lastId + 1;
    if (lastEventId > this.#lastId || lastEventId < oldest - 1) throw new HostError("EVENTS_LOST");
    this.#next = lastEventId + 1 - oldest;
    this.#keptCharacters = this.#messages
      .slice(0, this.#next)
      .reduce((sum, { frame }) => sum + frame.length, 0);
  }

  #pump(): void {
    while (this.#reader !== undefined && !this.#isFull) {
      const message = this.#messages[this.#next];
      if (message === undefined) break;
      this.#next += 1;
      this.#keptCharacters += message.frame.length;
      this.#isSilent = false;
      this.#isFull = !this.#reader.write(message.frame);
      this.#parts.onSent(message.frame.length);
    }
    this.#forget();
  }

  #forget(): void {
    const { messages, characters } = keptAfterSending;
    while (this.#next > messages || (this.#keptCharacters > characters && this.#next > 0)) {
      this.#keptCharacters -= this.#messages.shift()?.frame.length ?? 0;
      this.#next -= 1;
    }
  }
}
