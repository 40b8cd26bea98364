// A terminal whose program is the test: real offsets, a real tail of bytes, feeds that read at their own pace.
import type { TerminalExit, TerminalLifecycle, TerminalSize } from "@holdfast/ahp";
import type { TerminalReader, TerminalReading } from "@holdfast/core";
import { HostError, type TerminalStatus, type TerminalText } from "@holdfast/protocol";
import { at } from "./fake-turn.ts";

const pieceBytes = 8 * 1024;

/** The terminal. */
export class FakeTerminal {
  readonly id: string;
  readonly sessionKey: string;
  /** Input that was typed into it. */
  readonly inputs: Uint8Array[] = [];
  readonly feeds = new Set<FakeTerminalFeed>();
  size: TerminalSize = { cols: 80, rows: 24 };
  holder: "client" | "session" = "session";
  #kept = Buffer.alloc(0);
  #endOffset = 0;
  #lifecycle: TerminalLifecycle = { status: "running" };
  readonly #keepBytes: number;

  constructor(id: string, sessionKey: string, keepBytes = 1024 * 1024) {
    this.id = id;
    this.sessionKey = sessionKey;
    this.#keepBytes = keepBytes;
  }

  get startOffset(): number {
    return this.#endOffset - this.#kept.length;
  }

  get endOffset(): number {
    return this.#endOffset;
  }

  get exit(): TerminalExit | undefined {
    return this.#lifecycle.status === "exited" ? this.#lifecycle.exit : undefined;
  }

  get isRunning(): boolean {
    return this.#lifecycle.status === "running";
  }

  print(output: string | Uint8Array): void {
    const bytes = Buffer.from(output);
    this.#endOffset += bytes.length;
    const all = Buffer.concat([this.#kept, bytes]);
    this.#kept = all.subarray(Math.max(0, all.length - this.#keepBytes));
    this.#wake();
  }

  /** A screen has 200 columns at most here, so that clamping is seen. */
  resize({ cols, rows }: TerminalSize): TerminalSize {
    this.size = { cols: Math.min(cols, 200), rows };
    for (const feed of this.feeds) feed.noteSize(this.size);
    this.#wake();
    return this.size;
  }

  finish(exit: TerminalExit): void {
    this.#lifecycle = { status: "exited", exitedAt: at, exit };
    this.#wake();
  }

  bytesFrom(offset: number): Uint8Array {
    return this.#kept.subarray(offset - this.startOffset).subarray(0, pieceBytes);
  }

  follow(after: number | undefined, onReadable: () => void): FakeTerminalFeed {
    if (after !== undefined && after > this.#endOffset) {
      throw new HostError("INVALID_REQUEST", "The terminal has not come so far. Leave out after.");
    }
    const feed = new FakeTerminalFeed(this, after ?? this.startOffset, onReadable);
    this.feeds.add(feed);
    return feed;
  }

  describe(): TerminalStatus {
    return {
      id: this.id,
      session_key: this.holder === "session" ? this.sessionKey : null,
      title: "npm test",
      run: "tty",
      lifecycle: this.#lifecycle,
      holder:
        this.holder === "session"
          ? { kind: "session", inTurn: true }
          : { kind: "client", clientId: "owner", isGone: false },
      size: this.size,
      output: { endOffset: this.#endOffset, skippedBytes: this.startOffset },
    };
  }

  read(limitBytes = this.#keepBytes): TerminalText {
    const shown = this.#kept.subarray(Math.max(0, this.#kept.length - limitBytes));
    return {
      text: shown.toString(),
      truncated: shown.length < this.#endOffset,
      endOffset: this.#endOffset,
      lifecycle: this.#lifecycle,
    };
  }

  #wake(): void {
    for (const feed of this.feeds) feed.onReadable();
  }
}

/** Follows a fake terminal. */
class FakeTerminalFeed implements TerminalReader {
  readonly onReadable: () => void;
  readonly #terminal: FakeTerminal;
  readonly #sizes: TerminalSize[] = [];
  #offset: number;
  #hasEnded = false;

  constructor(terminal: FakeTerminal, offset: number, onReadable: () => void) {
    this.#terminal = terminal;
    this.#offset = offset;
    this.onReadable = onReadable;
  }

  noteSize(size: TerminalSize): void {
    this.#sizes.push(size);
  }

  async next(): Promise<TerminalReading> {
    const { startOffset, endOffset, exit } = this.#terminal;
    const size = this.#sizes.shift();
    if (size !== undefined) return { kind: "resized", ...size };
    if (this.#offset < startOffset) {
      const skippedBytes = startOffset - this.#offset;
      this.#offset = startOffset;
      return { kind: "skipped", offset: startOffset, skippedBytes };
    }
    if (this.#offset < endOffset) {
      const offset = this.#offset;
      const bytes = this.#terminal.bytesFrom(offset);
      this.#offset += bytes.length;
      return { kind: "output", offset, bytes };
    }
    if (exit === undefined) return { kind: "nothing" };
    if (this.#hasEnded) return { kind: "end" };
    this.#hasEnded = true;
    return { kind: "exited", exit, endOffset };
  }

  close(): void {
    this.#terminal.feeds.delete(this);
  }
}
