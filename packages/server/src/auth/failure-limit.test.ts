// How many failures are borne, and how the limit recovers.
import { HostError } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { FailureLimit } from "./failure-limit.ts";

/** Counts failures; gives the seconds to wait, 0 for a failure that was borne. */
function counting(limit: FailureLimit) {
  return (address: string): unknown => {
    try {
      limit.count(address);
      return 0;
    } catch (error) {
      expect(error).toBeInstanceOf(HostError);
      expect(error).toMatchObject({ code: "RATE_LIMITED", status: 429 });
      return (error as HostError).details["retryAfterSeconds"];
    }
  };
}

describe("[A70] failures from one address", () => {
  it("[A70] are borne ten times, then once a second", () => {
    const clock = { nowMs: 0 };
    const count = counting(new FailureLimit({ nowMs: () => clock.nowMs }));
    const waits = Array.from({ length: 12 }, () => count("10.0.0.1"));
    expect(waits).toEqual([...Array.from({ length: 10 }, () => 0), 1, 1]);
    clock.nowMs = 999;
    expect(count("10.0.0.1")).toBe(1);
    clock.nowMs = 1000;
    expect(count("10.0.0.1")).toBe(0);
    expect(count("10.0.0.1")).toBe(1);
    expect(count("10.0.0.2")).toBe(0);
  });

  it("[A70] the burst comes back after a while, and no more than the burst", () => {
    const clock = { nowMs: 0 };
    const count = counting(new FailureLimit({ nowMs: () => clock.nowMs }));
    while (count("a") === 0);
    clock.nowMs = 3_600_000;
    const waits = Array.from({ length: 11 }, () => count("a"));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  });
});

describe("[A71] failures from many addresses", () => {
  it("[A71] are borne a hundred times together", () => {
    const count = counting(new FailureLimit({ nowMs: () => 0 }));
    const waits = Array.from({ length: 101 }, (_, index) => count(`10.0.0.${index}`));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
    expect(waits[100]).toBe(1);
  });

  it("[A71] are remembered within bounds, the most recent ones", () => {
    const total = { burst: 1_000_000, perSecond: 1 };
    const limit = new FailureLimit({ nowMs: () => 0, total, maxAddresses: 3 });
    const count = counting(limit);
    for (let failure = 0; failure < 10; failure += 1) count("persistent");
    for (let index = 0; index < 500; index += 1) {
      count(`once-${index}`);
      expect(count("persistent")).toBe(1);
    }
    expect(limit.size).toBe(3);
  });
});
