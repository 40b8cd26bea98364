// The configuration file: comments, defaults, and mistakes named by their place.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "./config-file.ts";
import { StartError } from "../command-error.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

function homeWith(text: string): string {
  const home = temporaryFolder();
  writeFileSync(path.join(home, "config.jsonc"), text);
  return home;
}

function faultOf(load: () => unknown): StartError {
  try {
    load();
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("[C3] the configuration", () => {
  it("[C3] has defaults without a file, and with one that says nothing", () => {
    const defaults = loadConfig(temporaryFolder(), undefined);
    expect(defaults.listen).toEqual({ host: "127.0.0.1", port: 4747 });
    expect(loadConfig(homeWith(""), undefined)).toEqual(defaults);
    expect(loadConfig(homeWith("// nothing\n"), undefined)).toEqual(defaults);
  });

  it("[C3] is read from the home, with comments, trailing commas and a byte order mark", () => {
    const home = homeWith(`\uFEFF{
      // another port
      "listen": { "port": 5000, },
      /* no more */
    }`);
    expect(loadConfig(home, undefined).listen.port).toBe(5000);
  });

  it("[C3] is read from the named file instead", () => {
    const home = homeWith(`{ "maxSessions": 1 }`);
    const named = path.join(home, "other.json");
    writeFileSync(named, `{ "maxSessions": 2 }`);
    expect(loadConfig(home, named).maxSessions).toBe(2);
  });

  it("[C3] that is named must be there, and be a file", () => {
    const home = temporaryFolder();
    const missing = path.join(home, "missing.jsonc");
    const fault = faultOf(() => loadConfig(home, missing));
    expect(fault.message).toBe(`The configuration ${missing} does not exist.`);
    expect(fault.exitCode).toBe(2);
    mkdirSync(path.join(home, "config.jsonc"));
    expect(faultOf(() => loadConfig(home, undefined)).message).toContain("cannot be read (EISDIR)");
  });

  it("[C3] names each syntax error by line and column", () => {
    const fault = faultOf(() =>
      loadConfig(homeWith(`{\r\n  "listen": {\r\n    "port" 1\r\n  }\r\n}`), undefined),
    );
    expect(fault.message).toMatch(/cannot be used:\n {2}line 3, column 12: colon expected$/);
    expect(fault.exitCode).toBe(2);
    expect(faultOf(() => loadConfig(homeWith(`{ "a": 1`), undefined)).message).toContain(
      "line 1, column 9: close brace expected",
    );
  });

  it("[C3] lists everything that does not fit by its path", () => {
    const fault = faultOf(() =>
      loadConfig(homeWith(`{ "listen": { "port": "x" }, "maxSessions": 0, "colour": 1 }`), undefined),
    );
    expect(fault.message.split("\n").slice(1)).toEqual([
      "  maxSessions must be at least 1",
      "  listen.port must be a number, not a string",
      expect.stringMatching(/^ {2}The configuration has no member "colour"; it has: agents, /),
    ]);
    expect(faultOf(() => loadConfig(homeWith("null"), undefined)).message).toContain(
      "The configuration must be an object, not null",
    );
  });
});
