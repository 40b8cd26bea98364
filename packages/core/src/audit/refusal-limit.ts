// Limit for the audit's refusals: a caller that is refused again and again does not fill the audit.
import { TokenBucket } from "../token-bucket.ts";

/** For each caller: this many entries at once, then one every 10 seconds. */
const rate = { burst: 60, perSecond: 0.1 };
/** Callers that are remembered; beyond it, the one whose last refusal is oldest is forgotten. */
const maxCallers = 1000;

interface RefusedCaller {
  readonly bucket: TokenBucket;
  leftOut: number;
}

/** Decides which refusals are recorded, and counts the others. */
export class RefusalLimit {
  readonly #nowMs: () => number;
  readonly #callers = new Map<string, RefusedCaller>();

  /** `nowMs` is a clock that only goes forward. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** How many refusals of this caller were left out since its last entry; undefined if this one is left out as well. */
  admit(by: string): number | undefined {
    const nowMs = this.#nowMs();
    const caller = this.#callers.get(by) ?? { bucket: new TokenBucket(rate, nowMs), leftOut: 0 };
    // A map keeps the order of insertion: the caller that was put back last is forgotten last.
    this.#callers.delete(by);
    this.#callers.set(by, caller);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > maxCallers && oldest !== undefined) this.#callers.delete(oldest);
    if (caller.bucket.take(nowMs) > 0) {
      caller.leftOut += 1;
      return undefined;
    }
    const { leftOut } = caller;
    caller.leftOut = 0;
    return leftOut;
  }
}
