// Bounds what reads of the spool may take at once: open files, and memory that is used again.
import { Buffer } from "node:buffer";

/** More would not be faster: the threads that read files are fewer. */
const placeCount = 8;

/** One piece that a follower asks for, and the heads around it, fit. */
const memoryBytes = 68 * 1024;

/** A few places, each with a memory; who finds none free waits. Nobody who has one may wait for another. */
export class ReadPlaces {
  readonly #free: Buffer[] = [];
  readonly #waiting: ((memory: Buffer) => void)[] = [];
  #madeCount = 0;

  /** Works with the memory of a place, which is lent until the work is done. */
  async use<Result>(work: (memory: Buffer) => Promise<Result>): Promise<Result> {
    const memory = await this.#take();
    try {
      return await work(memory);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(memory);
      else this.#free.push(memory);
    }
  }

  async #take(): Promise<Buffer> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#madeCount < placeCount) {
      this.#madeCount += 1;
      return Buffer.allocUnsafe(memoryBytes);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
