// Keys: what is kept of them, how they are recognised, how they end.
import { MemoryMeta } from "@holdfast/core/testing";
import { describe, expect, it } from "vitest";
import { KeyStore } from "./key-store.ts";

interface Line {
  readonly level: string;
  readonly facts: unknown;
}

/** A store whose clock the test moves. */
function openStore(meta = new MemoryMeta()) {
  const clock = { nowMs: Date.parse("2026-01-02T03:04:05.000Z") };
  const lines: Line[] = [];
  const keys = new KeyStore({
    meta,
    log: (level, _message, facts) => lines.push({ level, facts }),
    now: () => new Date(clock.nowMs),
  });
  return { meta, clock, lines, keys };
}

function storedText(meta: MemoryMeta): string {
  return meta
    .keys("")
    .map((name) => `${name}=${meta.get(name)}`)
    .join("\n");
}

describe("[A60] a key", () => {
  it("[A60] is kept as a digest alone, under its id", () => {
    const { keys, meta } = openStore();
    const { key, text } = keys.create({ name: "build", scopes: ["acp.agent"] });
    expect(text).toMatch(/^hf_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(meta.keys("")).toEqual([`key/${key.id}`]);
    const secret = text.slice(`hf_${key.id}_`.length);
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    const stored = storedText(meta);
    for (const encoding of ["utf8", "hex", "base64", "base64url"] as const) {
      expect(stored).not.toContain(Buffer.from(secret).toString(encoding));
    }
    expect(stored).not.toContain(Buffer.from(secret, "base64url").toString("hex"));
    expect(JSON.stringify(keys.list())).not.toContain("digest");
  });

  it("[A60] no two are alike, and a scope that is named twice counts once", () => {
    const { keys } = openStore();
    const made = Array.from({ length: 50 }, () =>
      keys.create({ name: "n", scopes: ["terminal", "terminal"] }),
    );
    expect(new Set(made.map(({ text }) => text)).size).toBe(50);
    expect(made[0]?.key.scopes).toEqual(["terminal"]);
    expect(keys.list()).toHaveLength(50);
  });

  it("[A60] is recognised by the next host on the same store", () => {
    const { keys, meta } = openStore();
    const { key, text } = keys.create({ name: "build", scopes: ["acp.agent", "terminal"] });
    const next = openStore(meta).keys;
    expect(next.list()).toEqual([key]);
    expect(next.recognise(text)).toMatchObject({ id: key.id, scopes: ["acp.agent", "terminal"] });
  });

  it("[A60] its use is written down once a minute, and shows when it last was", () => {
    const { keys, meta, clock } = openStore();
    const { key, text } = keys.create({ name: "build", scopes: ["acp.agent"] });
    const name = `key/${key.id}`;
    const unused = meta.get(name);
    expect(keys.recognise(text)?.lastUsedAt).toBe("2026-01-02T03:04:05.000Z");
    const usedOnce = meta.get(name);
    expect(usedOnce).not.toBe(unused);
    clock.nowMs += 59_999;
    keys.recognise(text);
    expect(meta.get(name)).toBe(usedOnce);
    clock.nowMs += 1;
    keys.recognise(text);
    expect(keys.list()[0]?.lastUsedAt).toBe("2026-01-02T03:05:05.000Z");
    expect(meta.get(name)).toContain("2026-01-02T03:05:05.000Z");
  });

  it("[A60] is right even where its use cannot be written down", () => {
    const { keys, meta, lines } = openStore();
    const { text } = keys.create({ name: "build", scopes: ["acp.agent"] });
    meta.set = () => {
      throw new Error("The disk is full");
    };
    expect(keys.recognise(text)).toBeDefined();
    expect(lines).toMatchObject([{ level: "warn" }]);
  });

  it("[A60] a record that cannot be read opens nothing and is reported", () => {
    const meta = new MemoryMeta();
    const { key, text } = openStore(meta).keys.create({ name: "build", scopes: ["acp.agent"] });
    const name = `key/${key.id}`;
    const record = JSON.parse(meta.get(name) ?? "") as object;
    for (const broken of ["", "[]", "no JSON", JSON.stringify({ ...record, digest: "00" })]) {
      meta.set(name, broken);
      const { keys, lines } = openStore(meta);
      expect(keys.recognise(text)).toBeUndefined();
      expect(lines).toEqual([{ level: "error", facts: { name } }]);
    }
  });
});

describe("[A61] a revoked key", () => {
  it("[A61] opens nothing from that moment on, after a restart neither", () => {
    const { keys, meta } = openStore();
    const { key, text } = keys.create({ name: "build", scopes: ["acp.agent"] });
    expect(keys.revoke(key.id)).toMatchObject({ id: key.id, revokedAt: "2026-01-02T03:04:05.000Z" });
    expect(keys.recognise(text)).toBeUndefined();
    expect(openStore(meta).keys.recognise(text)).toBeUndefined();
  });

  it("[A61] stays in the list, keeps its time when revoked again, and leaves others alone", () => {
    const { keys, clock } = openStore();
    const { key } = keys.create({ name: "old", scopes: ["acp.agent"] });
    clock.nowMs += 1000;
    const other = keys.create({ name: "new", scopes: ["acp.agent"] });
    const revoked = keys.revoke(key.id);
    clock.nowMs += 1000;
    expect(keys.revoke(key.id)).toEqual(revoked);
    expect(keys.list().map(({ name, revokedAt }) => [name, revokedAt])).toEqual([
      ["old", "2026-01-02T03:04:06.000Z"],
      ["new", null],
    ]);
    expect(keys.recognise(other.text)).toBeDefined();
    expect(keys.revoke("0000000000000000")).toBeUndefined();
  });

  it("[A61] is closed even where that cannot be written down", () => {
    const { keys, meta } = openStore();
    const { key, text } = keys.create({ name: "build", scopes: ["acp.agent"] });
    meta.set = () => {
      throw new Error("The disk is full");
    };
    expect(() => keys.revoke(key.id)).toThrow("disk");
    expect(keys.recognise(text)).toBeUndefined();
  });
});

describe("[A622] a ceiling", () => {
  it("[A621] is the default one unless the owner names another, and admin keys have none", () => {
    const { keys } = openStore();
    const made = (request: Partial<Parameters<typeof keys.create>[0]>): unknown =>
      keys.create({ name: "build", scopes: ["acp.agent"], ...request }).key.ceiling;
    expect(made({})).toEqual({ policy: "approve-reads" });
    expect(made({ ceiling: { agents: ["claude"] } })).toEqual({
      policy: "approve-reads",
      agents: ["claude"],
    });
    expect(made({ ceiling: { policy: "deny-all", roots: ["/a"] } })).toEqual({
      policy: "deny-all",
      roots: ["/a"],
    });
    expect(made({ scopes: ["admin"] })).toBeUndefined();
  });

  it("[A622] is the default one for a key of a version without ceilings", () => {
    const meta = new MemoryMeta();
    const { keys } = openStore(meta);
    const { key, text } = keys.create({
      name: "old",
      scopes: ["acp.agent"],
      ceiling: { policy: "approve-all" },
    });
    const admin = keys.create({ name: "owner", scopes: ["admin"] });
    expect(openStore(meta).keys.recognise(text)?.ceiling).toEqual({ policy: "approve-all" });
    const { ceiling: _ceiling, ...record } = JSON.parse(meta.get(`key/${key.id}`) ?? "") as typeof key;
    meta.set(`key/${key.id}`, JSON.stringify(record));
    const next = openStore(meta).keys;
    expect(next.recognise(text)?.ceiling).toEqual({ policy: "approve-reads" });
    expect(next.recognise(admin.text)?.ceiling).toBeUndefined();
  });
});

describe("[A72] a wrong key", () => {
  it("[A72] is none, whichever part of it is wrong", () => {
    const { keys } = openStore();
    const { key, text } = keys.create({ name: "build", scopes: ["admin"] });
    const last = text.endsWith("A") ? "B" : "A";
    const wrong = [
      `${text.slice(0, -1)}${last}`,
      text.replace(key.id, "0123456789abcdef"),
      text.toUpperCase(),
      `${text} `,
      text.slice(3),
      `hf_${key.id}_`,
      `hf___proto___${"A".repeat(43)}`,
      "",
    ];
    for (const each of wrong) expect(keys.recognise(each)).toBeUndefined();
    expect(keys.recognise(text)).toBeDefined();
  });
});
