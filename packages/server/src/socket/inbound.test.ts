// How fast the messages of a client are handled.
import { expect, it } from "vitest";
import { InboundPace } from "./inbound.ts";

it("[B50] lets 4,000 messages pass at once, and the next ones after a wait", () => {
  const pace = new InboundPace();
  const waits = Array.from({ length: 4000 }, () => pace.take(100));
  expect(waits.every((waitMs) => waitMs === 0)).toBe(true);
  const later = Array.from({ length: 2000 }, () => pace.take(100));
  expect(Math.max(...later)).toBeGreaterThan(0);
});

it("[B50] counts a message for one more with every 16 KiB", () => {
  const pace = new InboundPace();
  const waits = Array.from({ length: 10 }, () => pace.take(16 * 1024 * 1024));
  expect(waits.slice(0, 3)).toEqual([0, 0, 0]);
  expect(Math.max(...waits.slice(3))).toBeGreaterThan(0);
});
