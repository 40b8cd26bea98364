// Size of what a browser loads before it shows something.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cannotBrowse, pageFolder } from "./page-browser.ts";

const maxFirstLoadBytes = 140_000;

describe.skipIf(cannotBrowse)("[Z5] the first load", () => {
  it("[Z5] is small, and the terminal's screen is no part of it", () => {
    const html = readFileSync(path.join(pageFolder, "index.html"), "utf8");
    const named = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
    expect(named.length).toBeGreaterThan(1);
    const sizeBytes = named.reduce(
      (sum, file) => sum + gzipSync(readFileSync(path.join(pageFolder, file))).length,
      0,
    );
    console.log(`first load: ${sizeBytes} bytes gzipped`);
    expect(sizeBytes).toBeLessThan(maxFirstLoadBytes);
    const scripts = named.filter((file) => file.endsWith(".js"));
    for (const file of scripts) {
      expect(readFileSync(path.join(pageFolder, file), "utf8")).not.toContain("xterm-helper-textarea");
    }
  });

  it("[Z2] has no script but files", () => {
    const html = readFileSync(path.join(pageFolder, "index.html"), "utf8");
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(html).not.toMatch(/\son[a-z]+=/);
    expect(readdirSync(path.join(pageFolder, "assets")).every((name) => /-[\w-]{8}\.\w+$/.test(name))).toBe(
      true,
    );
  });
});
