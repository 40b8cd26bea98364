// The log of a channel against a plain list.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActionLog } from "./action-log.ts";
import { LogEntry } from "./log-entry.ts";

function makeEntry(serverSeq: number, sizeBytes: number): LogEntry {
  const action = { type: "chat/titleChanged", title: "" } as const;
  return new LogEntry({ channel: "ahp-chat:/c1", serverSeq, action, origin: undefined, sizeBytes, atMs: 0 });
}

describe("the log of a channel", () => {
  it("[H5] keeps the newest entries that fit, and at least the newest one", () => {
    const steps = fc.array(
      fc.record({ sizeBytes: fc.integer({ min: 1, max: 60 }), skip: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 100 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), steps, (limitBytes, entries) => {
        const log = new ActionLog(limitBytes, 5);
        const all: LogEntry[] = [];
        let seq = 5;
        for (const { sizeBytes, skip } of entries) {
          seq += skip;
          const entry = makeEntry(seq, sizeBytes);
          all.push(entry);
          log.append(entry);

          const kept = all.slice(log.start);
          const keptBytes = kept.reduce((sum, each) => sum + each.sizeBytes, 0);
          expect([log.end, log.sizeBytes]).toEqual([all.length, keptBytes]);
          expect(kept.length === 1 || keptBytes <= limitBytes).toBe(true);
          // No more is evicted than must be.
          const older = all[log.start - 1];
          if (older) expect(keptBytes + older.sizeBytes).toBeGreaterThan(limitBytes);
          expect(all.map((_, position) => log.at(position))).toEqual(
            all.map((each, position) => (position < log.start ? undefined : each)),
          );
        }
      }),
    );
  });

  it("[H5] keeps what is kept nowhere else, and evicts it when it is", () => {
    const log = new ActionLog(10, 0);
    for (let seq = 1; seq <= 50; seq += 1) log.append(makeEntry(seq, 1), 20);
    expect([log.start, log.evictedSeq]).toEqual([20, 20]);
    log.append(makeEntry(51, 1), 50);
    expect([log.start, log.sizeBytes]).toEqual([41, 10]);
  });

  it("[H8] finds the place after any number, or says that it no longer reaches back", () => {
    const skips = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), skips, (limitEntries, gaps) => {
        const log = new ActionLog(limitEntries, 5);
        const seqs: number[] = [];
        for (const skip of gaps) {
          seqs.push((seqs.at(-1) ?? 5) + skip);
          log.append(makeEntry(seqs.at(-1) ?? 0, 1));
        }
        for (let seq = 0; seq <= (seqs.at(-1) ?? 5) + 1; seq += 1) {
          const expected = seqs.filter((each) => each <= seq).length;
          const isThere = seq >= 5 && expected >= log.start;
          expect(log.positionAfter(seq)).toBe(isThere ? expected : undefined);
        }
      }),
    );
  });

  it("[H5] holds no more places than twice its entries after a long run", () => {
    const log = new ActionLog(10, 0);
    for (let seq = 1; seq <= 20_000; seq += 1) log.append(makeEntry(seq, 1));
    expect([log.start, log.end, log.at(19_990)?.serverSeq]).toEqual([19_990, 20_000, 19_991]);
  });
});
