// The pace of a program: it waits for followers that must miss nothing of its output, while they are there (U34).

/** A follower that the program waits for. */
export interface PaceReader {
  /** It has taken everything before this offset. */
  read(offset: number): void;
  close(): void;
}

export interface OutputPaceParts {
  /** Stops and starts the reading of the program's output. */
  readonly hold: (isHeld: boolean) => void;
  /** Called when nobody is waited for any more. */
  readonly onFree?: (() => void) | undefined;
  /** The wait for a follower, at first and again after the last has left. Default 30 s. */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 30_000;
/** How far the program may be ahead of the slowest reader. */
const maxAheadBytes = 512 * 1024;

/** The pace of one program: at most so far ahead of its slowest reader; without one, after a time, its own. */
export class OutputPace {
  readonly #parts: OutputPaceParts;
  readonly #offsets = new Map<PaceReader, number>();
  #endOffset = 0;
  #isHeld = false;
  /** Where the next reader will begin, while one is waited for. */
  #expectedAt: number | undefined;
  #giveUp: NodeJS.Timeout | undefined;

  constructor(parts: OutputPaceParts) {
    this.#parts = parts;
    this.#expect(0);
  }

  /** Whether the program has to wait. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The program has written up to this offset. */
  wrote(endOffset: number): void {
    this.#endOffset = endOffset;
    this.#update();
  }

  /** Adds a reader at an offset; the caller closes it. */
  follow(offset: number): PaceReader {
    const reader: PaceReader = {
      read: (place) => {
        if (!this.#offsets.has(reader)) return;
        this.#offsets.set(reader, place);
        this.#update();
      },
      close: () => this.#leave(reader),
    };
    clearTimeout(this.#giveUp);
    this.#expectedAt = undefined;
    this.#offsets.set(reader, offset);
    this.#update();
    return reader;
  }

  /** The program waits for nobody any more. */
  close(): void {
    clearTimeout(this.#giveUp);
    this.#expectedAt = undefined;
    this.#offsets.clear();
    this.#update();
    this.#parts.onFree?.();
  }

  #leave(reader: PaceReader): void {
    const offset = this.#offsets.get(reader);
    if (offset === undefined) return;
    this.#offsets.delete(reader);
    if (this.#offsets.size === 0) this.#expect(offset);
    this.#update();
  }

  #expect(offset: number): void {
    this.#expectedAt = offset;
    this.#giveUp = setTimeout(() => this.close(), this.#parts.timeoutMs ?? defaultTimeoutMs);
    this.#giveUp.unref();
  }

  #update(): void {
    const slowest = this.#offsets.size > 0 ? Math.min(...this.#offsets.values()) : this.#expectedAt;
    const isHeld = slowest !== undefined && this.#endOffset - slowest >= maxAheadBytes;
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#parts.hold(isHeld);
  }
}
