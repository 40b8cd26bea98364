// A channel as the clients of one dialect see it: each entry of its log is written out once, for all of them.
import type { Cursor, Hub, LogEntry, Projection, Subscription } from "@holdfast/core";
import { ChannelProjection, type Dialect, type KindedState, type WireMessage } from "@holdfast/ahp/dialects";
import { readTextFrames, textFrame, textFrames } from "./text-frame.ts";

/** An entry as it is sent: nothing, one message or several. */
export interface WrittenEntry {
  /** WebSocket frames, one after another. */
  readonly frames: Buffer;
  /** The number of the first message; undefined when none has one. */
  readonly firstSeq: number | undefined;
  /** The number of the last one. */
  readonly lastSeq: number | undefined;
  /** Whether one of them is the echo that the action's author waits for. */
  readonly hasEcho: boolean;
}

/** What brings any viewer of a terminal up to date who fell behind before it was made. */
export interface CatchUp {
  readonly written: WrittenEntry;
  /** The log goes on after this entry. */
  readonly afterSeq: number;
  /** Up to which byte of the output it tells. */
  readonly endOffset: number;
}

/** How long a catch-up is kept for others: who falls behind in a flood seldom does so alone. */
const keepCatchUpMs = 1000;

/**
 * Shows the entries of one channel in one dialect.
 *
 * A dialect needs the states around each action, so entries are shown in their order and none is left out: whoever asks
 * for one makes the view read on to it, and finds there what others have asked for before.
 */
export class ChannelView {
  readonly uri: string;
  readonly dialect: Dialect;
  readonly #hub: Hub;
  #shown: ChannelProjection;
  #cursor: Cursor;
  #written: Projection<WrittenEntry | undefined>;
  #catchUp: CatchUp | undefined;
  #catchUpTimer: NodeJS.Timeout | undefined;

  constructor(hub: Hub, dialect: Dialect, uri: string) {
    this.#hub = hub;
    this.dialect = dialect;
    this.uri = uri;
    const start = hub.subscribe(uri);
    this.#shown = projectionOf(dialect, start);
    this.#cursor = start.cursor;
    this.#written = this.#projection();
  }

  /** The entry as it is sent; undefined when the view does not reach back to it, and only a state can stand for it. */
  write(entry: LogEntry): WrittenEntry | undefined {
    if (entry.serverSeq > this.#shown.seq) this.#readTo(entry.serverSeq);
    return entry.cached(this.#written);
  }

  /** The newest catch-up, if it is not long ago. */
  get catchUp(): CatchUp | undefined {
    return this.#catchUp;
  }

  /** Keeps a catch-up for a moment. */
  keepCatchUp(catchUp: CatchUp): void {
    this.#catchUp = catchUp;
    clearTimeout(this.#catchUpTimer);
    this.#catchUpTimer = setTimeout(() => (this.#catchUp = undefined), keepCatchUpMs);
    this.#catchUpTimer.unref();
  }

  close(): void {
    this.#cursor.close();
    clearTimeout(this.#catchUpTimer);
    this.#catchUp = undefined;
  }

  #readTo(serverSeq: number): void {
    while (this.#shown.seq < serverSeq) {
      const reading = this.#cursor.read();
      if (reading.kind === "closed") return;
      if (reading.kind === "gap") {
        this.#restart();
        return;
      }
      if (reading.entries.length === 0) return;
      for (const entry of reading.entries) entry.cached(this.#written);
    }
  }

  /** Nobody asked for so long that entries are gone: it goes on from the state as it is now. */
  #restart(): void {
    this.#cursor.close();
    if (!this.#hub.has(this.uri)) return;
    const start = this.#hub.subscribe(this.uri);
    this.#shown = projectionOf(this.dialect, start);
    this.#cursor = start.cursor;
    this.#written = this.#projection();
  }

  #projection(): Projection<WrittenEntry | undefined> {
    const shown = this.#shown;
    return {
      name: shown.name,
      show: (entry) => {
        const messages = shown.show(entry);
        return messages && writeMessages(messages);
      },
    };
  }
}

function projectionOf(dialect: Dialect, { snapshot }: Subscription): ChannelProjection {
  // The snapshot's own fields beside the state do no harm.
  const start: KindedState = snapshot;
  return new ChannelProjection(dialect, start, snapshot.seq);
}

/** Writes messages out as frames. */
export function writeMessages(messages: readonly WireMessage[]): WrittenEntry {
  return {
    frames: textFrames(messages.map(textOf)),
    firstSeq: messages.find(isNumbered)?.params.serverSeq,
    lastSeq: messages.findLast(isNumbered)?.params.serverSeq,
    hasEcho: messages.some(({ params }) => "origin" in params),
  };
}

/** The messages again; few ask for them, so that they are not kept beside the frames. */
export function readMessages({ frames }: WrittenEntry): WireMessage[] {
  return readTextFrames(frames).map((text) => {
    const { method, params } = JSON.parse(text) as WireMessage;
    return { method, params };
  });
}

/** A notification as one frame. */
export function frameOf(message: WireMessage): Buffer {
  return textFrame(textOf(message));
}

function textOf({ method, params }: WireMessage): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** Whether a message is an action, which has a number; of the rest, nothing is told again. */
export function isNumbered(message: WireMessage): message is NumberedMessage {
  return "serverSeq" in message.params && typeof message.params.serverSeq === "number";
}

/** A message with a number. */
export interface NumberedMessage extends WireMessage {
  readonly params: { readonly serverSeq: number };
}
