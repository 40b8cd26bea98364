// Subscriptions to terminals: a snapshot with its content, and the log from exactly there, of running and ended ones.
import type { ClientId, TerminalState, TerminalUri } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import type { LogReader } from "../channel/log-reader.ts";
import type { Hub } from "../channel/hub.ts";
import type { FinishedTerminals } from "./finished-terminals.ts";
import type { HostTerminals } from "./host-terminals.ts";

/** A client that watches a terminal. */
export interface TerminalViewer {
  /** Called when the cursor has something new to read. */
  readonly onReadable?: (() => void) | undefined;
  /** The client that it is; while the holder's viewer is open, it answers what programs ask of their terminal. */
  readonly clientId?: ClientId | undefined;
  /** How long output may be held back to be joined; never more than 8 ms. */
  readonly maxLatencyMs?: number | undefined;
}

/** A terminal at one moment. */
export interface TerminalSnapshot {
  readonly uri: TerminalUri;
  /** Its state, with the offsets of the content. */
  readonly state: TerminalState;
  /** Its output, in whole characters, up to exactly `state.output.endOffset`. */
  readonly content: readonly TerminalPart[];
  /** Every later action has a number above this one, and the first `terminal/data` continues where the content ends. */
  readonly seq: number;
}

/** A terminal at one moment, and a cursor that continues exactly there. The subscriber closes the cursor. */
export interface TerminalSubscription {
  readonly snapshot: TerminalSnapshot;
  readonly cursor: LogReader;
}

/**
 * All but `load` is synchronous, so what a call finds is what it acts on. A transport awaits `load` of every terminal
 * that a request names, and then does the rest in one step.
 */
export class TerminalSubscriptions {
  readonly #hub: Hub;
  readonly #terminals: HostTerminals;
  readonly #finished: FinishedTerminals;

  constructor(hub: Hub, terminals: HostTerminals, finished: FinishedTerminals) {
    this.#hub = hub;
    this.#terminals = terminals;
    this.#finished = finished;
  }

  /**
   * Makes a terminal ready to be subscribed to; false when there is no such terminal. One that has ended, maybe under
   * an earlier host, is brought into memory, and leaves it again when nobody reads it. The alternate screen is drawn
   * for clients that join late.
   */
  async load(uri: string): Promise<boolean> {
    const terminal = this.#terminals.find(uri);
    if (terminal === undefined) return this.#finished.load(uri);
    await terminal.loadScreen();
    return true;
  }

  /** The terminal as it is now, and all that happens to it from now on; undefined when there is no such terminal. */
  subscribe(uri: string, viewer: TerminalViewer = {}): TerminalSubscription | undefined {
    const terminal = this.#terminals.find(uri);
    if (terminal === undefined) return this.#finished.subscribe(uri, viewer);
    const reader = { ...viewer };
    // First, so that all output up to the content's end is published and all after it will be.
    terminal.publisher.addReader(reader);
    const { parts: content, endOffset } = terminal.content;
    const { snapshot, cursor } = this.#hub.subscribe(uri, viewer.onReadable);
    if (snapshot.kind !== "terminal") return undefined;
    const { state, seq } = snapshot;
    const output = { ...state.output, endOffset, skippedBytes: terminal.output.startOffset };
    return {
      snapshot: { uri: terminal.uri, state: { ...state, output }, content, seq },
      cursor: cursor.onClosed(() => terminal.publisher.removeReader(reader)),
    };
  }

  /** A cursor after an action that a client has seen; undefined when output was missed since, so it must subscribe. */
  resume(uri: string, afterSeq: number, viewer: TerminalViewer = {}): LogReader | undefined {
    const terminal = this.#terminals.find(uri);
    if (terminal === undefined) return this.#finished.resume(uri, afterSeq, viewer);
    const reader = { ...viewer };
    terminal.publisher.addReader(reader);
    const isComplete = afterSeq >= terminal.publisher.completeSince;
    const cursor = isComplete ? this.#hub.resume(uri, afterSeq, viewer.onReadable) : undefined;
    if (cursor !== undefined) return cursor.onClosed(() => terminal.publisher.removeReader(reader));
    terminal.publisher.removeReader(reader);
    return undefined;
  }
}
