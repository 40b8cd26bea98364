// Terminals that have ended and left the host: shown from what is kept of them, while somebody looks.
import { type TerminalState, reduceTerminal } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import type { CommandIndex } from "@holdfast/terminal/view";
import type { LogReader } from "../channel/log-reader.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { claimAfterExit } from "../rules/terminal-rules.ts";
import { CommandReplay } from "./command-replay.ts";
import { showContent } from "./terminal-content.ts";
import type { TerminalSubscription, TerminalViewer } from "./terminal-subscriptions.ts";

/** Dependencies of the finished terminals. */
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
  /** Bytes directly before and after them that could not be written. */
  readonly lostBefore: number;
  readonly lostAfter: number;
  bytes(from: number, to: number): Uint8Array;
}

/** As much as a running terminal has in memory. */
const tailBytes = 1024 * 1024;
const pageEntries = 500;
/** How long one stays in memory for a client that asked for it. */
const unreadMs = 10_000;

/** The finished terminals that somebody looks at. Nothing is ever written to one. `close` unloads them. */
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

  /** Loads one into memory; false when there is none of that URI. */
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

  /** A cursor for a client that has seen its last action; undefined for any other. */
  resume(uri: string, afterSeq: number, viewer: TerminalViewer): LogReader | undefined {
    const finished = this.#finished.get(uri);
    if (finished === undefined || afterSeq < finished.seq) return undefined;
    return this.#read(uri, finished, viewer);
  }

  /** Removes one for good, because its URI is used again; its readers are notified that it is over. */
  forget(uri: string): void {
    const finished = this.#finished.get(uri);
    if (finished === undefined) return;
    clearTimeout(finished.leaving);
    this.#finished.delete(uri);
    this.#parts.hub.close(uri);
  }

  close(): void {
    for (const [uri, finished] of this.#finished) this.#unload(uri, finished);
  }

  async #load(uri: string): Promise<boolean> {
    const { hub, storage, now } = this.#parts;
    // Its last changes may not be kept yet; while the storage cannot be written, what is kept is shown (D260).
    await hub.settled().catch(() => undefined);
    if (hub.has(uri)) return hub.state(uri, "terminal") !== undefined;
    const stored = storage.loadChannel(uri);
    if (stored?.kind !== "terminal") return false;
    const kept = await this.#readTail(stored.state);
    if (hub.has(uri)) return true;
    const state = finish(stored.state, kept, now());
    const commands = this.#readCommands(state);
    const { parts } = showContent(kept, commands, kept.endOffset);
    const content = [...noteLoss(kept.lostBefore), ...parts, ...noteLoss(kept.lostAfter)];
    hub.restore(uri, "terminal", state);
    const finished: Finished = { content, seq: stored.seq, readers: 0, leaving: undefined };
    this.#finished.set(uri, finished);
    this.#leaveLater(uri, finished);
    return true;
  }

  #read(uri: string, finished: Finished, { onReadable }: TerminalViewer): LogReader {
    finished.readers += 1;
    clearTimeout(finished.leaving);
    const { cursor } = this.#parts.hub.subscribe(uri, onReadable);
    return cursor.onClosed(() => {
      finished.readers -= 1;
      if (finished.readers === 0) this.#unload(uri, finished);
    });
  }

  #leaveLater(uri: string, finished: Finished): void {
    finished.leaving = setTimeout(() => this.#unload(uri, finished), unreadMs);
    finished.leaving.unref();
  }

  /** Out of memory it goes, unless somebody else reads its channel: then the next look is later. */
  #unload(uri: string, finished: Finished): void {
    clearTimeout(finished.leaving);
    if (this.#finished.get(uri) !== finished) return;
    if (this.#parts.hub.unload(uri)) this.#finished.delete(uri);
    else this.#leaveLater(uri, finished);
  }

  async #readTail({ resource: uri, output }: TerminalState): Promise<KeptBytes> {
    const { spool } = this.#parts;
    const extent = await spool?.extent(uri);
    const endOffset = extent?.endOffset ?? output.endOffset;
    let startOffset = Math.max(extent?.startOffset ?? endOffset, endOffset - tailBytes);
    let lostBefore = 0;
    let pieces: Uint8Array[] = [];
    for (let offset = startOffset; offset < endOffset;) {
      const slice = await spool?.read(uri, offset, tailBytes);
      if (slice === undefined || slice.bytes.length === 0) break;
      if (slice.startOffset > offset) {
        // Parts are made from what hangs together: only what follows the last gap does.
        pieces = [];
        lostBefore = slice.startOffset - offset;
        startOffset = slice.startOffset;
      }
      pieces.push(slice.bytes);
      offset = slice.endOffset;
    }
    const bytes = Buffer.concat(pieces);
    const keptEnd = startOffset + bytes.length;
    return {
      startOffset,
      endOffset: keptEnd,
      lostBefore,
      lostAfter: extent === undefined ? 0 : Math.max(0, output.endOffset - keptEnd),
      bytes: (from, to) => bytes.subarray(from - startOffset, to - startOffset),
    };
  }

  /** The commands in its log. */
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

/** Says where output is missing; clients have no other way to know it (D411). */
function noteLoss(lostBytes: number): TerminalPart[] {
  return lostBytes === 0
    ? []
    : [{ kind: "output", text: `\r\n[${lostBytes} bytes of output could not be kept]\r\n` }];
}

/** The state of a terminal that runs no more, with the offsets of what is kept of it. */
function finish(state: TerminalState, kept: KeptBytes, now: Date): TerminalState {
  const { startOffset } = kept;
  const endOffset = kept.endOffset + kept.lostAfter;
  // Nothing changes when it is known how it ended.
  const ended = reduceTerminal(state, {
    type: "terminal/exited",
    exitedAt: now.toISOString(),
    exit: { kind: "unknown", reason: "The host was stopped" },
  });
  const claim = claimAfterExit(ended.claim);
  return { ...ended, claim, output: { ...ended.output, endOffset, skippedBytes: startOffset } };
}
