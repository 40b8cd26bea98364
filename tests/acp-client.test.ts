// The example client is compiled by the type checker and run here, against a real agent on the official SDK.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

async function prompt(text: string): Promise<string> {
  const args = [
    "--import",
    "tsx",
    "examples/acp-client.ts",
    text,
    process.execPath,
    "tests/fixtures/terminal-agent.mjs",
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return stdout;
}

describe("the example client", () => {
  it("[T30] gives an agent of the official SDK terminals that work", async () => {
    expect(await prompt("seq 1 3; echo done >&2; exit 3")).toBe("1\n2\n3\ndone\n[exit 3]\n");
  });

  it("[T30] answers what cannot run with the protocol's error", async () => {
    expect(await prompt("nosuch")).toMatch(/^\[error -32602\] Program not found: nosuch/);
  });

  it("[T30] has at most sixty lines", () => {
    expect(
      readFileSync(`${root}/examples/acp-client.ts`, "utf8").trimEnd().split("\n").length,
    ).toBeLessThanOrEqual(60);
  });
});
