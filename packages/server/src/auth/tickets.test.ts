// Shows how long a ticket is good, and for whom.
import { expect, test } from "vitest";
import { Revocations } from "./revocations.ts";
import { Tickets } from "./tickets.ts";

interface Given {
  tickets: Tickets;
  revocations: Revocations;
  pass(ms: number): void;
  /** Sets the machine's clock, while no time passes. */
  setClock(byMs: number): void;
}

function tickets(): Given {
  let nowMs = Date.parse("2026-01-01T00:00:00.000Z");
  let passedMs = 0;
  const revocations = new Revocations();
  return {
    tickets: new Tickets(
      revocations,
      () => new Date(nowMs),
      undefined,
      () => passedMs,
    ),
    revocations,
    pass: (ms) => {
      nowMs += ms;
      passedMs += ms;
    },
    setClock: (byMs) => {
      nowMs += byMs;
    },
  };
}

test("[E62] a ticket is good once, for thirty seconds", () => {
  const { tickets: given, revocations, pass } = tickets();
  const { ticket, expiresAt } = given.issue("owner");
  expect(expiresAt).toBe("2026-01-01T00:00:30.000Z");
  pass(30_000);
  expect(given.redeem(ticket)).toBe("owner");
  expect(given.redeem(ticket)).toBeUndefined();
  const late = given.issue("owner");
  pass(30_001);
  expect(given.redeem(late.ticket)).toBeUndefined();
  expect(revocations.size).toBe(0);
});

test("[A710] a clock that is set back does not prolong a ticket, and one that is set forward ends it", () => {
  const { tickets: given, pass, setClock } = tickets();
  const kept = given.issue("owner");
  const late = given.issue("owner");
  setClock(-3_600_000);
  pass(30_000);
  expect(given.redeem(kept.ticket)).toBe("owner");
  pass(1);
  expect(given.redeem(late.ticket)).toBeUndefined();
  const early = given.issue("owner");
  setClock(30_001);
  expect(given.redeem(early.ticket)).toBeUndefined();
});

test("[E62] a ticket goes with the right of the key that it was made for", () => {
  const { tickets: given, revocations } = tickets();
  const { ticket } = given.issue("key:a");
  revocations.revoke("key:a");
  expect(given.redeem(ticket)).toBeUndefined();
});

test("[E62] tickets that nobody uses are forgotten", () => {
  const { tickets: given, revocations, pass } = tickets();
  for (let count = 0; count < 1500; count += 1) given.issue("owner");
  expect(revocations.size).toBeLessThanOrEqual(1000);
  pass(31_000);
  given.issue("owner");
  expect(revocations.size).toBe(1);
});
