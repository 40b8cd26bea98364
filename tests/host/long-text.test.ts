// A turn with more text than the host keeps in memory: the state is bounded, and the whole text is read from storage.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";
import { expect, it, onTestFinished } from "vitest";
import { startRealHost, type RealHost } from "./real-host.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const agentFile = fileURLToPath(new URL("../../bench/core/flood-agent.mjs", import.meta.url));
const agent = { command: process.execPath, args: [agentFile] };
const charsPerUpdate = 230;
const mebibyte = 1024 * 1024;

async function startHost(acp: object): Promise<RealHost> {
  const host = await startRealHost({ config: { agents: { flood: agent }, acp } });
  onTestFinished(() => host.close());
  return host;
}

async function openSession({ url, token, project }: RealHost): Promise<{ sdk: Holdfast; key: string }> {
  const sdk = new Holdfast({ baseUrl: url, apiKey: token });
  const wish = { agent_id: "flood", cwd: project, approvalPolicy: "approve-all" as const };
  return { sdk, key: (await sdk.acpAgent.createSession(wish)).session_key };
}

/** How many characters of output the events of a turn have, read by a client that comes late. */
async function replayedChars({ url, token }: RealHost, key: string, turnId: string): Promise<number> {
  const address = `${url}/sdk/acp/session/${encodeURIComponent(key)}/events?turn=${turnId}`;
  const response = await fetch(address, { headers: { "x-api-key": token } });
  expect(response.status).toBe(200);
  let chars = 0;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const { text = "", stream } = JSON.parse(line.slice(6)) as { text?: string; stream?: string };
      if (stream === "output") chars += text.length;
    }
  }
  return chars;
}

it("[N240][A241] a turn's state keeps acp.turnTextMebibytes of text at most, the answer says what it lacks, and the events have all of it", async () => {
  let host = await startHost({ turnTextMebibytes: 0.25 });
  const { sdk, key } = await openSession(host);
  const updates = 16_000;
  const short = await sdk.acpAgent.chat(key, "flood 160");
  expect(short.text).toHaveLength(160 * charsPerUpdate);
  expect(short).not.toHaveProperty("truncated");
  const long = await sdk.acpAgent.chat(key, `flood ${updates}`);
  expect(long).toMatchObject({ truncated: true, turn_id: expect.any(String) });
  expect(long.text.length).toBeGreaterThan(0);
  expect(long.text.length).toBeLessThanOrEqual(0.25 * mebibyte);
  const turnId = long.turn_id ?? "";
  expect(await replayedChars(host, key, turnId)).toBe(updates * charsPerUpdate);
  const restarted = await host.restart();
  onTestFinished(() => restarted.close());
  host = restarted;
  expect(await replayedChars(host, key, turnId)).toBe(updates * charsPerUpdate);
}, 60_000);

it.runIf(isLong)(
  "[N241] 200 MB of text in one turn add less than 150 MiB to the host",
  async () => {
    const host = await startHost({});
    const { sdk, key } = await openSession(host);
    await sdk.acpAgent.chat(key, "flood 16000");
    const residentBytes = (name: "VmRSS" | "VmHWM"): number => {
      const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
      return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
    };
    const beforeBytes = residentBytes("VmRSS");
    await sdk.acpAgent.chat(key, `flood ${Math.ceil(200e6 / charsPerUpdate)}`);
    const addedMebibytes = (residentBytes("VmHWM") - beforeBytes) / mebibyte;
    process.stderr.write(`200 MB of text added ${addedMebibytes.toFixed(0)} MiB\n`);
    expect(addedMebibytes).toBeLessThan(150);
  },
  300_000,
);
