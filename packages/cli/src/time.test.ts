// Ages: as lists show them, and as options take them.
import { expect, it } from "vitest";
import { ageWord, readAgeMs } from "./time.ts";

const nowMs = Date.parse("2026-06-15T12:00:00.000Z");

it.each([
  ["2026-06-15T11:59:18.000Z", "42s"],
  ["2026-06-15T11:01:00.000Z", "59m"],
  ["2026-06-14T12:00:00.000Z", "24h"],
  ["2026-06-13T12:00:00.000Z", "2d"],
  ["2026-06-15T12:00:09.000Z", "0s"],
])("[C50] something of %s is %s old", (at, word) => {
  expect(ageWord(at, nowMs)).toBe(word);
});

it("[C53] ages are read with their unit, and nothing else is", () => {
  expect(["90s", "15m", "12h", "30d", "4w"].map(readAgeMs)).toEqual([90e3, 900e3, 432e5, 2592e6, 24192e5]);
  for (const text of ["30", "d", "-1d", "1.5d", "30days", ""]) expect(() => readAgeMs(text)).toThrow(/unit/);
});
