// Lent tools over a killed host: real agents' processes in their sandboxes, a keeper, and the bridge over stdio.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { afterAll, expect, it, vi } from "vitest";
import { fieldsOf } from "../../packages/ahp/src/testing/wire/reference.ts";
import { WireClient } from "../ahp/wire-client.ts";
import { freePort, type RealHost, startRealHost } from "../host/real-host.ts";

const agentFile = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "lent-tools-"));
const clientId = "editor";
const openFile = { name: "openFile", inputSchema: { type: "object" } };
let host: RealHost | undefined;

afterAll(async () => {
  await host?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An agent that calls the tool twice, the second time when it may. */
function agent(name: string, capabilities: object): object {
  const params = { name: "openFile", arguments: { path: "/a" } };
  const work = [
    { do: "mcp", method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { do: "mcp", method: "tools/call", params, as: "first" },
    { do: "until", path: `${name}-go` },
    { do: "mcp", method: "tools/call", params, as: "second" },
  ];
  const script = path.join(folder, `${name}.json`);
  writeFileSync(script, JSON.stringify([{ capabilities, prompts: { work } }]));
  const env = { FAKE_AGENT_SCRIPT: script, FAKE_AGENT_RECORD: path.join(folder, `${name}.ndjson`) };
  return { command: process.execPath, args: [agentFile], env };
}

function recordOf(name: string): Record<string, unknown>[] {
  const text = readFileSync(path.join(folder, `${name}.ndjson`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => fieldsOf(JSON.parse(line)));
}

function answerOf(name: string, answered: string): Promise<Record<string, unknown>> {
  return vi.waitUntil(() => recordOf(name).find((entry) => entry["answered"] === answered), 20_000);
}

/** The bytes of the host's database. */
function storedText(home: string): string {
  const files = readdirSync(home).filter((name) => name.startsWith("holdfast.db"));
  return files.map((name) => readFileSync(path.join(home, name), "latin1")).join("");
}

/** The editor's part: it lends the tool to a session, and answers calls. */
class Editor {
  readonly #client: WireClient;
  private constructor(client: WireClient) {
    this.#client = client;
  }

  static async connect({ url, token }: RealHost): Promise<Editor> {
    const client = await WireClient.open(`${url.replace(/^http/, "ws")}/ahp?tkn=${token}`);
    await client.initialize({ clientId });
    return new Editor(client);
  }

  async create(provider: string, isolation: string, project: string): Promise<void> {
    await this.#client.request("createSession", {
      channel: `${provider}:/one`,
      provider,
      workingDirectories: [`file://${project}`],
      activeClient: { clientId, tools: [openFile] },
      config: { approvalPolicy: "approve-all", isolation },
    });
    await this.#client.subscribe(chatOf(provider));
    const message = { text: "work", origin: { kind: "user" } };
    const turn = { turnId: "t1", startedAt: new Date().toISOString(), message };
    this.#client.dispatch({ type: "chat/turnStarted", ...turn }, chatOf(provider));
  }

  async lendAgain(provider: string): Promise<void> {
    const channel = `${provider}:/one`;
    await this.#client.subscribe(channel);
    await this.#client.subscribe(chatOf(provider));
    const activeClient = { clientId, tools: [openFile] };
    this.#client.dispatch({ type: "session/activeClientSet", activeClient }, channel);
  }

  /** The call of a session that runs, heard by this connection. */
  async running(provider: string): Promise<string> {
    const { action } = await this.#client.action(
      "chat/toolCallReady",
      (envelope) => fieldsOf(envelope)["channel"] === chatOf(provider),
    );
    return action.toolCallId ?? "";
  }

  complete(provider: string, toolCallId: string, text: string): void {
    const result = { success: true, pastTenseMessage: "Opened", content: [{ type: "text", text }] };
    const action = { type: "chat/toolCallComplete", turnId: "t1", toolCallId, result };
    this.#client.dispatch(action, chatOf(provider));
  }

  async ended(provider: string): Promise<void> {
    await this.#client.action(
      "chat/turnComplete",
      (envelope) => fieldsOf(envelope)["channel"] === chatOf(provider),
    );
  }
}

function chatOf(provider: string): string {
  return defaultChatUri(makeId("session URI", `${provider}:/one`));
}

it("[N823] [N824] [E825] agents use lent tools over kills of the host, by HTTP and by the bridge in a sandbox", async () => {
  const agents = { web: agent("web", { mcpCapabilities: { http: true } }), plain: agent("plain", {}) };
  let current = await startRealHost({ keeper: true, port: await freePort(), config: { agents } });
  host = current;
  let editor = await Editor.connect(current);
  await editor.create("web", "guard", current.project);
  await editor.create("plain", "workspace", current.project);
  await editor.running("web");
  const call = await editor.running("plain");
  // Only an agent without MCP over HTTP gets the bridge, whose arguments name no secret.
  const servers = ["web", "plain"].map((name) => {
    const opened = recordOf(name).find(({ heard }) => fieldsOf(heard)["method"] === "session/new");
    return fieldsOf(fieldsOf(opened?.["heard"])["params"])["mcpServers"] as Record<string, unknown>[];
  });
  expect(servers).toMatchObject([[{ type: "http" }], [{ name: "editor", command: process.execPath }]]);
  const token = /TOKEN","value":"([\w-]{43})"/.exec(JSON.stringify(servers))?.[1] ?? "no token";
  const bearer = /Bearer ([\w-]{43})"/.exec(JSON.stringify(servers))?.[1] ?? "no token";
  expect(JSON.stringify(servers[1]?.[0]?.["args"])).not.toContain(token);
  // In the middle of both calls.
  await current.kill();
  const stored = storedText(current.home);
  expect([stored.includes("session/new"), stored.includes(token), stored.includes(bearer)]).toEqual([
    true,
    false,
    false,
  ]);
  current = host = await current.restart();
  editor = await Editor.connect(current);
  await Promise.all(["web", "plain"].map((name) => editor.lendAgain(name)));
  // The bridge asks again for the call that waits; an agent's own HTTP client has lost it, and its token is still good.
  editor.complete("plain", call, "after a kill");
  expect(JSON.stringify((await answerOf("plain", "first"))["result"])).toContain("after a kill");
  expect(await answerOf("web", "first")).toMatchObject({ error: { message: expect.any(String) as string } });
  writeFileSync(path.join(folder, "web-go"), "");
  editor.complete("web", await editor.running("web"), "by the next host");
  expect(JSON.stringify((await answerOf("web", "second"))["result"])).toContain("by the next host");
  writeFileSync(path.join(folder, "plain-go"), "");
  const second = await editor.running("plain");
  // A host that is stopped leaves the call as well.
  current = host = await current.restart("SIGTERM");
  editor = await Editor.connect(current);
  await editor.lendAgain("plain");
  editor.complete("plain", second, "after a stop");
  expect(JSON.stringify((await answerOf("plain", "second"))["result"])).toContain("after a stop");
  await editor.ended("plain");
}, 120_000);
