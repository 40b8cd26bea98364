// How a program ended, for people.
import { expect, test } from "vitest";
import type { TerminalExit } from "@holdfast/ahp";
import { exitWords } from "./terminal-words.ts";

const mebibyte = 1024 * 1024;
const memory = { name: "memory", value: 512 * mebibyte, unit: "bytes", level: "command" } as const;
const processes = { name: "processes", value: 50, unit: "count", level: "session" } as const;

const exits: readonly (readonly [TerminalExit, string])[] = [
  [{ kind: "code", exitCode: 0 }, "exit 0"],
  [{ kind: "code", exitCode: 3 }, "exit 3"],
  [{ kind: "signal", signal: "SIGKILL", limit: memory }, "Stopped: memory limit (512 MiB)"],
  [
    { kind: "code", exitCode: 137, limit: { ...memory, level: "session" } },
    "Stopped: session memory limit (512 MiB)",
  ],
  [{ kind: "code", exitCode: 1, limit: processes }, "exit 1 · Reached: session process limit (50)"],
  [
    {
      kind: "signal",
      signal: "SIGTERM",
      limit: { name: "wall-clock", value: 300_000, unit: "ms", level: "command" },
    },
    "Stopped: time limit (5 min)",
  ],
];

test.each(exits)("[Z660] %j", (exit, words) => {
  expect(exitWords(exit)).toBe(words);
});
