// Settings of the browser, as they are kept.
import { expect, it } from "vitest";
import { parseSettings } from "./settings.ts";

const defaults = { textSize: "medium", agent: "", policy: "ask" };

it.each([
  [null, defaults],
  ["no JSON", defaults],
  ["[]", defaults],
  ['{"textSize":"huge","agent":7,"policy":"approve-reads"}', { ...defaults, policy: "approve-reads" }],
  ['{"textSize":"large","agent":"codex"}', { ...defaults, textSize: "large", agent: "codex" }],
])("[Z860] %j is read as settings", (text, expected) => {
  expect(parseSettings(text)).toEqual(expected);
});
