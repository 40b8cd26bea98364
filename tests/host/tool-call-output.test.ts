// The output of commands in a turn's stream of a real host, for a key that may not read terminals.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Holdfast } from "@holdfast/sdk";
import { readFrames, type Frame } from "./event-reader.ts";
import { startHostInProcess } from "./host-in-process.ts";
import type { TestedHost } from "./real-host.ts";

const program = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));
const update = (toolCallId: string, fields: object) => ({
  do: "update",
  update: { sessionUpdate: "tool_call_update", toolCallId, title: toolCallId, ...fields },
});
const byHost = { terminalId: "$run.terminalId" };
const byAgent = { terminal_id: "own" };

const prompt = [
  { do: "ask", as: "run", method: "terminal/create", params: { command: "echo built; exit 3" } },
  update("host", { status: "in_progress", content: [{ type: "terminal", ...byHost }] }),
  { do: "ask", as: "exit", method: "terminal/wait_for_exit", params: byHost },
  { do: "ask", as: "release", method: "terminal/release", params: byHost },
  update("host", { status: "failed" }),
  update("own", {
    status: "completed",
    content: [{ type: "terminal", terminalId: "own" }],
    _meta: { terminal_output: { ...byAgent, data: "up\n" } },
  }),
  update("own", { _meta: { terminal_exit: { ...byAgent, exit_code: 0 } } }),
];

const folder = mkdtempSync(path.join(tmpdir(), "tool-call-output-"));
let host: TestedHost;

beforeAll(async () => {
  const file = path.join(folder, "script.json");
  writeFileSync(file, JSON.stringify([{ prompts: { "*": prompt } }]));
  const env = { FAKE_AGENT_SCRIPT: file, FAKE_AGENT_RECORD: path.join(folder, "record.ndjson") };
  host = await startHostInProcess({
    config: { agents: { maker: { command: process.execPath, args: [program], env } } },
  });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

it("[A300] [A46] a key with acp.agent alone reads the output and exit of commands, and a cut stream equals the uncut one", async () => {
  const owner = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  const { secret } = await owner.keys.create({
    name: "app",
    scopes: ["acp.agent"],
    ceiling: { policy: "approve-all" },
  });
  const sdk = new Holdfast({ baseUrl: host.url, apiKey: secret });
  await expect(sdk.terminals.list()).rejects.toMatchObject({ status: 403 });
  const wish = { agent_id: "maker", cwd: host.project, approvalPolicy: "approve-all" as const };
  const { session_key: key } = await sdk.acpAgent.createSession(wish);
  const address = `${host.url}/sdk/acp/session/${key}`;
  const headers = { "x-api-key": secret, "content-type": "application/json" };
  const body = JSON.stringify({ message: "go" });
  const response = await fetch(`${address}/chat/stream`, { method: "POST", headers, body });
  const turn = response.headers.get("x-holdfast-turn-id") ?? "";
  const frames = await collect(response);
  const calls = frames.flatMap(({ text }) => {
    const data = /^event: tool_call\n(?:.*\n)*data: (.*)$/m.exec(text)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as { toolCallId: string; text: string }];
  });
  const ends = ["host", "own"].map((id) => calls.findLast(({ toolCallId }) => toolCallId === id));
  expect(ends).toMatchObject([
    {
      status: "failed",
      text: "host (failed): built\n",
      content: [{ output: "built\n", truncated: false, exitStatus: { exitCode: 3, signal: null } }],
    },
    { status: "completed", content: [{ output: "up\n", exitStatus: { exitCode: 0, signal: null } }] },
  ]);
  const completed = calls.filter(({ toolCallId }) => toolCallId === "own").at(-2);
  expect(completed).toMatchObject({ status: "completed", content: [{ output: "up\n" }] });
  expect(completed).not.toMatchObject({ content: [{ exitStatus: expect.anything() }] });
  for (const [index, { id }] of frames.entries()) {
    if (id === undefined) continue;
    const rest = await collect(await fetch(`${address}/events?after=${id}&turn=${turn}`, { headers }));
    expect(rest).toEqual(frames.slice(index + 1));
  }
});

async function collect(response: Response): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(response)) frames.push(frame);
  return frames;
}
