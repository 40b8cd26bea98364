// How a word finds its terminal.
import type { TerminalStatus } from "@holdfast/sdk";
import { expect, it } from "vitest";
import { findTerminal } from "./terminal-name.ts";

function terminal(id: string, title: string): TerminalStatus {
  return {
    id,
    title,
    session_key: null,
    run: "tty",
    lifecycle: { status: "running" },
    holder: { kind: "client", clientId: "owner", isGone: true },
    output: { endOffset: 0, skippedBytes: 0 },
  };
}

const terminals = [terminal("abc", "make"), terminal("abcd", "npm test"), terminal("xyz", "npm test")];

it("[C35] a terminal is found by its id, the beginning of its id, or its title", () => {
  expect(findTerminal(terminals, "abc")?.id).toBe("abc");
  expect(findTerminal(terminals, "x")?.id).toBe("xyz");
  expect(findTerminal(terminals, "make")?.id).toBe("abc");
  expect(findTerminal(terminals, "mak")).toBeUndefined();
  expect(findTerminal(terminals, "")).toBeUndefined();
});

it("[C35] a running one comes before those that ended, and of those the last", () => {
  const ended = (id: string, exitedAt: string): TerminalStatus => ({
    ...terminal(id, "build"),
    lifecycle: { status: "exited", exitedAt, exit: { kind: "code", exitCode: 0 } },
  });
  const old = ended("old", "2026-01-01T00:00:00.000Z");
  const later = ended("later", "2026-01-02T00:00:00.000Z");
  expect(findTerminal([old, later], "build")?.id).toBe("later");
  expect(findTerminal([old, terminal("now", "build"), later], "build")?.id).toBe("now");
  expect(() => findTerminal([terminal("a", "build"), terminal("b", "build"), old], "build")).toThrow(
    expect.objectContaining({ code: "TERMINAL_AMBIGUOUS" }),
  );
});

it("[C35] a word that may mean several names them, harmlessly", () => {
  for (const word of ["ab", "npm test"]) {
    expect(() => findTerminal(terminals, word)).toThrow(
      expect.objectContaining({
        code: "TERMINAL_AMBIGUOUS",
        message: expect.stringContaining("abcd (npm test)"),
      }),
    );
  }
  const evil = [terminal("a1", "\u001B[2J"), terminal("a2", "b")];
  expect(() => findTerminal(evil, "a")).toThrow("a1 (\\e[2J), a2 (b)");
});
