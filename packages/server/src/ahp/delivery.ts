// Sends one client what happens on the channels it follows: in the host's order, at the client's own pace.
import type { LogEntry, TerminalDesk } from "@holdfast/core";
import { wireSeqAfter, type WireMessage } from "@holdfast/ahp/dialects";
import { catchUp, type CatchUpParts } from "./catch-up.ts";
import {
  isNumbered,
  readMessages,
  writeMessages,
  type NumberedMessage,
  type WrittenEntry,
} from "./channel-view.ts";
import type { Feed } from "./feed.ts";
import { ROOM_BYTES, type Outlet } from "./outlet.ts";

/** What a delivery needs of its connection. */
export interface DeliveryParts extends CatchUpParts {
  readonly terminals: TerminalDesk;
  readonly outlet: Outlet;
  /** An entry was written, or will never be: the author of the action may be this client. */
  readonly onWritten: (entry: LogEntry, written: WrittenEntry) => void;
  /** A channel is left for a while, so nothing of it will be written until it is caught up. */
  readonly onLeft: (uri: string) => void;
  /** A channel is no more, and nobody uses its feed. */
  readonly onClosed: (feed: Feed) => void;
  /** The client is too slow for what must not be left out. */
  readonly onOverflow: () => void;
}

/** Below this the client is fast enough to be told again what a terminal shows. */
const calmBytes = 64 * 1024;

/**
 * Delivers to one client.
 *
 * Entries of all channels go out in the order of their numbers, because a client that comes back names one number for
 * all of them (E80). What does not fit stays in its log. A terminal of which too much stays behind is left out until
 * the client has read the rest, so that a flood keeps nothing else waiting (E83).
 */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #feeds = new Map<string, Feed>();
  /** Feeds whose state is told by the answer that is being made: nothing of them is written before it. */
  readonly #fresh = new Set<Feed>();
  /** Feeds that may have something to read. */
  readonly #ready = new Set<Feed>();
  /** Terminals that are left out until there is room, longest first. */
  readonly #left = new Set<Feed>();
  /** Terminals that were over when they were to be caught up. */
  readonly #loaded = new WeakSet<Feed>();
  /** Up to which number terminals were caught up: whoever has seen less has not seen them whole. */
  readonly #caughtUp = new Map<string, number>();
  #lastSeq: number;
  #isScheduled = false;
  #isBlocked = false;
  #isClosed = false;
  #isCollecting = false;
  #hasOverflowed = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#lastSeq = wireSeqAfter(parts.dialect, parts.hub.lastSeq);
  }

  /** The number of the last message that was written: no answer claims more. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Whether entries of a channel reach this client in its log's order. */
  isFollowing(uri: string): boolean {
    const feed = this.#feeds.get(uri);
    return feed !== undefined && !this.#left.has(feed);
  }

  feed(uri: string): Feed | undefined {
    return this.#feeds.get(uri);
  }

  get feeds(): readonly Feed[] {
    return [...this.#feeds.values()];
  }

  /**
   * From which number on a client has seen each channel whole; who has seen less may have missed something of a terminal
   * that its log does not tell, and of one that is left out so has everybody.
   */
  wholeSince(): ReadonlyMap<string, number> {
    const since = new Map<string, number>();
    for (const feed of this.#feeds.values()) {
      const isLeft = this.#left.has(feed);
      since.set(feed.uri, isLeft ? Number.POSITIVE_INFINITY : (this.#caughtUp.get(feed.uri) ?? 0));
    }
    return since;
  }

  /** Takes a feed on; `left` says that it has to be caught up first. */
  add(feed: Feed, { left = false }: { readonly left?: boolean } = {}): void {
    this.#feeds.set(feed.uri, feed);
    this.#caughtUp.delete(feed.uri);
    if (left) this.#left.add(feed);
    else this.#fresh.add(feed);
    this.schedule();
  }

  /** Lets a feed go. */
  remove(uri: string): Feed | undefined {
    const feed = this.#feeds.get(uri);
    if (feed === undefined) return undefined;
    this.#feeds.delete(uri);
    this.#fresh.delete(feed);
    this.#ready.delete(feed);
    this.#left.delete(feed);
    feed.leave();
    return feed;
  }

  /** There is something to read. */
  wake(uri: string): void {
    const feed = this.#feeds.get(uri);
    if (feed === undefined || this.#left.has(feed) || this.#fresh.has(feed)) return;
    this.#ready.add(feed);
    this.schedule();
  }

  /** All that was written has left. */
  drained(): void {
    if (this.#isBlocked) this.#leaveFloods();
    this.#isBlocked = false;
    this.schedule();
  }

  /** Later in this turn of the loop: after the answer to whatever is being handled now, and once for all that woke. */
  schedule(): void {
    if (this.#isScheduled || this.#isBlocked || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isClosed) return;
      this.#admitFresh();
      this.#parts.outlet.together(() => this.#pump());
    });
  }

  /** Writes all there is to read, room or not: what is answered next comes after it. */
  flush(): void {
    this.#parts.outlet.together(() => {
      while (this.#writeNext());
    });
  }

  /** Reads all there is without writing it; undefined when only states can stand for some of it. */
  collect(isWanted: (feed: Feed, message: NumberedMessage) => boolean): WireMessage[] | undefined {
    const messages: WireMessage[] = [];
    this.#isCollecting = true;
    this.#admitFresh();
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      const { feed, written } = next;
      messages.push(
        ...readMessages(written)
          .filter(isNumbered)
          .filter((message) => isWanted(feed, message)),
      );
      this.#lastSeq = Math.max(this.#lastSeq, written.lastSeq ?? 0);
    }
    this.#isCollecting = false;
    return this.#hasOverflowed ? undefined : messages;
  }

  /** Sends messages that this client alone is told, after all that came before them. */
  tell(messages: readonly WireMessage[]): void {
    this.flush();
    const { frames, lastSeq } = writeMessages(messages);
    this.#parts.outlet.write(frames);
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq ?? 0);
  }

  close(): void {
    this.#isClosed = true;
    for (const feed of this.#feeds.values()) feed.leave();
    this.#fresh.clear();
    this.#ready.clear();
  }

  #admitFresh(): void {
    for (const feed of this.#fresh) this.#ready.add(feed);
    this.#fresh.clear();
  }

  #pump(): void {
    const { outlet } = this.#parts;
    while (outlet.hasRoom && this.#writeNext());
    if (!outlet.hasRoom) this.#isBlocked = true;
    else if (this.#ready.size === 0 && outlet.waitingBytes < calmBytes) this.#catchUp();
  }

  #writeNext(): boolean {
    const next = this.#takeNext();
    if (next === undefined) return false;
    const { entry, written } = next;
    this.#parts.outlet.write(written.frames);
    if (written.lastSeq !== undefined) this.#lastSeq = written.lastSeq;
    this.#parts.onWritten(entry, written);
    return true;
  }

  #takeNext(): { readonly feed: Feed; readonly entry: LogEntry; readonly written: WrittenEntry } | undefined {
    for (let next = this.#earliest(); next !== undefined; next = this.#earliest()) {
      const { feed, entry } = next;
      const written = feed.view.write(entry);
      if (written !== undefined) {
        feed.take();
        return { feed, entry, written };
      }
      this.#lose(feed);
    }
    return undefined;
  }

  /** The entry with the lowest number of all that can be read. */
  #earliest(): { readonly feed: Feed; readonly entry: LogEntry } | undefined {
    let earliest: { readonly feed: Feed; readonly entry: LogEntry } | undefined;
    for (const feed of this.#ready) {
      const next = feed.peek();
      if (next.kind === "entry") {
        if (earliest === undefined || next.entry.serverSeq < earliest.entry.serverSeq) {
          earliest = { feed, entry: next.entry };
        }
        continue;
      }
      this.#ready.delete(feed);
      if (next.kind === "gap") this.#lose(feed);
      if (next.kind === "closed") this.#end(feed);
    }
    return earliest;
  }

  /** Entries are gone that this client has not seen: a terminal can be caught up, nothing else can. */
  #lose(feed: Feed): void {
    if (feed.kind === "terminal") return this.#leave(feed);
    this.#ready.clear();
    this.#hasOverflowed = true;
    if (!this.#isCollecting) this.#parts.onOverflow();
  }

  #end(feed: Feed): void {
    this.remove(feed.uri);
    this.#parts.onClosed(feed);
  }

  /** The client was not fast enough: terminals that wrote much meanwhile are left out, the rest comes in order. */
  #leaveFloods(): void {
    for (const feed of this.#feeds.values()) {
      if (feed.kind !== "terminal" || this.#left.has(feed)) continue;
      const endOffset = this.#parts.hub.state(feed.uri, "terminal")?.output.endOffset ?? 0;
      if (endOffset - feed.toldOffset > ROOM_BYTES) this.#leave(feed);
    }
  }

  #leave(feed: Feed): void {
    feed.leave();
    this.#ready.delete(feed);
    this.#left.add(feed);
    this.#parts.onLeft(feed.uri);
    this.schedule();
  }

  /** Tells what the terminal shows that was left out longest; the next one's turn comes when there is room again. */
  #catchUp(): void {
    const [feed] = this.#left;
    if (feed === undefined) return;
    this.#left.delete(feed);
    const caughtUp = catchUp(feed, this.#lastSeq, this.#parts, () => this.wake(feed.uri));
    if (caughtUp === undefined) return this.#load(feed);
    const { told, cursor } = caughtUp;
    this.#parts.outlet.write(told.written.frames);
    this.#lastSeq = Math.max(this.#lastSeq, told.written.lastSeq ?? 0);
    this.#caughtUp.set(feed.uri, this.#lastSeq);
    feed.goOn(cursor);
    feed.toldOffset = told.endOffset;
    this.#ready.add(feed);
    this.schedule();
  }

  /** The terminal is over and was let go of meanwhile: what is kept of it is told (E112). */
  #load(feed: Feed): void {
    if (this.#loaded.has(feed)) return this.#end(feed);
    this.#loaded.add(feed);
    const goOn = (isThere: boolean): void => {
      if (this.#isClosed || this.#feeds.get(feed.uri) !== feed) return;
      if (!isThere) return this.#end(feed);
      this.#left.add(feed);
      this.schedule();
    };
    this.#parts.terminals.load(feed.uri).then(goOn, () => goOn(false));
  }
}
