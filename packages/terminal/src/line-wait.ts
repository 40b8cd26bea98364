// Holds back a terminal's output between the start of a command and its line, which bash reports a moment later.

/** How long a line is waited for, and how much is held back meanwhile at most: commands without one lose no time. */
const waitMs = 10;
const maxHeldBytes = 4096;

/** The wait for one line at a time. */
export class LineWait {
  readonly #release: (held: Uint8Array) => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `release` is given what was held back, once. */
  constructor(release: (held: Uint8Array) => void) {
    this.#release = release;
  }

  /** A command has begun, and its line is missing. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => this.end(), waitMs);
    this.#timer.unref();
  }

  /** Takes bytes that come meanwhile, which the caller may reuse; false when nothing is waited for any more. */
  hold(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#timer === undefined) return false;
    if (this.#heldBytes + end - start > maxHeldBytes) {
      this.end();
      return false;
    }
    this.#held.push(bytes.slice(start, end));
    this.#heldBytes += end - start;
    return true;
  }

  /** The line is there, or the follower does not wait for it. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const bytes of held) this.#release(bytes);
  }

  /** Forgets everything. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#held = [];
  }
}
