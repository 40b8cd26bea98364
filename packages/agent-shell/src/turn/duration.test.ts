// Durations for people.
import { expect, it } from "vitest";
import { formatDuration } from "./duration.ts";

it.each([
  [0, "0 ms"],
  [12.4, "12 ms"],
  [999, "999 ms"],
  [1000, "1.0 s"],
  [59_999, "59.9 s"],
  [60_000, "1 min 0 s"],
  [125_900, "2 min 5 s"],
])("[S8] %d ms is told as %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});
