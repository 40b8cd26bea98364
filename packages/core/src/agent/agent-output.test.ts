// The last lines of an agent's stderr, without secrets.
import { expect, test } from "vitest";
import { StderrTail } from "./agent-output.ts";

test("[N14] the newest twenty lines are kept, without those that are empty", () => {
  const tail = new StderrTail();
  for (let line = 1; line <= 30; line += 1) tail.push(Buffer.from(`line ${line}\r\n\n`));
  expect(tail.lines).toHaveLength(20);
  expect(tail.lines.at(-1)).toBe("line 30");
});

test("[N36] secrets are taken out, and a line that lost its beginning is left out with what it may hold of one", () => {
  const tail = new StderrTail((text) => text.replaceAll("secret", "[redacted]"));
  tail.push(Buffer.from(`a secret`));
  expect(tail.lines).toEqual(["a [redacted]"]);
  tail.push(Buffer.from(` ${"x".repeat(16 * 1024 - 5)}\nend`));
  expect(tail.lines).toEqual(["end"]);
  const endless = new StderrTail((text) => text.replaceAll("secret", "[redacted]"));
  endless.push(Buffer.from(`secret${"x".repeat(16 * 1024 - 3)}`));
  expect(endless.lines).toEqual([]);
});
