// Entries: what readers share, and what an entry is taken to cost.
import { makeId, type Action } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { estimateActionBytes } from "./action-size.ts";
import { LogEntry, type Projection } from "./log-entry.ts";

function makeEntry(action: Action): LogEntry {
  return new LogEntry({
    channel: "ahp-chat:/c1",
    serverSeq: 1,
    action,
    origin: undefined,
    sizeBytes: 1,
    atMs: 0,
  });
}

describe("a projection", () => {
  it("[H11] of an entry is made once for all readers, each kind apart", () => {
    let made = 0;
    const count = (name: string): Projection<string | undefined> => ({
      name,
      show: ({ serverSeq }) => {
        made += 1;
        return name === "nothing" ? undefined : `${name} ${serverSeq}`;
      },
    });
    const projections = ["one", "two", "nothing"].map(count);
    const entry = makeEntry({ type: "chat/titleChanged", title: "a" });
    const show = (): (string | undefined)[] => projections.map((projection) => entry.cached(projection));
    expect(show()).toEqual(["one 1", "two 1", undefined]);
    expect(show()).toEqual(["one 1", "two 1", undefined]);
    expect(made).toBe(3);
  });

  it("[H11] that throws is not kept", () => {
    const fault = new Error("no text for this");
    let isBroken = true;
    const projection: Projection<string> = {
      name: "text",
      show: () => {
        if (isBroken) throw fault;
        return "text";
      },
    };
    const entry = makeEntry({ type: "chat/titleChanged", title: "a" });
    expect(() => entry.cached(projection)).toThrow(fault);
    isBroken = false;
    expect(entry.cached(projection)).toBe("text");
  });
});

describe("the size of an action", () => {
  const turnId = makeId("turn", "1");
  const partId = makeId("part", "1");
  const texts: ((text: string) => Action)[] = [
    (content) => ({ type: "chat/delta", turnId, partId, content }),
    (content) => ({ type: "chat/reasoning", turnId, partId, content }),
    (data) => ({ type: "terminal/data", data, offset: 0, endOffset: data.length }),
    (data) => ({ type: "terminal/input", data }),
    (title) => ({ type: "chat/titleChanged", title }),
    (text) => ({ type: "chat/agentUpdateReceived", updateKind: "x", update: { deep: [{ er: text }] } }),
  ];

  it("[H12] grows with the text in it, wherever it stands, and is never nothing", () => {
    for (const make of texts) {
      const empty = estimateActionBytes(make(""));
      expect(empty).toBeGreaterThan(100);
      expect(estimateActionBytes(make("x".repeat(1000)))).toBe(empty + 1000);
    }
  });

  it("[H12] is found for a value that is nested deeper than any stack", () => {
    let update = {};
    for (let depth = 0; depth < 100_000; depth += 1) update = { update };
    const action: Action = { type: "chat/agentUpdateReceived", updateKind: "x", update };
    expect(estimateActionBytes(action)).toBeGreaterThan(1_000_000);
  });
});
