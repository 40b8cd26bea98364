// Names deliveries so that names in their order are deliveries in theirs, across restarts.
import { randomBytes } from "node:crypto";

/** Room for every whole number that is exact; microseconds stay below that until the year 2255. */
const digits = 14;

/** Makes names that only grow. */
export class DeliveryIds {
  readonly #nowMs: () => number;
  #last = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A name that is there already: all to come are greater, even if the clock was set back. */
  note(id: string): void {
    const stamp = Number.parseInt(id.slice(0, digits), 16);
    if (stamp > this.#last) this.#last = stamp;
  }

  next(): string {
    this.#last = Math.max(Math.trunc(this.#nowMs() * 1000), this.#last + 1);
    // Chance at the end keeps the deliveries of two hosts apart for a receiver that has both.
    return this.#last.toString(16).padStart(digits, "0") + randomBytes(4).toString("hex");
  }
}
