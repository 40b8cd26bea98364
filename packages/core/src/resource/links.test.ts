// Links that lead somewhere, nowhere, or in circles.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { followLinks, followLinksNow } from "./links.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "links-")));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(path.join(folder, "real"));
writeFileSync(path.join(folder, "real", "file"), "");
symlinkSync("real", path.join(folder, "link"));
symlinkSync(path.join(folder, "elsewhere", "none"), path.join(folder, "dangling"));
symlinkSync("dangling", path.join(folder, "again"));
symlinkSync("circle", path.join(folder, "circle"));

test.each([
  ["link/file", "real/file"],
  ["link/new/file", "real/new/file"],
  ["dangling", "elsewhere/none"],
  ["again", "elsewhere/none"],
  ["dangling/below", "elsewhere/none/below"],
])("[N675] %s leads to %s, also where nothing is there yet", async (from, to) => {
  expect(await followLinks(path.join(folder, from))).toBe(path.join(folder, to));
  expect(followLinksNow(path.join(folder, from))).toBe(path.join(folder, to));
});

test("[N675] a circle ends", async () => {
  expect(await followLinks(path.join(folder, "circle"))).toBe(path.join(folder, "circle"));
  expect(followLinksNow(path.join(folder, "circle"))).toBe(path.join(folder, "circle"));
});
