// The memory that many rings share: each may grow while the total allows it.

const DEFAULT_FLOOR_BYTES = 64 * 1024;

/** Grants memory to rings up to a total; a small floor is granted to each ring in any case. */
export class RingBudget {
  readonly totalBytes: number;
  readonly floorBytes: number;
  #usedBytes = 0;

  constructor(options: { totalBytes: number; floorBytes?: number }) {
    this.totalBytes = options.totalBytes;
    this.floorBytes = options.floorBytes ?? DEFAULT_FLOOR_BYTES;
  }

  /** Memory of all rings together; may exceed the total by the floors. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Asks for one ring to grow; on true the growth is booked. */
  tryGrow(fromBytes: number, toBytes: number): boolean {
    const growthBytes = toBytes - fromBytes;
    if (toBytes > this.floorBytes && this.#usedBytes + growthBytes > this.totalBytes) return false;
    this.#usedBytes += growthBytes;
    return true;
  }

  /** Gives back what a ring held. */
  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
