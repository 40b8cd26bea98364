// The chain of hashes: what it is made from, and which changes it reveals.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHAIN_START, ChainCheck, canonicalJson, chainHash, type ChainedRecord } from "./hash-chain.ts";

type Entry = ChainedRecord & { readonly subject: string };

function makeChain(length: number): Entry[] {
  const entries: Entry[] = [];
  let previous = CHAIN_START;
  for (let id = 1; id <= length; id += 1) {
    const entry = { id, subject: `command ${id}` };
    previous = chainHash(previous, entry);
    entries.push({ ...entry, hash: previous });
  }
  return entries;
}

function breaksOf(entries: readonly ChainedRecord[]): (readonly [number, string])[] {
  const check = new ChainCheck({ id: 0, hash: CHAIN_START });
  for (const entry of entries) check.add(entry);
  return check.breaks.map(({ id, reason }) => [id, reason]);
}

describe("[D676] the chain of hashes", () => {
  it("[D676] a hash is SHA-256 of the one before, a line feed and the entry in canonical JSON", () => {
    const text = `${CHAIN_START}\n{"a":[1,{"b":null}],"id":1,"é":"\\"\\ud800"}`;
    const expected = createHash("sha256").update(text).digest("hex");
    expect(chainHash(CHAIN_START, { id: 1, é: '"\uD800', left: undefined, a: [1, { b: null }] })).toBe(
      expected,
    );
  });

  it("[D676] the order of members does not matter, and JSON that was sent and read again has the same hash", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (entry) => {
        const sent = JSON.parse(JSON.stringify(entry)) as object;
        const turned = Object.fromEntries(Object.entries(sent).toReversed());
        expect(canonicalJson(turned)).toBe(canonicalJson(sent));
        expect(JSON.parse(canonicalJson(sent))).toEqual(sent);
      }),
    );
  });

  it("[D676] an unchanged chain holds, and each change breaks it once, where it was made", () => {
    const chain = makeChain(5);
    const [first, second, third, ...rest] = chain as [Entry, Entry, Entry, ...Entry[]];
    expect(breaksOf(chain)).toEqual([]);
    const changed = { ...second, subject: "harmless" };
    expect(breaksOf([first, changed, third, ...rest])).toEqual([[2, expect.stringContaining("changed")]]);
    const rehashed = { ...changed, hash: chainHash(first.hash ?? "", { id: 2, subject: "harmless" }) };
    expect(breaksOf([first, rehashed, third, ...rest])).toEqual([[3, expect.stringContaining("changed")]]);
    expect(breaksOf([first, third, ...rest])).toEqual([[3, "entry 2 is missing before it"]]);
    expect(breaksOf([first, ...rest])).toEqual([[4, "entries 2 to 3 are missing before it"]]);
    const { hash: _, ...unhashed } = second;
    expect(breaksOf([first, unhashed, third, ...rest])).toEqual([
      [2, expect.stringContaining("no hash")],
      [3, expect.stringContaining("changed")],
    ]);
    expect(breaksOf([second, first])).toEqual([
      [2, "entry 1 is missing before it"],
      [1, expect.stringContaining("another order")],
    ]);
  });

  it("[D676] any single change of an entry or a hash breaks it", () => {
    const chain = makeChain(20);
    const edits = fc.record({
      at: fc.nat(19),
      name: fc.constantFrom("id", "subject", "hash"),
      value: fc.string(),
    });
    fc.assert(
      fc.property(edits, ({ at, name, value }) => {
        const edited = chain.map((entry, index) =>
          index === at ? { ...entry, [name]: name === "id" ? entry.id + 1 + value.length : value } : entry,
        );
        expect(breaksOf(edited)).not.toEqual([]);
      }),
    );
  });
});
