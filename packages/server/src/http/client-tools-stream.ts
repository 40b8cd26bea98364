// The stream on which an agent learns that the lent tools of its session changed.
import type { ToolAccess } from "@holdfast/core";
import { rateLimited } from "../auth/failure-limit.ts";
import { type ChunkSource, EventStream, ReadSignal, type StreamOptions } from "./event-stream.ts";

/** An agent needs one for each of its MCP connections. */
const maxStreams = 8;
const retryMs = 1000;
const changed = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
const changedEvent = `event: message\ndata: ${changed}\n\n`;

/** The open streams of all agents. */
export class ToolStreams {
  readonly #options: StreamOptions;
  readonly #counts = new WeakMap<ToolAccess, number>();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** A stream until the agent leaves it or its token ends (E824). */
  open(access: ToolAccess): EventStream {
    const count = this.#counts.get(access) ?? 0;
    if (count >= maxStreams) {
      throw rateLimited(retryMs, `At most ${maxStreams} streams of one agent are open at once.`);
    }
    this.#counts.set(access, count + 1);
    const signal = new ReadSignal();
    const source = new ChangedSource(access, signal.notify, () => {
      this.#counts.set(access, (this.#counts.get(access) ?? 1) - 1);
    });
    return new EventStream({ source, signal }, this.#options);
  }
}

class ChangedSource implements ChunkSource {
  readonly #access: ToolAccess;
  readonly #onClosed: () => void;
  readonly #wake: () => void;
  readonly #forget: () => void;
  #hasChanged = false;
  #isClosed = false;

  constructor(access: ToolAccess, wake: () => void, onClosed: () => void) {
    this.#access = access;
    this.#onClosed = onClosed;
    this.#wake = wake;
    this.#forget = access.tools.watch(() => {
      this.#hasChanged = true;
      wake();
    });
    access.ended.addEventListener("abort", wake);
  }

  get isOver(): boolean {
    return this.#access.ended.aborted;
  }

  next(): string | undefined {
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    return changedEvent;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#forget();
    this.#access.ended.removeEventListener("abort", this.#wake);
    this.#onClosed();
  }
}
