// Refusals in the audit: a flood of one caller is counted, and others are recorded meanwhile.
import { expect, it } from "vitest";
import { Audit } from "./audit.ts";
import { RefusalLimit } from "./refusal-limit.ts";
import { rightsEntry } from "./rights-entry.ts";

it("[A711] records 60 refusals of a caller at once and one every 10 s after that, and counts the others", () => {
  let nowMs = 0;
  const limit = new RefusalLimit(() => nowMs);
  const flood = Array.from({ length: 1000 }, () => limit.admit("app a"));
  expect(flood.filter((leftOut) => leftOut !== undefined)).toHaveLength(60);
  expect(limit.admit("app b")).toBe(0);
  nowMs += 9_999;
  expect(limit.admit("app a")).toBeUndefined();
  nowMs += 1;
  expect(limit.admit("app a")).toBe(941);
  nowMs += 10_000;
  expect(limit.admit("app a")).toBe(0);
});

it("[A711] keeps every other entry, and an entry says how many refusals were left out before it", () => {
  const audit = new Audit(() => new Date(0));
  const refusal = rightsEntry({
    what: "refusal",
    subject: "GET /",
    by: "app a",
    outcome: "X",
    isRefused: true,
  });
  for (let index = 0; index < 200; index += 1) audit.record(refusal);
  audit.record(rightsEntry({ what: "key", subject: "made", by: "app a" }));
  expect(audit.recent.filter(({ what }) => what === "refusal")).toHaveLength(60);
  expect(audit.recent.at(-1)).toMatchObject({ what: "key", subject: "made" });
});
