// Pages of sessions: order, cursors, filters.
import { describe, expect, it } from "vitest";
import { makePage, readSessionQuery, type SessionPage } from "./sessions.ts";
import type { SessionRecord } from "./session.ts";

function makeRecord(number: number, cwd = "/a"): SessionRecord {
  return {
    sessionId: `s${String(number).padStart(3, "0")}`,
    cwd,
    // Two of them share each moment.
    updatedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(number / 2))).toISOString(),
    mode: "ask",
    output: "tail",
    allowed: [],
  };
}

const records = Array.from({ length: 23 }, (_, index) => makeRecord(index, index % 3 === 0 ? "/b" : "/a"));

function collect(query: { cwd?: string }, list: () => SessionRecord[] = () => records): string[][] {
  const pages: string[][] = [];
  let page: SessionPage | undefined;
  do {
    page = makePage(list(), readSessionQuery({ ...query, cursor: page?.nextCursor ?? null }), 5);
    pages.push(page.sessions.map((session) => session.sessionId));
  } while (page.nextCursor !== undefined);
  return pages;
}

describe("pages of sessions", () => {
  it("[S19] have every session once, newest first", () => {
    const pages = collect({});
    expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
    const all = pages.flat();
    expect(new Set(all).size).toBe(23);
    const moments = all.map((id) => Math.floor(Number(id.slice(1)) / 2));
    expect(moments).toEqual(moments.toSorted((left, right) => right - left));
  });

  it("[S19] skip and repeat nothing when sessions come while somebody reads", () => {
    let count = 23;
    const growing = (): SessionRecord[] => {
      count += 1;
      return Array.from({ length: count }, (_, index) => makeRecord(100 + index)).toReversed();
    };
    const [first = [], ...rest] = collect({}, growing);
    const all = [...first, ...rest.flat()];
    expect(new Set(all).size).toBe(all.length);
    expect(all).toContain("s100");
    expect(all).toHaveLength(24);
  });

  it("[S19] are of one folder when asked for", () => {
    const all = collect({ cwd: "/b" }).flat();
    expect(all.toSorted()).toEqual(["s000", "s003", "s006", "s009", "s012", "s015", "s018", "s021"]);
  });

  it("[S19] a full last page has no cursor", () => {
    expect(makePage(records.slice(0, 5), {}, 5).nextCursor).toBeUndefined();
    expect(makePage([], {}, 5)).toEqual({ sessions: [] });
  });

  it.each([
    [{ cursor: "nonsense" }, "cursor"],
    [{ cursor: Buffer.from("2026 x").toString("base64url") }, "cursor"],
    [{ cursor: 7 }, "cursor"],
    [{ cwd: "here" }, "cwd"],
  ])("[S19] %j is refused", (params, field) => {
    expect(() => readSessionQuery(params)).toThrow(
      expect.objectContaining({ code: -32602, data: { field } }) as Error,
    );
  });
});
