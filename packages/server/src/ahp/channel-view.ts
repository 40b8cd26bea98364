// Channels as the clients of one dialect see them: each log entry is written out once, for all of them.
import { ChannelProjection, type Dialect, type StateByKind, type WireMessage } from "@holdfast/ahp/dialects";
import type { Hub, LogEntry, LogReader, Projection, Subscription } from "@holdfast/core";
import { readTextFrames, textFrame, textFrames } from "../socket/text-frame.ts";

/** An entry as it is sent: nothing, one message or several. */
export interface WrittenEntry {
  readonly frames: Buffer;
  /** The number of the first message; undefined when none has one. */
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
  /** Whether one of them is the echo that the action's author waits for. */
  readonly hasEcho: boolean;
}

/** Messages that bring a viewer of a terminal up to date, if it fell behind before they were made. */
export interface CatchUp {
  readonly written: WrittenEntry;
  /** The log continues after this entry. */
  readonly afterSeq: number;
  /** The end of the output that it contains. */
  readonly endOffset: number;
}

/** How long a catch-up is kept for others: who falls behind in a flood seldom does so alone. */
const keepCatchUpMs = 1000;

/**
 * Shows the entries of one channel in one dialect. A dialect needs the states around each action, so entries are shown
 * in order and without gaps: the view reads up to the requested entry, and keeps each for all clients.
 */
export class ChannelView {
  readonly uri: string;
  readonly dialect: Dialect;
  readonly #hub: Hub;
  #shown: ChannelProjection;
  #reader: LogReader;
  #written: Projection<WrittenEntry | undefined>;
  #catchUp: CatchUp | undefined;
  #catchUpTimer: NodeJS.Timeout | undefined;

  constructor(hub: Hub, dialect: Dialect, uri: string) {
    this.#hub = hub;
    this.dialect = dialect;
    this.uri = uri;
    const start = hub.subscribe(uri);
    this.#shown = projectionOf(dialect, start);
    this.#reader = start.cursor;
    this.#written = this.#projection();
  }

  /** The entry as it is sent; undefined when the view does not reach back to it, and only a state can stand for it. */
  write(entry: LogEntry): WrittenEntry | undefined {
    if (entry.serverSeq > this.#shown.seq) this.#readTo(entry.serverSeq);
    return entry.cached(this.#written);
  }

  /** Whether its channel is closed: one that is opened later under the same URI is another. */
  get isOver(): boolean {
    return this.#reader.isOver;
  }

  /** The newest catch-up, if it is not long ago. */
  get catchUp(): CatchUp | undefined {
    return this.#catchUp;
  }

  keepCatchUp(catchUp: CatchUp): void {
    this.#catchUp = catchUp;
    clearTimeout(this.#catchUpTimer);
    this.#catchUpTimer = setTimeout(() => (this.#catchUp = undefined), keepCatchUpMs);
    this.#catchUpTimer.unref();
  }

  close(): void {
    this.#reader.close();
    clearTimeout(this.#catchUpTimer);
    this.#catchUp = undefined;
  }

  #readTo(serverSeq: number): void {
    while (this.#shown.seq < serverSeq) {
      const next = this.#reader.peek();
      if (next === "gap") return this.#restart();
      if (typeof next === "string") return;
      next.cached(this.#written);
      this.#reader.take();
    }
  }

  /** Entries were evicted unread: it continues from the present state. */
  #restart(): void {
    this.#reader.close();
    if (!this.#hub.has(this.uri)) return;
    const start = this.#hub.subscribe(this.uri);
    this.#shown = projectionOf(this.dialect, start);
    this.#reader = start.cursor;
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
  const start: StateByKind = snapshot;
  return new ChannelProjection(dialect, start, snapshot.seq);
}

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

/** Whether a message is an action, which has a number; other messages are not repeated. */
export function isNumbered(message: WireMessage): message is NumberedMessage {
  return "serverSeq" in message.params && typeof message.params.serverSeq === "number";
}

export interface NumberedMessage extends WireMessage {
  readonly params: { readonly serverSeq: number };
}

interface SharedView {
  readonly view: ChannelView;
  users: number;
}

export class ChannelViews {
  readonly #hub: Hub;
  readonly #views = new Map<Dialect, Map<string, SharedView>>();
  /** Views of closed channels whose URI is in use again, while somebody has them. */
  readonly #replaced = new Map<ChannelView, SharedView>();

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  get size(): number {
    return [...this.#views.values()].reduce((sum, views) => sum + views.size, 0);
  }

  /** The view of a channel; the caller gives it back. */
  take(dialect: Dialect, uri: string): ChannelView {
    const views = this.#views.get(dialect) ?? new Map<string, SharedView>();
    this.#views.set(dialect, views);
    const known = views.get(uri);
    const isReused = known !== undefined && known.view.isOver && this.#hub.has(uri);
    if (isReused) this.#replaced.set(known.view, known);
    const shared =
      known === undefined || isReused ? { view: new ChannelView(this.#hub, dialect, uri), users: 0 } : known;
    views.set(uri, shared);
    shared.users += 1;
    return shared.view;
  }

  /** Gives a view back; one that nobody uses is closed. */
  giveBack(view: ChannelView): void {
    const views = this.#views.get(view.dialect);
    const current = views?.get(view.uri);
    const shared = current?.view === view ? current : this.#replaced.get(view);
    if (shared === undefined) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    if (shared === current) views?.delete(view.uri);
    this.#replaced.delete(view);
    view.close();
  }
}
