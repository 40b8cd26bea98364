// Instants as local times, and back.
import { expect, it } from "vitest";
import { instantOf, localTime } from "./local-time.ts";

it.each(["2026-03-01T15:00", "2026-03-01T15:00:07", "0042-12-31T23:59"])(
  "[Z1018] the local time %s is an instant, and shown as it was",
  (local) => {
    const instant = instantOf(local);
    expect(instant).toMatch(/Z$/);
    expect(localTime(instant)).toBe(local);
  },
);

it("[Z1018] an instant with an offset is the same as in UTC", () => {
  expect(localTime("2026-03-01T15:00:00+05:30")).toBe(localTime("2026-03-01T09:30:00Z"));
});

it.each(["", "soon"])("[Z1018] “%s” is no time", (text) => {
  expect(localTime(text)).toBe("");
  expect(instantOf(text)).toBe("");
});
