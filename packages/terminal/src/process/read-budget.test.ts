// Floods wait for the next tick, so that a keystroke's echo does not wait for them.
import { afterAll, describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { makeSpawner } from "../testing/level.ts";
import { recordRun } from "../testing/record-run.ts";
import { ReadBudget } from "./read-budget.ts";

guardLeaks();
const spawner = makeSpawner();
afterAll(() => spawner.close());

const nextImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the read budget", () => {
  it("[T13] stops a reader that has had its share, and resumes it in the next tick", async () => {
    const budget = new ReadBudget();
    let resumed = 0;
    const flood = { resume: () => void (resumed += 1) };
    const quiet = { resume: () => expect.unreachable("it never had to wait") };
    let taken = 0;
    while (budget.spend(flood, 64 * 1024)) taken += 1;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(16);
    expect(budget.spend(quiet, 100)).toBe(true);
    expect(resumed).toBe(0);
    await nextImmediate();
    expect(resumed).toBe(1);
    expect(budget.spend(flood, 64 * 1024)).toBe(true);
  });

  it("[T13] gives less, with a rest, while somebody types", async () => {
    const budget = new ReadBudget();
    const share = (reader: { resume(): void }): number => {
      let bytes = 0;
      while (budget.spend(reader, 1024)) bytes += 1024;
      return bytes;
    };
    const before = share({ resume: () => {} });
    budget.noteInput();
    const state = { resumed: false };
    const reader = {
      resume: () => {
        state.resumed = true;
      },
    };
    expect(share(reader)).toBeLessThan(before);
    await nextImmediate();
    expect(state.resumed).toBe(false);
    while (!state.resumed) await nextImmediate();
  });

  it("[T13] counts across turns while somebody types: a pipe gives little in a turn, but every turn", async () => {
    const budget = new ReadBudget();
    budget.noteInput();
    const reader = { resume: () => {} };
    let turns = 0;
    while (budget.spend(reader, 32 * 1024) && turns < 100) {
      turns += 1;
      await nextImmediate();
    }
    expect(turns).toBeLessThan(16);
  });

  it("[T13] forgets a closed reader", async () => {
    const budget = new ReadBudget();
    const reader = { resume: () => expect.unreachable("it is closed") };
    while (budget.spend(reader, 64 * 1024));
    budget.forget(reader);
    await nextImmediate();
    expect(budget.spend({ resume: () => {} }, 1)).toBe(true);
  });

  it("[T13] five floods do not hold up an echo", async () => {
    const floods = await Promise.all(Array.from({ length: 5 }, () => recordFlood()));
    const { run, seen } = await recordRun(spawner, { kind: "tty", command: "cat" });
    const delays: number[] = [];
    for (let key = 0; key < 30; key += 1) {
      const startedMs = performance.now();
      run.write(Buffer.from(`key${key}\n`));
      await seen(new RegExp(`key${key}\r\nkey${key}\r\n`));
      delays.push(performance.now() - startedMs);
    }
    for (const flood of floods) await flood.end(0);
    await run.end(0);
    // Far above what it takes here; a host without a budget needs more than a second under this load.
    expect(delays.toSorted((a, b) => a - b)[15]).toBeLessThan(150);
  });
});

/** A flood whose bytes are counted and dropped. */
async function recordFlood(): Promise<{ end(graceMs: number): Promise<unknown> }> {
  return spawner.start(
    { kind: "text", command: "yes", cwd: "/tmp", env: { PATH: process.env["PATH"] ?? "" } },
    { bytes: () => {}, exit: () => {}, end: () => {} },
  );
}
