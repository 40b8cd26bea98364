// Sign-ins as they are kept: restarts, idle ones, another token, and a disk that is full.
import { MemoryMeta } from "@holdfast/core/testing";
import { expect, it } from "vitest";
import { SignIns } from "./sign-ins.ts";

const day = 24 * 60 * 60 * 1000;
const browser = {
  userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) Safari/605.1",
  address: "127.0.0.1",
};

function open(meta = new MemoryMeta(), token = "a-token", clock = { nowMs: Date.UTC(2026, 0, 2) }) {
  const ended: string[] = [];
  const warnings: string[] = [];
  const signIns = new SignIns({
    meta,
    token,
    log: (_level, message) => void warnings.push(message),
    now: () => new Date(clock.nowMs),
    end: (clientId) => void ended.push(clientId),
  });
  return { signIns, meta, clock, ended, warnings };
}

it("[Z621] keeps a digest, survives a restart, and ends with the token", () => {
  const { signIns, meta } = open();
  const { signIn, secret } = signIns.create(browser);
  expect(signIn).toMatchObject({ device: "Safari on macOS", address: "127.0.0.1" });
  expect(JSON.stringify(meta.keys("").map((name) => meta.get(name)))).not.toContain(secret);
  expect(open(meta).signIns.recognise(secret)).toEqual(signIn);
  expect(open(meta).signIns.recognise(`${secret}x`)).toBeUndefined();
  expect(open(meta, "another-token").signIns.recognise(secret)).toBeUndefined();
  expect(meta.keys("sign-in/")).toEqual([]);
});

it("[Z621] ends after 30 days without use, and use is noted once a minute", () => {
  const { signIns, meta, clock } = open();
  const { secret } = signIns.create(browser);
  clock.nowMs += 30 * day;
  expect(signIns.recognise(secret)?.lastUsedAt).toBe("2026-02-01T00:00:00.000Z");
  clock.nowMs += 59_000;
  expect(signIns.recognise(secret)?.lastUsedAt).toBe("2026-02-01T00:00:00.000Z");
  clock.nowMs += 30 * day + 1;
  expect(signIns.list()).toEqual([]);
  expect(open(meta, "a-token", { nowMs: clock.nowMs }).signIns.recognise(secret)).toBeUndefined();
  expect(signIns.recognise(secret)).toBeUndefined();
});

it("[A710] does not outlive its 30 days because the clock was ahead when it was used", () => {
  const { signIns, clock } = open();
  const { secret } = signIns.create(browser);
  clock.nowMs += 29 * day;
  expect(signIns.recognise(secret)).toBeDefined();
  clock.nowMs -= 29 * day;
  expect(signIns.recognise(secret)?.lastUsedAt).toBe("2026-01-02T00:00:00.000Z");
  clock.nowMs += 31 * day;
  expect(signIns.recognise(secret)).toBeUndefined();
});

it("[Z621] closes what is open when it is revoked, also where that cannot be written down", () => {
  const { signIns, meta, ended } = open();
  const { signIn, secret } = signIns.create(browser);
  meta.delete = () => {
    throw new Error("The disk is full");
  };
  expect(() => signIns.revoke(signIn.id)).toThrow("disk");
  expect(signIns.recognise(secret)).toBeUndefined();
  expect(ended).toEqual([`sign-in:${signIn.id}`]);
  expect(signIns.revoke(signIn.id)).toBeUndefined();
});

it("[Z621] keeps the hundred that were used last", () => {
  const { signIns, clock } = open();
  const first = signIns.create(browser);
  signIns.create(browser);
  for (let index = 0; index < 98; index += 1) signIns.create(browser);
  clock.nowMs += day;
  signIns.recognise(first.secret);
  const last = signIns.create({ userAgent: undefined, address: undefined });
  expect(last.signIn).toMatchObject({ device: "Another program", address: "unknown" });
  expect(signIns.list()).toHaveLength(100);
  expect(signIns.recognise(first.secret)).toBeDefined();
});
