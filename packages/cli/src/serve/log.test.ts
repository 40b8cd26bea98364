// The log: readable lines on a terminal, JSON elsewhere, whatever the facts are.
import { Redactor } from "@holdfast/core";
import { describe, expect, it } from "vitest";
import { createLog } from "./log.ts";

const now = (): Date => new Date(2026, 0, 2, 3, 4, 5);

function logTo(
  isTTY: boolean,
  redactor = new Redactor(),
): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: createLog({ isTTY, write: (text) => lines.push(text) }, { now, redactor }) };
}

describe("[C9] the log", () => {
  it("[C9] is a line for people on a terminal", () => {
    const { log, lines } = logTo(true);
    log("warn", "An agent is silent", { session: "s 1", seconds: 3, turn: undefined });
    log("info", "Hello");
    expect(lines).toEqual([
      `03:04:05 warn  An agent is silent session="s 1" seconds=3\n`,
      "03:04:05 info  Hello\n",
    ]);
  });

  it("[C9] is a line of JSON elsewhere, which facts cannot disguise", () => {
    const { log, lines } = logTo(false);
    log("error", "two\nlines", { level: "info", session: "s" });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toContain("\n");
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      session: "s",
      time: now().toISOString(),
      level: "error",
      message: "two\nlines",
    });
  });

  it("[C9] shows errors with their causes, and survives circles and big numbers", () => {
    const { log, lines } = logTo(false);
    const circle: { self?: unknown; twice: unknown[] } = { twice: [] };
    circle.self = circle;
    const shared = { n: 1n };
    circle.twice = [shared, shared];
    const cause = Object.assign(new Error("inner"), { code: "EIO" });
    log("error", "failed", { error: new Error("outer", { cause }), circle });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      error: { name: "Error", message: "outer", cause: { message: "inner", code: "EIO" } },
      circle: { self: "(circular)", twice: [{ n: "1" }, { n: "1" }] },
    });
    const people = logTo(true);
    people.log("error", "failed", { error: new Error("outer") });
    expect(people.lines[0]).toMatch(/failed error=Error: outer\n {4}at /);
  });
});

describe("[O5] secrets in the log", () => {
  const secret = 'hunter "two" hunter';
  const failure = new Error("outer", { cause: new Error(`no such key: ${secret}`) });
  const facts = {
    text: `key=${secret}`,
    [secret]: { list: [secret, new URL(`http://example.org/?key=${encodeURIComponent(secret)}`)] },
    number: 12345678,
    big: 12345678n,
    error: failure,
  };

  it.each([false, true])("[O5] are in no part of a line (on a terminal: %s)", (isTTY) => {
    const redactor = new Redactor();
    const { log, lines } = logTo(isTTY, redactor);
    log("info", "Before", { secret });
    expect(lines.pop()).toContain("hunter");
    redactor.add(secret);
    redactor.add("12345678");
    log("warn", `Beware of ${secret}`, facts);
    expect(lines[0]).not.toMatch(/hunter|12345678/);
    expect(lines[0]).toContain("no such key: [redacted]");
    expect(lines[0]).toContain("Beware of [redacted]");
  });

  it("[O5] leave lines that are JSON, whatever the secret looks like", () => {
    const redactor = new Redactor();
    for (const odd of [secret, "12345678", '":":', '"level"', "\\\\\\\\"]) redactor.add(odd);
    const { log, lines } = logTo(false, redactor);
    log("warn", 'a ":": b', { ...facts, path: "\\\\\\\\" });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "warn",
      message: "a [redacted] b",
      number: "[redacted]",
      path: "[redacted]",
    });
  });

  it("[O5] a circle through an error or a redacted name comes to an end", () => {
    const redactor = new Redactor();
    redactor.add(secret);
    const { log, lines } = logTo(false, redactor);
    const error = new Error("round");
    error.cause = error;
    const circle: Record<string, unknown> = { [secret]: 1 };
    circle["self"] = circle;
    log("error", "failed", { error, circle });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      error: { message: "round", cause: "(circular)" },
      circle: { "[redacted]": 1, self: "(circular)" },
    });
    const people = logTo(true, redactor);
    people.log("error", "failed", { error });
    expect(people.lines[0]).toMatch(/error=Error: round\n/);
  });
});
