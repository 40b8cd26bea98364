// Contract of storages for the audit and for values by name.
import { CHAIN_START, ChainCheck } from "@holdfast/terminal/acp-parts";
import { expect, it } from "vitest";
import type { Storage } from "../../ports.ts";
import { auditEntry, momentAt } from "./samples.ts";
import type { World } from "./world.ts";

const begin = { id: 0, hash: CHAIN_START };

export function describeRecords({ start, restart, storage }: World): void {
  it("[D12] keeps the audit at once, and reads the newest, or those after an entry, or of a session", async () => {
    await start();
    for (let seconds = 1; seconds <= 5; seconds += 1) {
      storage().audit.append(auditEntry(seconds, seconds % 2 === 0 ? "even" : "odd"));
    }
    await restart(false);
    const momentsOf = (query: Parameters<Storage["audit"]["read"]>[0]): string[] =>
      storage()
        .audit.read(query)
        .map(({ entry }) => entry.at);
    expect(storage().audit.read()[0]?.entry).toEqual(auditEntry(1, "odd"));
    expect(momentsOf({ limit: 2 })).toEqual([momentAt(4), momentAt(5)]);
    const [second] = storage().audit.read({ session: "even", limit: 9 });
    expect(momentsOf({ after: second?.id ?? 0, limit: 2 })).toEqual([momentAt(3), momentAt(4)]);
    expect(momentsOf({ session: "even" })).toEqual([momentAt(2), momentAt(4)]);
    storage().prune({ nowMs: Date.parse(momentAt(10)), auditMaxAgeMs: 7000 });
    expect(momentsOf({})).toEqual([momentAt(3), momentAt(4), momentAt(5)]);
  });

  it("[D675] chains the audit: a hash per entry, across restarts, and from the cut of retention on", async () => {
    await start();
    const verify = (): ChainCheck => {
      const { anchor } = storage().audit.chain();
      const check = new ChainCheck(anchor);
      for (const { id, hash, entry } of storage().audit.read({ after: 0 })) check.add({ id, hash, ...entry });
      expect(check.breaks).toEqual([]);
      expect(check.head).toEqual(storage().audit.chain().head);
      return check;
    };
    expect(storage().audit.chain()).toEqual({ anchor: begin, head: begin });
    for (let seconds = 1; seconds <= 5; seconds += 1) storage().audit.append(auditEntry(seconds, "s"));
    expect(verify().count).toBe(5);
    await restart(false);
    // A clock that was set back: only what comes before the first entry to be kept is removed.
    storage().audit.append(auditEntry(2, "s"));
    storage().audit.append({
      ...auditEntry(7, "€ \u{1F600} \uD800"),
      environment: ["B", "A"],
      cwd: undefined,
    });
    expect(verify().count).toBe(7);
    storage().prune({ nowMs: Date.parse(momentAt(10)), auditMaxAgeMs: 6000 });
    expect(verify().count).toBe(4);
    expect(storage().audit.chain()).toMatchObject({ anchor: { id: 3 }, head: { id: 7 } });
    storage().prune({ nowMs: Date.parse(momentAt(100)), auditMaxAgeMs: 1000 });
    expect(verify().count).toBe(0);
    await restart(false);
    storage().audit.append(auditEntry(200, "s"));
    expect(verify().head.id).toBe(8);
  });

  it("[D13] remembers small things by name", async () => {
    await start();
    storage().meta.set("a", "1");
    storage().meta.set("a", "2");
    storage().meta.set("b", "3");
    storage().meta.delete("b");
    await restart(false);
    expect(["a", "b", "c"].map((key) => storage().meta.get(key))).toEqual(["2", undefined, undefined]);
    for (const key of ["x/2", "x/1", "x%", "y/1", "x"]) storage().meta.set(key, key);
    expect(storage().meta.keys("x/")).toEqual(["x/1", "x/2"]);
    expect(storage().meta.keys("x%")).toEqual(["x%"]);
  });
}
