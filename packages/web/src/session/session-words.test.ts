// Limits of a session, for people.
import { expect, test } from "vitest";
import type { LimitInForce } from "@holdfast/ahp";
import { inForceWords } from "./session-words.ts";

const memory = { name: "memory", value: 512 * 1024 * 1024, unit: "bytes", level: "command" } as const;

const limits: readonly (readonly [LimitInForce, string])[] = [
  [{ ...memory, by: "cgroup2" }, "memory limit (512 MiB)"],
  [{ ...memory, by: "rlimit" }, "memory limit (512 MiB) in each process"],
  [
    { name: "cpu-cores", value: 1, unit: "count", level: "host", by: "none" },
    "host CPU limit (1 core), not enforced on this machine",
  ],
];

test.each(limits)("[Z660] in force: %j", (limit, words) => {
  expect(inForceWords(limit)).toBe(words);
});
