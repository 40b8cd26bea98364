// Shows that a peer that sends only what is no message costs a bounded number of log lines.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WarningLimit } from "./warning.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("[N460] ten lines are logged, the others are counted once a minute and at the end", () => {
  const lines: string[] = [];
  const limit = new WarningLimit((line) => void lines.push(line));
  const render = vi.fn<() => string>(() => "odd");
  for (let count = 0; count < 1000; count += 1) limit.add(render);
  expect(lines).toEqual(Array.from({ length: 10 }, () => "odd"));
  expect(render).toHaveBeenCalledTimes(10);
  vi.advanceTimersByTime(60_000);
  for (let count = 0; count < 1000; count += 1) limit.add(render);
  expect(lines.slice(10)).toEqual(["991 more warnings like these were dropped"]);
  limit.close();
  expect(lines.slice(11)).toEqual(["999 more warnings like these were dropped"]);
  limit.close();
  expect(lines).toHaveLength(12);
});
