// A missing sign-in over the app API of a real host: the same remedy in the answer, in the stream and in the list.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Holdfast, type TurnEvent } from "@holdfast/sdk";
import { startHostInProcess } from "./host-in-process.ts";
import type { TestedHost } from "./real-host.ts";

const program = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));
const authMethods = [{ id: "login", name: "Log in", type: "terminal", args: ["login"] }];
const folder = mkdtempSync(path.join(tmpdir(), "sign-in-"));
let host: TestedHost;

function agent(name: string, script: object): object {
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify([{ authMethods, ...script }]));
  const env = { FAKE_AGENT_SCRIPT: file, FAKE_AGENT_RECORD: path.join(folder, `${name}.ndjson`) };
  return { label: name, command: process.execPath, args: [program], env };
}

beforeAll(async () => {
  const agents = {
    early: agent("early", { signInBy: "nothing" }),
    late: agent("late", { signInFile: "never" }),
  };
  host = await startHostInProcess({ config: { agents } });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

it("[A301] the answer, the stream and the list carry the remedy of a missing sign-in", async () => {
  const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  const command = `${process.execPath} ${program} login`;
  const remedy = { text: `To sign in, run \`${command}\`.`, command };
  const headers = { "x-api-key": host.token, "content-type": "application/json" };
  const body = JSON.stringify({ agent_id: "early", cwd: host.project });
  const response = await fetch(`${host.url}/sdk/acp/session`, { method: "POST", headers, body });
  expect([response.status, await response.json()]).toEqual([
    502,
    {
      success: false,
      error: `early is not signed in (Authentication required). ${remedy.text}`,
      code: "ACP_SESSION_INIT_FAILED",
      detailCode: "sign_in_needed",
      remedy,
    },
  ]);
  const wish = { cwd: host.project, approvalPolicy: "approve-all" as const };
  await expect(sdk.acpAgent.createSession({ ...wish, agent_id: "early" })).rejects.toMatchObject({ remedy });
  const { session_key: key } = await sdk.acpAgent.createSession({ ...wish, agent_id: "late" });
  const events: TurnEvent[] = [];
  for await (const event of sdk.acpAgent.streamChat(key, "hi")) events.push(event);
  expect(events.find(({ type }) => type === "error")?.data).toMatchObject({
    code: "ACP_TURN_FAILED",
    detailCode: "sign_in_needed",
    remedy,
  });
  await expect(sdk.acpAgent.chat(key, "hi")).rejects.toMatchObject({ remedy });
  const listed = await sdk.acpAgent.listAgents();
  for (const id of ["early", "late"]) {
    expect(listed.find((each) => each.id === id)).toMatchObject({ authReady: false, remedy: {} });
  }
});
