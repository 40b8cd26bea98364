// An average rate with room for bursts: credit grows with time, up to the size of a burst.

/** Credit in bytes. */
export class Rate {
  readonly #bytesPerSecond: number;
  readonly #burstBytes: number;
  readonly #nowMs: () => number;
  #creditBytes: number;
  #countedAtMs: number;

  constructor(bytesPerSecond: number, burstBytes: number, nowMs: () => number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#burstBytes = burstBytes;
    this.#nowMs = nowMs;
    this.#creditBytes = burstBytes;
    this.#countedAtMs = nowMs();
  }

  /** What may be written now; negative after a write that was larger. */
  get creditBytes(): number {
    const nowMs = this.#nowMs();
    const grownBytes = ((nowMs - this.#countedAtMs) / 1000) * this.#bytesPerSecond;
    this.#countedAtMs = nowMs;
    this.#creditBytes = Math.min(this.#burstBytes, this.#creditBytes + grownBytes);
    return this.#creditBytes;
  }

  spend(sizeBytes: number): void {
    this.#creditBytes = this.creditBytes - sizeBytes;
  }

  /** How long until there is so much credit. */
  waitMs(wantedBytes: number): number {
    return Math.max(0, Math.ceil(((wantedBytes - this.creditBytes) / this.#bytesPerSecond) * 1000));
  }
}
