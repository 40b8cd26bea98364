// The benchmark of the first host: updates through the hub against the official SDK, sessions, and latency to an SSE client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Host } from "@holdfast/core";
import { Spawner } from "@holdfast/terminal/process";
import { readConfig } from "@holdfast/protocol";
import { Policy, PRESETS } from "@holdfast/terminal/policy";
import { startServer } from "@holdfast/server";
import { MemoryStorage } from "../../packages/core/src/testing/memory-storage.ts";
import { median, monotonicMs } from "../terminal/statistics.ts";
import { bareHandshakeMs, sdkUpdatesPerSecond } from "./peers.ts";
import { readTurn, updatesPerSecond } from "./updates.ts";

const rounds = process.argv.includes("--short") ? 3 : 9;
const updates = 200_000;
const agentProgram = fileURLToPath(new URL("./flood-agent.mjs", import.meta.url));
const agent = { command: process.execPath, args: [agentProgram] };
const me = { kind: "owner" } as const;
const folder = mkdtempSync(join(tmpdir(), "bench-core-"));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const config = readConfig({ agents: { flood: agent }, maxSessions: 1000 });
if (!config.ok) throw new Error(JSON.stringify(config.problems));
// In memory, so that this measures the core without the disk.
const storage = new MemoryStorage();
const host = new Host({
  processPort: new Spawner(),
  storage,
  config: config.value,
  stateFolder: folder,
  shellAgent: { ...agent, version: "0" },
  log: () => {},
});

const newSession = async (): Promise<string> =>
  (await host.createSession({ agent_id: "flood", cwd: folder, approvalPolicy: "approve-all" }, me))
    .session_key;

/** Tool calls a second in one turn, from the child's pipe through the hub to a reader that has seen all their ends. */
async function toolCallsPerSecond(calls: number): Promise<number> {
  const key = await newSession();
  let ended = 0;
  const startedMs = performance.now();
  await readTurn(host, key, `calls ${calls}`, (action) => {
    if (action.type === "chat/toolCallComplete") ended += 1;
  });
  const perSecond = (calls / (performance.now() - startedMs)) * 1000;
  if (ended !== calls) throw new Error(`the reader saw the end of ${ended} of ${calls} calls`);
  await host.closeSession(key, undefined, me);
  return perSecond;
}

async function createMs(): Promise<number> {
  const startedMs = performance.now();
  const key = await newSession();
  const tookMs = performance.now() - startedMs;
  await host.closeSession(key, undefined, me);
  return tookMs;
}

/** Milliseconds between an agent's writing of an update and its arrival at a client of the event stream. */
async function latenciesMs(): Promise<number[]> {
  const server = await startServer({
    host,
    token: "bench",
    listen: { host: "127.0.0.1", port: 0 },
    log: () => {},
    meta: storage.meta,
  });
  const key = await newSession();
  const response = await fetch(`${server.url}/sdk/acp/session/${encodeURIComponent(key)}/chat/stream`, {
    method: "POST",
    headers: { "x-api-key": "bench", "content-type": "application/json" },
    body: JSON.stringify({ message: "tick 500" }),
  });
  const delays: number[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const nowMs = monotonicMs();
    for (const [, sentMs] of decoder.decode(chunk as Uint8Array).matchAll(/<([\d.]+)>/g)) {
      delays.push(nowMs - Number(sentMs));
    }
  }
  await host.closeSession(key, undefined, me);
  await server.close();
  return delays;
}

/** Microseconds of each decision on a line of four commands, parsing included. */
function decisionsUs(): number[] {
  const policy = new Policy(PRESETS["build-and-test"], {
    source: "bench",
    rules: [
      { effect: "deny", command: "git push ** --force* **" },
      { effect: "deny", paths: "~/.ssh/**" },
    ],
  });
  const line = `cd packages/core && git log --oneline -n 5 -- src 2>/dev/null | head -20 && grep -rn "foo bar" src`;
  const cwd = "/work/project";
  return Array.from({ length: 20_000 }, () => {
    const startedMs = performance.now();
    const { effect } = policy.decide({ kind: "command", run: { line }, cwd, roots: [cwd], home: "/home/me" });
    if (effect !== "allow") throw new Error(`the line was decided as ${effect}`);
    return (performance.now() - startedMs) * 1000;
  });
}

const ours: number[] = [];
const sdk: number[] = [];
const creates: number[] = [];
const handshakes: number[] = [];
const fewCalls: number[] = [];
const manyCalls: number[] = [];
await createMs();
await toolCallsPerSecond(1000);
for (let round = 0; round < rounds; round += 1) {
  ours.push(await updatesPerSecond(host, folder, updates));
  sdk.push(await sdkUpdatesPerSecond(agent, updates / 4));
  for (let i = 0; i < 3; i += 1) {
    creates.push(await createMs());
    handshakes.push(await bareHandshakeMs(agent, folder));
  }
  fewCalls.push(await toolCallsPerSecond(1000));
  manyCalls.push(await toolCallsPerSecond(20_000));
  say(
    `round ${round + 1}/${rounds}: ours ${Math.round(ours.at(-1) ?? 0)}/s, SDK ${Math.round(sdk.at(-1) ?? 0)}/s, create ${creates.at(-1)?.toFixed(1)} ms, bare handshake ${handshakes.at(-1)?.toFixed(1)} ms, tool calls ${Math.round(fewCalls.at(-1) ?? 0)}/s of 1,000, ${Math.round(manyCalls.at(-1) ?? 0)}/s of 20,000`,
  );
}
const decisions = decisionsUs();
const delays = (await latenciesMs()).toSorted((a, b) => a - b);
await host.close();
storage.close();
rmSync(folder, { recursive: true, force: true });

const round = (value: number, digits = 1): number => Number(value.toFixed(digits));
console.log(
  JSON.stringify({
    updatesVsSdk: round(median(ours) / median(sdk)),
    createOverheadMs: round(median(creates) - median(handshakes)),
    latencyP50Ms: round(delays[Math.floor(delays.length / 2)] ?? Number.NaN, 2),
    latencyP99Ms: round(delays[Math.floor(delays.length * 0.99)] ?? Number.NaN, 2),
    toolCallsPerSecond: Math.round(median(manyCalls)),
    toolCallsPerSecondOf1000: Math.round(median(fewCalls)),
    manyVsFewToolCalls: round(median(manyCalls) / median(fewCalls), 2),
    policyDecisionUs: round(median(decisions)),
    updatesPerSecond: Math.round(median(ours)),
    sdkUpdatesPerSecond: Math.round(median(sdk)),
    createMs: round(median(creates)),
    bareHandshakeMs: round(median(handshakes)),
    goals: {
      updatesVsSdk: ">= 9.5",
      manyVsFewToolCalls: ">= 0.7",
      createOverheadMs: "< 20",
      latencyP50Ms: "< 3",
      policyDecisionUs: "<= 200",
    },
  }),
);
