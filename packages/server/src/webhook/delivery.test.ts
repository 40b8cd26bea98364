// How long is waited between attempts.
import { describe, expect, it } from "vitest";
import { DEFAULT_RETRY, retryDelayMs } from "./delivery.ts";

describe("[W7] the waits", () => {
  it("[W7] grow from a second to an hour, over some hours, and then it is enough", () => {
    const waits = Array.from({ length: 8 }, (_, index) => retryDelayMs(DEFAULT_RETRY, index + 1, () => 0.5));
    expect(waits).toEqual([1000, 5000, 30_000, 300_000, 1_800_000, 3_600_000, 3_600_000, undefined]);
  });

  it("[W7] differ by chance, by a fifth at most", () => {
    expect(retryDelayMs(DEFAULT_RETRY, 1, () => 0)).toBe(800);
    expect(retryDelayMs(DEFAULT_RETRY, 1, () => 1)).toBe(1200);
  });
});
