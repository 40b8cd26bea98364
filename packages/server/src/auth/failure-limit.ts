// Rate limit for wrong credentials: per address, and for all addresses together.
import { type BucketSize, TokenBucket } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";

interface FailureLimitOptions {
  readonly perAddress?: BucketSize;
  readonly total?: BucketSize;
  /** How many addresses are remembered; beyond it, those with the oldest failure are forgotten. */
  readonly maxAddresses?: number;
  /** A clock that only goes forward. */
  readonly nowMs?: () => number;
}

const defaults = {
  perAddress: { burst: 10, perSecond: 1 },
  total: { burst: 100, perSecond: 10 },
  maxAddresses: 1000,
  nowMs: () => performance.now(),
};

/**
 * Counts failures. It is asked only after a credential was found wrong, so that nobody with a right one is kept out
 * by what others do from the same address; it spares the host broken clients, and is not what keeps secrets safe (A70).
 */
export class FailureLimit {
  readonly #options: Required<FailureLimitOptions>;
  readonly #total: TokenBucket;
  readonly #addresses = new Map<string, TokenBucket>();

  constructor(options: FailureLimitOptions = {}) {
    this.#options = { ...defaults, ...options };
    this.#total = new TokenBucket(this.#options.total, this.#options.nowMs());
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** Counts a failure; throws `RATE_LIMITED` with the seconds to wait when there were too many. */
  count(address: string): void {
    const nowMs = this.#options.nowMs();
    const waitMs = this.#bucketOf(address, nowMs).take(nowMs) || this.#total.take(nowMs);
    if (waitMs > 0) throw rateLimited(waitMs);
  }

  #bucketOf(address: string, nowMs: number): TokenBucket {
    const bucket = this.#addresses.get(address) ?? new TokenBucket(this.#options.perAddress, nowMs);
    // A map keeps the order of insertion: what was put back last is forgotten last.
    this.#addresses.delete(address);
    this.#addresses.set(address, bucket);
    const [oldest] = this.#addresses.keys();
    if (this.#addresses.size > this.#options.maxAddresses && oldest !== undefined) {
      this.#addresses.delete(oldest);
    }
    return bucket;
  }
}

/** The error for a caller that exceeds a rate, with the time to wait. */
export function rateLimited(waitMs: number, message?: string): HostError {
  return new HostError("RATE_LIMITED", message, {
    details: { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  });
}
