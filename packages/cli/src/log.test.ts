// The log: readable lines on a terminal, JSON elsewhere, whatever the facts are.
import { describe, expect, it } from "vitest";
import { createLog } from "./log.ts";

const now = (): Date => new Date(2026, 0, 2, 3, 4, 5);

function logTo(isTTY: boolean): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: createLog({ isTTY, write: (text) => lines.push(text) }, now) };
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
