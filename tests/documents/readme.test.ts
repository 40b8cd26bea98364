// The README: its length, its two commands, and what comes of typing its first turn.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDocument } from "./document.ts";
import { DocumentHost } from "./document-host.ts";

const readme = readDocument("README.md");
let host: DocumentHost;

beforeAll(async () => {
  host = await DocumentHost.start();
}, 120_000);
afterAll(() => host.close());

/** The block of the README with a name. */
function block(name: string): string {
  const found = readme.blocks.find(({ mark }) => mark?.kind === "run" && mark.name === name);
  if (found === undefined) throw new Error(`README.md has no block ${name}`);
  return found.code;
}

describe("the README", () => {
  it("[A1, Y23] the first turn works with curl alone, from the session to the 404 after its end", async () => {
    const startedMs = performance.now();
    const { output, exitCode } = await host.runShell(block("first-turn"));
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    const events = [...output.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(events).toContain("permission_request");
    expect(events.slice(-2)).toEqual(["done", "close"]);
    expect(output).toContain("```\\nhi\\n```");
    expect(output).toContain('{"success":true,"resolved":true}');
    expect(output.trimEnd()).toMatch(/"code":"ACP_SESSION_NOT_FOUND"\}$/);
    // The cancelled sleep would have taken a minute.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(readFileSync(path.join(host.folder, "turn.txt"), "utf8")).toContain('"stopReason":"cancelled"');
  });

  it("[G1] has the two commands, and at most 200 lines", () => {
    expect(readme.text).toContain("npm start");
    expect(readme.text).toContain("npm test");
    expect(readme.text.split("\n").length).toBeLessThanOrEqual(200);
  });
});
