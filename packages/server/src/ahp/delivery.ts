// Sends one client what happens on the channels it follows: in the host's order, at the client's own pace.
import { type WireMessage, wireSeq, wireSeqAfter } from "@holdfast/ahp/dialects";
import { earliest, type LogEntry, type NoEntry, type TerminalSubscriptions } from "@holdfast/core";
import { catchUp, type CatchUpParts } from "./catch-up.ts";
import {
  isNumbered,
  type NumberedMessage,
  readMessages,
  writeMessages,
  type WrittenEntry,
} from "./channel-view.ts";
import type { ChannelSource } from "./channel-source.ts";
import { CALM_BYTES, type SocketWriter, ROOM_BYTES } from "../socket/socket-writer.ts";

export interface DeliveryParts extends CatchUpParts {
  readonly terminals: Pick<TerminalSubscriptions, "load">;
  readonly socket: SocketWriter;
  /** An entry was written, or will never be: the author of the action may be this client. */
  readonly onWritten: (entry: LogEntry, written: WrittenEntry) => void;
  /** A channel is left for a while, so nothing of it will be written until it is caught up. */
  readonly onLeft: (uri: string) => void;
  /** A channel is no more, and nobody uses its source. */
  readonly onClosed: (source: ChannelSource) => void;
  /** The client is too slow for what must not be left out. */
  readonly onOverflow: () => void;
}

/** A message of no log. */
interface HeldMessage {
  readonly channel: unknown;
  readonly written: WrittenEntry;
}

/** Above this, a client is too slow for messages that no log keeps. */
const HELD_BYTES = 1024 * 1024;

/**
 * Delivers to one client.
 *
 * Entries of all channels go out in the order of their numbers, because a client that comes back names one number for
 * all of them (E74). What does not fit stays in its log. A terminal of which too much stays behind is left out until
 * the client has read the rest, so that a flood keeps nothing else waiting (E83).
 */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #sources = new Map<string, ChannelSource>();
  /** Sources whose state is in the response being made: nothing of them is written before it. */
  readonly #fresh = new Set<ChannelSource>();
  readonly #ready = new Set<ChannelSource>();
  /** Terminals that are skipped until the socket has capacity, longest first. */
  readonly #left = new Set<ChannelSource>();
  /** Terminals that were over when they were to be caught up. */
  readonly #loaded = new WeakSet<ChannelSource>();
  /** The number up to which terminals were caught up: a client that has seen less has not seen them whole. */
  readonly #caughtUp = new Map<string, number>();
  /** Messages that wait until the socket has capacity, in their order. */
  #held: HeldMessage[] = [];
  #heldBytes = 0;
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

  /** A state was sent up to this number: later responses are not older (E324). */
  noteSnapshot(fromSeq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, fromSeq);
  }

  /** Whether entries of a channel reach this client in its log's order. */
  isFollowing(uri: string): boolean {
    const source = this.#sources.get(uri);
    return source !== undefined && !this.#left.has(source);
  }

  feed(uri: string): ChannelSource | undefined {
    return this.#sources.get(uri);
  }

  get feeds(): readonly ChannelSource[] {
    return [...this.#sources.values()];
  }

  /**
   * The number since which a client has seen each channel whole. A client that has seen less may lack output of a
   * terminal that is in no log; of a terminal that is left out, every client does.
   */
  wholeSince(): ReadonlyMap<string, number> {
    const since = new Map<string, number>();
    for (const source of this.#sources.values()) {
      const isLeft = this.#left.has(source);
      since.set(source.uri, isLeft ? Number.POSITIVE_INFINITY : (this.#caughtUp.get(source.uri) ?? 0));
    }
    return since;
  }

  /** Takes a source on; `left` says that it has to be caught up first. */
  add(source: ChannelSource, { left = false }: { readonly left?: boolean } = {}): void {
    this.#sources.set(source.uri, source);
    this.#caughtUp.delete(source.uri);
    if (left) this.#left.add(source);
    else this.#fresh.add(source);
    this.schedule();
  }

  remove(uri: string): ChannelSource | undefined {
    const source = this.#sources.get(uri);
    if (source === undefined) return undefined;
    this.#sources.delete(uri);
    this.#fresh.delete(source);
    this.#ready.delete(source);
    this.#left.delete(source);
    source.leave();
    return source;
  }

  wake(uri: string): void {
    const source = this.#sources.get(uri);
    if (source === undefined || this.#left.has(source) || this.#fresh.has(source)) return;
    this.#ready.add(source);
    this.schedule();
  }

  /** All that was written has left. */
  drained(): void {
    if (this.#isBlocked) this.#leaveFloods();
    this.#isBlocked = false;
    this.schedule();
  }

  /** Deferred with `setImmediate`: runs after the response to the current request, and once for all sources that woke. */
  schedule(): void {
    if (this.#isScheduled || this.#isBlocked || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isClosed) return;
      this.#admitFresh();
      this.#parts.socket.together(() => this.#pump());
    });
  }

  /** Writes everything that is ready, regardless of capacity: the next response comes after it. */
  flush(): void {
    this.#parts.socket.together(() => {
      while (this.#writeNext());
    });
  }

  /** Reads all there is without writing it; undefined when only states can stand for some of it. */
  collect(isWanted: (source: ChannelSource, message: NumberedMessage) => boolean): WireMessage[] | undefined {
    const messages: WireMessage[] = [];
    this.#isCollecting = true;
    this.#admitFresh();
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      const { source, written } = next;
      messages.push(
        ...readMessages(written)
          .filter(isNumbered)
          .filter((message) => isWanted(source, message)),
      );
      this.#lastSeq = Math.max(this.#lastSeq, written.lastSeq ?? 0);
    }
    this.#isCollecting = false;
    return this.#hasOverflowed ? undefined : messages;
  }

  /** Sends messages that a request asks for to this client alone, after all that came before them, regardless of capacity. */
  sendNow(messages: readonly WireMessage[]): void {
    this.flush();
    this.#write(writeMessages(messages));
  }

  /** Sends a message that no log keeps to this client alone. It waits for capacity, and for the entries before it. */
  send(message: WireMessage): void {
    const { params } = message;
    const held = { channel: "channel" in params && params.channel, written: writeMessages([message]) };
    this.#held.push(held);
    this.#heldBytes += held.written.frames.length;
    const { socket, onOverflow } = this.#parts;
    if (!this.#isBlocked) {
      socket.together(() => {
        while (this.#held.length > 0 && socket.hasRoom) this.#writeNext();
      });
    }
    if (this.#held.length === 0) return;
    this.#isBlocked = true;
    // A single message may be larger.
    if (this.#held.length === 1 || this.#heldBytes <= HELD_BYTES) return;
    this.#dropHeld(() => true);
    onOverflow();
  }

  /** Drops what waits to be sent on a channel that is no longer followed. */
  drop(channel: string): void {
    this.#dropHeld((held) => held.channel === channel);
  }

  close(): void {
    this.#isClosed = true;
    this.#dropHeld(() => true);
    for (const source of this.#sources.values()) source.leave();
    this.#fresh.clear();
    this.#ready.clear();
  }

  #admitFresh(): void {
    for (const source of this.#fresh) this.#ready.add(source);
    this.#fresh.clear();
  }

  #pump(): void {
    const { socket } = this.#parts;
    while (socket.hasRoom && this.#writeNext());
    if (!socket.hasRoom) this.#isBlocked = true;
    else if (this.#ready.size === 0 && socket.waitingBytes < CALM_BYTES) this.#catchUp();
  }

  #writeNext(): boolean {
    if (this.#writeHeld()) return true;
    const next = this.#takeNext();
    if (next === undefined) return false;
    const { entry, written } = next;
    this.#write(written);
    this.#parts.onWritten(entry, written);
    return true;
  }

  /** Writes the message that waits longest, unless an entry comes before it. */
  #writeHeld(): boolean {
    const [held] = this.#held;
    if (held === undefined) return false;
    const { firstSeq = 0 } = held.written;
    const next = this.#earliest()?.peek() ?? "nothing";
    const nextSeq = typeof next === "string" ? undefined : wireSeq(this.#parts.dialect, next.serverSeq, 0);
    if (nextSeq !== undefined && nextSeq < firstSeq) return false;
    this.#held.shift();
    this.#heldBytes -= held.written.frames.length;
    this.#write(held.written);
    return true;
  }

  #write({ frames, lastSeq = 0 }: WrittenEntry): void {
    this.#parts.socket.write(frames);
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq);
  }

  #dropHeld(isDropped: (held: HeldMessage) => boolean): void {
    this.#held = this.#held.filter((held) => !isDropped(held));
    this.#heldBytes = this.#held.reduce((sum, { written }) => sum + written.frames.length, 0);
  }

  #takeNext():
    | { readonly source: ChannelSource; readonly entry: LogEntry; readonly written: WrittenEntry }
    | undefined {
    for (let source = this.#earliest(); source !== undefined; source = this.#earliest()) {
      const entry = source.peek();
      if (typeof entry === "string") continue;
      const written = source.view.write(entry);
      if (written !== undefined) {
        source.take();
        return { source, entry, written };
      }
      this.#lose(source);
    }
    return undefined;
  }

  #earliest(): ChannelSource | undefined {
    return earliest(this.#ready, this.#noteNone);
  }

  readonly #noteNone = (source: ChannelSource, why: NoEntry): void => {
    this.#ready.delete(source);
    if (why === "gap") this.#lose(source);
    if (why === "closed") this.#end(source);
  };

  /** Entries are gone that this client has not seen: a terminal can be caught up, nothing else can. */
  #lose(source: ChannelSource): void {
    if (source.kind === "terminal") return this.#leave(source);
    this.#ready.clear();
    this.#hasOverflowed = true;
    if (!this.#isCollecting) this.#parts.onOverflow();
  }

  #end(source: ChannelSource): void {
    this.remove(source.uri);
    this.#parts.onClosed(source);
  }

  /** The client was not fast enough: terminals that wrote much meanwhile are left out, the rest comes in order. */
  #leaveFloods(): void {
    for (const source of this.#sources.values()) {
      if (source.kind !== "terminal" || this.#left.has(source)) continue;
      const endOffset = this.#parts.hub.state(source.uri, "terminal")?.output.endOffset ?? 0;
      if (endOffset - source.sentOffset > ROOM_BYTES) this.#leave(source);
    }
  }

  #leave(source: ChannelSource): void {
    source.leave();
    this.#ready.delete(source);
    this.#left.add(source);
    this.#parts.onLeft(source.uri);
    this.schedule();
  }

  /** Sends the screen of the terminal that was skipped longest; the next terminal follows once the socket has capacity. */
  #catchUp(): void {
    const [source] = this.#left;
    if (source === undefined) return;
    this.#left.delete(source);
    const caughtUp = catchUp(source, this.#lastSeq, this.#parts, () => this.wake(source.uri));
    if (caughtUp === undefined) return this.#load(source);
    const { sent, reader } = caughtUp;
    this.#write(sent.written);
    this.#caughtUp.set(source.uri, this.#lastSeq);
    source.resume(reader);
    source.sentOffset = sent.endOffset;
    this.#ready.add(source);
    this.schedule();
  }

  /** The terminal is over and was unloaded meanwhile: what is stored of it is sent (E112). */
  #load(source: ChannelSource): void {
    if (this.#loaded.has(source)) return this.#end(source);
    this.#loaded.add(source);
    const goOn = (isThere: boolean): void => {
      if (this.#isClosed || this.#sources.get(source.uri) !== source) return;
      if (!isThere) return this.#end(source);
      this.#left.add(source);
      this.schedule();
    };
    this.#parts.terminals.load(source.uri).then(goOn, () => goOn(false));
  }
}
