// Retention: data that is too old is removed soon after the start, and then regularly.
import { tmpdir } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import type { Pruned } from "./ports.ts";
import { RetentionWatch } from "./retention.ts";
import { MemoryStorage } from "./testing/memory-storage.ts";

afterEach(() => void vi.useRealTimers());

const hour = 60 * 60 * 1000;
const rules = { maxAgeMs: hour, maxBytes: 1e9, auditMaxAgeMs: hour };

test("[D11] a host prunes soon after its start, continues until it is done, then every hour, until it is closed", async () => {
  vi.useFakeTimers();
  const storage = new MemoryStorage();
  const faults: unknown[] = [];
  const looks: number[] = [];
  const answers: (Pruned | Error)[] = [
    { sessions: [], terminals: [], isDone: false },
    { sessions: [], terminals: [], isDone: true },
    new Error("The disk is full"),
  ];
  storage.prune = ({ nowMs }) => {
    looks.push(nowMs);
    const answer = answers.shift() ?? { sessions: [], terminals: [], isDone: true };
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const startMs = Date.now();
  const now = (): Date => new Date();
  const onFault = (error: unknown): void => void faults.push(error);
  const removeAgentFolders = (): Promise<void> => Promise.resolve();
  const parts = { storage, spool: undefined, changesFolder: tmpdir(), removeAgentFolders, rules, now };
  const watch = new RetentionWatch({ ...parts, everyMs: hour, onFault });
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(looks.map((at) => at - startMs)).toEqual([60_000, 60_050]);
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(looks).toHaveLength(4);
  expect(faults).toMatchObject([{ message: "The disk is full" }]);
  watch.close();
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(looks).toHaveLength(4);
});
