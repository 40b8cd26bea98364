// Agents that nest JSON thousands of levels deep, on a real host with its database.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Holdfast } from "@holdfast/sdk";
import { startRealHost, type RealHost } from "./real-host.ts";

const program = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

/** A line that an agent writes as it is. */
function line(sessionUpdate: string, member: string, levels: number): object {
  const update = `{"sessionUpdate":"${sessionUpdate}","toolCallId":"deep","title":"d","${member}":${nested(levels)}}`;
  const params = `{"sessionId":"fake-1","update":${update}}`;
  return { do: "stdout", text: `{"jsonrpc":"2.0","method":"session/update","params":${params}}\n` };
}

const deep = [90, 200, 5000, 50_000].flatMap((levels) => [
  line("tool_call", "rawInput", levels),
  line("tool_call_update", "rawOutput", levels),
  line("invented_update", "_meta", levels),
]);
const script = {
  prompts: { "*": [{ do: "say", text: "fine" }], deep: [...deep, { do: "say", text: "done" }] },
};

const folder = mkdtempSync(path.join(tmpdir(), "deep-json-"));
let host: RealHost;

beforeAll(async () => {
  const file = path.join(folder, "script.json");
  writeFileSync(file, JSON.stringify([script]));
  const env = { FAKE_AGENT_SCRIPT: file, FAKE_AGENT_RECORD: path.join(folder, "record.ndjson") };
  host = await startRealHost({
    config: { agents: { maker: { command: process.execPath, args: [program], env } } },
  });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

it("[N450] updates nested deeper than 100 levels are dropped, and this and other sessions continue", async () => {
  const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  const wish = { agent_id: "maker", cwd: host.project, approvalPolicy: "approve-all" as const };
  const { session_key: hostile } = await sdk.acpAgent.createSession(wish);
  const { session_key: other } = await sdk.acpAgent.createSession(wish);
  expect(await sdk.acpAgent.chat(hostile, "deep")).toMatchObject({ text: "done" });
  expect(await sdk.acpAgent.chat(other, "hello")).toMatchObject({ text: "fine" });
  expect(await sdk.acpAgent.chat(hostile, "hello")).toMatchObject({ text: "fine" });
  const ready = await fetch(`${host.url}/readyz`);
  expect(ready.status).toBe(200);
});
