// What the README tells a newcomer to type is typed here, against the program itself.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "readme-"));

interface Ready {
  readonly event: string;
  readonly url: string;
  readonly ahpUrl: string;
  readonly token: string;
}

let host: ChildProcessWithoutNullStreams;
let ready: Ready;

beforeAll(async () => {
  const args = ["--import", "tsx", "--conditions=@holdfast/source", "packages/cli/src/main.ts"];
  host = spawn(process.execPath, [...args, "--port", "0", "--home", path.join(folder, "home"), "--json"], {
    cwd: root,
  });
  let stdout = "";
  ready = await new Promise<Ready>((resolve, reject) => {
    host.stdout.on("data", (data: Buffer) => {
      stdout += data.toString();
      if (stdout.endsWith("\n")) resolve(JSON.parse(stdout) as Ready);
    });
    host.once("exit", (code) => reject(new Error(`the host ended with ${code}: ${stdout}`)));
  });
});

afterAll(async () => {
  const ended = new Promise((resolve) => host.once("exit", resolve));
  host.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true });
});

/** The block of the README that follows its mark. */
function block(name: string): string {
  const found = new RegExp(`<!-- run: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\n\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`README.md has no block ${name}`);
  return found;
}

async function run(script: string): Promise<{ output: string; exitCode: number | null }> {
  const shell = spawn("bash", ["-eu", "-c", script], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, URL: ready.url, TOKEN: ready.token },
  });
  let output = "";
  shell.stdout.on("data", (data: Buffer) => (output += data.toString()));
  const exitCode = await new Promise<number | null>((resolve) => shell.once("close", resolve));
  return { output, exitCode };
}

describe("the README", () => {
  it("[A1] the first turn works with curl alone, from the session to the 404 after its end", async () => {
    expect(ready).toMatchObject({ event: "ready", ahpUrl: expect.stringMatching(/^ws:.*\/ahp$/) });
    const startedMs = performance.now();
    const { output, exitCode } = await run(block("first-turn"));
    expect(exitCode).toBe(0);
    const events = [...output.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(events).toContain("permission_request");
    expect(events.slice(-2)).toEqual(["done", "close"]);
    expect(output).toContain("```\\nhi\\n```");
    expect(output).toContain('{"success":true,"resolved":true}');
    expect(output.trimEnd()).toMatch(/"code":"ACP_SESSION_NOT_FOUND"\}$/);
    // The cancelled sleep would have taken a minute.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(readFileSync(path.join(folder, "turn.txt"), "utf8")).toContain('"stopReason":"cancelled"');
  });

  it("[G1] has the two commands, and at most 200 lines", () => {
    expect(readme).toContain("npm start");
    expect(readme).toContain("npm test");
    expect(readme.split("\n").length).toBeLessThanOrEqual(200);
  });
});
