// Reads of `--limit name=value`.
import { expect, test } from "vitest";
import { readLimit, toCommandLimits, toSessionLimits } from "./limit-option.ts";

test.each([
  ["memory=512M", { memoryMebibytes: 512 }],
  ["memory=2G", { memoryMebibytes: 2048 }],
  ["memory=1048576", { memoryMebibytes: 1 }],
  ["time=5m", { wallClockSeconds: 300 }],
  ["time=90", { wallClockSeconds: 90 }],
  ["cpu-time=1h", { cpuSeconds: 3600 }],
  ["cpu=0.5", { cpuCores: 0.5 }],
  ["processes=100", { processes: 100 }],
  ["output=10M", { outputMebibytes: 10 }],
  ["disk-writes=1G", { diskWriteMebibytes: 1024 }],
  ["terminals=8", { openTerminals: 8 }],
])("[C660] --limit %s", (text, limits) => {
  expect(readLimit(text)).toEqual(limits);
});

test("[C660] may be repeated; amounts in use at once are the session's, others each command's", () => {
  const given = ["memory=1G", "time=5m", "processes=50"].reduce(
    (before, text) => readLimit(text, before),
    {},
  );
  expect(toSessionLimits(given)).toEqual({
    command: { wallClockSeconds: 300 },
    session: { memoryMebibytes: 1024, processes: 50 },
  });
  expect(toCommandLimits(given)).toEqual({ wallClockSeconds: 300, memoryMebibytes: 1024, processes: 50 });
});

test.each([
  ["memory", "looks like memory=512M"],
  ["speed=1", "The limits are memory, processes"],
  ["memory=lots", "memory takes a number with K, M, G, T, as in memory=512M"],
  ["memory=0", "memory takes a number"],
  ["time=5M", "time takes a number with s, m, h"],
  ["processes=5k", "processes takes a number, as in processes=100"],
])("[C660] --limit %s is refused with a remedy", (text, message) => {
  expect(() => readLimit(text)).toThrow(message);
});
