// A token bucket: so many at once, and so many more each second.

/** How much a bucket holds, and how fast it fills. */
export interface BucketSize {
  /** How many at once. */
  readonly burst: number;
  /** How many come back each second. */
  readonly perSecond: number;
}

/** A bucket that is full at first. Times are in milliseconds on any clock that only goes forward. */
export class TokenBucket {
  readonly #size: BucketSize;
  #tokens: number;
  #filledAtMs: number;

  constructor(size: BucketSize, nowMs: number) {
    this.#size = size;
    this.#tokens = size.burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes a token; gives 0, or, when there was none to take, how long until there is one. */
  take(nowMs: number): number {
    const { burst, perSecond } = this.#size;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * perSecond);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return ((1 - this.#tokens) / perSecond) * 1000;
    this.#tokens -= 1;
    return 0;
  }
}
