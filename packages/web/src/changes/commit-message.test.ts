// The message that is proposed for a commit.
import { expect, it } from "vitest";
import { proposedMessage } from "./commit-message.ts";

it.each([
  ["Fix the fence", undefined, "Fix the fence"],
  ["", "please fix the gate.\nIt hangs.", "Fix the gate"],
  [undefined, undefined, ""],
  ["x".repeat(90), undefined, `X${"x".repeat(71)}`],
  [`${"word ".repeat(13)}and the end is cut`, undefined, `W${"word ".repeat(13).slice(1)}and the`],
])("[Z844] %j and %j propose %j", (name, request, proposed) => {
  expect(proposedMessage(name, request)).toBe(proposed);
  expect(proposed.length).toBeLessThanOrEqual(72);
});
