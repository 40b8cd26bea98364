// Forms over the app API of a real host: listed and answered beside permission requests.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATIONS } from "@holdfast/protocol";
import { Holdfast } from "@holdfast/sdk";
import { AgentRecord } from "../../packages/core/src/testing/agent-record.ts";
import { startHostInProcess } from "./host-in-process.ts";
import type { TestedHost } from "./real-host.ts";

const program = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));
const requestedSchema = {
  type: "object",
  properties: { colour: { type: "string", title: "Colour" } },
  required: ["colour"],
};
const elicit = (name: string, params: object) => ({
  do: "ask",
  as: name,
  method: "elicitation/create",
  params,
});
const prompt = [
  elicit("form", { mode: "form", message: "Paint it", requestedSchema }),
  elicit("visit", { mode: "url", message: "Log in", url: "https://example.org/login", elicitationId: "e" }),
];
const folder = mkdtempSync(path.join(tmpdir(), "forms-"));
const record = path.join(folder, "record.ndjson");
let host: TestedHost;

beforeAll(async () => {
  const file = path.join(folder, "script.json");
  writeFileSync(file, JSON.stringify([{ prompts: { "*": prompt } }]));
  const env = { FAKE_AGENT_SCRIPT: file, FAKE_AGENT_RECORD: record };
  host = await startHostInProcess({
    config: { agents: { asker: { command: process.execPath, args: [program], env } } },
  });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

it("[V300] [A51] a form and an address are listed with their fields, and answered from the list", async () => {
  const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  const { session_key: key } = await sdk.acpAgent.createSession({ agent_id: "asker", cwd: host.project });
  const turn = sdk.acpAgent.streamChat(key, "go");
  const asked = async (): Promise<string> => {
    for (;;) {
      const { value, done } = await turn.next();
      if (done === true) throw new Error("The turn ended first");
      const data: Readonly<Record<string, unknown>> = value.data;
      if (data["tag"] === "input_request") return String(data["requestId"]);
    }
  };
  const form = await asked();
  const approvals = await sdk.approvals.list();
  const listed = { success: true, approvals };
  expect(OPERATIONS.listApprovals.response.safeParse(listed).error).toBeUndefined();
  expect(approvals).toMatchObject([
    {
      requestId: form,
      session_key: key,
      kind: "form",
      action: "answer",
      target: "Paint it",
      expiresAt: expect.any(String),
      options: [{ id: "accept" }, { id: "decline", kind: "reject_once" }, { id: "cancel" }],
      questions: [{ id: "colour", kind: "text" }],
      requestedSchema,
    },
  ]);
  const content = { colour: "red" };
  expect(await sdk.approvals.resolve(form, "accept", { content })).toEqual({ resolved: true });
  const visit = await asked();
  const [address] = await sdk.approvals.list();
  expect(address).toMatchObject({ requestId: visit, kind: "url", target: "https://example.org/login" });
  expect(await sdk.approvals.resolve(address ?? visit, "decline")).toEqual({ resolved: true });
  for await (const _event of turn);
  const heard = new AgentRecord(record);
  expect(await heard.result("form")).toEqual({ action: "accept", content });
  expect(await heard.result("visit")).toEqual({ action: "decline" });
});
