// Terminals that have ended and left the host: shown from what is kept of them, while somebody looks.
import { type TerminalState, reduceTerminal } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import type { CommandIndex } from "@holdfast/terminal/view";
import type { EntryFeed } from "../channel/entry-feed.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { CommandReplay } from "./command-replay.ts";
import { showContent } from "./terminal-content.ts";
import type { TerminalSubscription, TerminalViewer } from "./terminal-desk.ts";
import { ViewerCursor } from "./viewer-cursor.ts";

/** What finished terminals are read from. */
export interface FinishedTerminalsParts {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  readonly now: () => Date;
}

interface Finished {
  readonly content: readonly TerminalPart[];
  /** The number of the last action that is kept. */
  readonly seq: number;
  readers: number;
  leaving: NodeJS.Timeout | undefined;
}

/** Bytes of a terminal that are kept, without a gap between them. */
interface KeptBytes {
  readonly startOffset: number;
  readonly endOffset: number;
  bytes(from: number, to: number): Uint8Array;
}

/** As much as is in memory of one that runs. */
const tailBytes = 1024 * 1024;
const pageEntries = 500;
/** How long one stays in memory for whoever asked for it. */
const unreadMs = 10_000;

/** The finished terminals that somebody looks at. Nothing is ever written to one. `close` lets go of them. */
export class FinishedTerminals {
  readonly #parts: FinishedTerminalsParts;
  readonly #finished = new Map<string, Finished>();
  readonly #loading = new Map<string, Promise<boolean>>();

  constructor(parts: FinishedTerminalsParts) {
    this.#parts = parts;
  }

  has(uri: string): boolean {
    return this.#finished.has(uri);
  }

  /** Brings one into memory; false when there is none of that URI. */
  load(uri: string): Promise<boolean> {
    let loading = this.#loading.get(uri);
    if (loading === undefined) {
      loading = this.#load(uri).finally(() => this.#loading.delete(uri));
      this.#loading.set(uri, loading);
    }
    return loading;
  }

  subscribe(uri: string, viewer: TerminalViewer): TerminalSubscription | undefined {
    const finished = this.#finished.get(uri);
    const { hub } = this.#parts;
    const state = hub.state(uri, "terminal");
    if (finished === undefined || state === undefined) return undefined;
    const { content } = finished;
    return {
      snapshot: { uri: state.resource, state, content, seq: hub.lastSeq },
      cursor: this.#read(uri, finished, viewer),
    };
  }

  /** A cursor for who has seen its last action; undefined for anyone else. */
  resume(uri: string, afterSeq: number, viewer: TerminalViewer): EntryFeed | undefined {
    const finished = this.#finished.get(uri);
    if (finished === undefined || afterSeq < finished.seq) return undefined;
    return this.#read(uri, finished, viewer);
  }

  close(): void {
    for (const [uri, finished] of this.#finished) this.#letGo(uri, finished);
  }

  async #load(uri: string): Promise<boolean> {
    const { hub, storage, now } = this.#parts;
    // What has just happened to it may not be kept yet.
    await hub.settled();
    if (hub.has(uri)) return hub.state(uri, "terminal") !== undefined;
    const stored = storage.loadChannel(uri);
    if (stored?.kind !== "terminal") return false;
    const kept = await this.#readTail(stored.state);
    if (hub.has(uri)) return true;
    const state = finish(stored.state, kept, now());
    const commands = this.#readCommands(state);
    const { parts: content } = showContent(kept, commands, kept.endOffset);
    hub.restore(uri, "terminal", state);
    const finished: Finished = { content, seq: stored.seq, readers: 0, leaving: undefined };
    this.#finished.set(uri, finished);
    this.#leaveLater(uri, finished);
    return true;
  }

  #read(uri: string, finished: Finished, { onReadable }: TerminalViewer): EntryFeed {
    finished.readers += 1;
    clearTimeout(finished.leaving);
    const { cursor } = this.#parts.hub.subscribe(uri, onReadable);
    return new ViewerCursor(cursor, () => {
      finished.readers -= 1;
      if (finished.readers === 0) this.#letGo(uri, finished);
    });
  }

  #leaveLater(uri: string, finished: Finished): void {
    finished.leaving = setTimeout(() => this.#letGo(uri, finished), unreadMs);
    finished.leaving.unref();
  }

  /** Out of memory it goes, unless somebody else reads its channel: then the next look is later. */
  #letGo(uri: string, finished: Finished): void {
    clearTimeout(finished.leaving);
    if (this.#parts.hub.unload(uri)) this.#finished.delete(uri);
    else this.#leaveLater(uri, finished);
  }

  async #readTail({ resource: uri, output }: TerminalState): Promise<KeptBytes> {
    const { spool } = this.#parts;
    const extent = await spool?.extent(uri);
    const endOffset = extent?.endOffset ?? output.endOffset;
    let startOffset = Math.max(extent?.startOffset ?? endOffset, endOffset - tailBytes);
    let pieces: Uint8Array[] = [];
    for (let offset = startOffset; offset < endOffset;) {
      const slice = await spool?.read(uri, offset, tailBytes);
      if (slice === undefined || slice.bytes.length === 0) break;
      if (slice.startOffset > offset) {
        // Parts are made from what hangs together: only what follows the last gap does.
        pieces = [];
        startOffset = slice.startOffset;
      }
      pieces.push(slice.bytes);
      offset = slice.endOffset;
    }
    const bytes = Buffer.concat(pieces);
    return {
      startOffset,
      endOffset: startOffset + bytes.length,
      bytes: (from, to) => bytes.subarray(from - startOffset, to - startOffset),
    };
  }

  /** The commands as its log tells of them. */
  #readCommands({ resource: uri, output, lifecycle }: TerminalState): CommandIndex {
    const replay = new CommandReplay(output.clearedAtOffset);
    let afterSeq = 0;
    for (;;) {
      const page = this.#parts.storage.readLog(uri, afterSeq, pageEntries);
      for (const { action } of page.entries) replay.take(action);
      const last = page.entries.at(-1);
      if (!page.hasMore || last === undefined) break;
      afterSeq = last.serverSeq;
    }
    const endedAtMs = lifecycle.status === "exited" ? Date.parse(lifecycle.exitedAt) : 0;
    replay.index.end(output.endOffset, endedAtMs);
    return replay.index;
  }
}

/** The state of a terminal that runs no more, with the offsets of what is kept of it. */
function finish(state: TerminalState, { startOffset, endOffset }: KeptBytes, now: Date): TerminalState {
  // Nothing changes when it is known how it ended.
  const ended = reduceTerminal(state, {
    type: "terminal/exited",
    exitedAt: now.toISOString(),
    exit: { kind: "unknown", reason: "The host was stopped" },
  });
  return { ...ended, output: { ...ended.output, endOffset, skippedBytes: startOffset } };
}
