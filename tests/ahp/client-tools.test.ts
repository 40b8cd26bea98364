// Tools that an editor lends to the agent of its session: offered over MCP, decided by policy, answered by the editor.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { fieldsOf } from "../../packages/ahp/src/testing/wire/reference.ts";
import { type ServedHost, useServedHosts } from "./served-host.ts";
import type { HeardEnvelope } from "./heard.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();
/** A folder with `@modelcontextprotocol/sdk` among its `node_modules`. */
const sdkFolder = process.env["HOLDFAST_MCP_SDK"] ?? "";
const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const script = {
  capabilities: { mcpCapabilities: { http: true } },
  prompts: { work: [{ do: "hang" }] },
};
const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = [{ name: "openFile", title: "Open a file", description: "Shows a file.", inputSchema }];

const serverSchema = z.object({
  type: z.literal("http"),
  name: z.literal("editor"),
  url: z.string(),
  headers: z.tuple([z.object({ name: z.literal("Authorization"), value: z.string() })]),
});
type Server = z.infer<typeof serverSchema>;

interface Scene {
  readonly host: ServedHost;
  readonly editor: WireClient;
  readonly server: Server;
}

/** A session whose editor lends a tool, in the middle of a turn; and the MCP server that its agent got. */
async function open(approvalPolicy?: string): Promise<Scene> {
  const host = await serveHost({ script });
  const editor = await host.client({ clientId: "editor" });
  await editor.request("createSession", {
    channel: session,
    provider: "mine",
    workingDirectories: [`file://${host.work}`],
    activeClient: { clientId: "editor", tools },
    ...(approvalPolicy !== undefined && { config: { approvalPolicy } }),
  });
  await editor.subscribe(session);
  await editor.subscribe(chat);
  const message = { text: "work", origin: { kind: "user" } };
  const startedAt = new Date().toISOString();
  editor.dispatch({ type: "chat/turnStarted", turnId: "t1", startedAt, message }, chat);
  await expect.poll(() => host.agentRecord()).toContain('"session/prompt"');
  return { host, editor, server: serverOf(host) };
}

/** The MCP server that the agent got with its session. */
function serverOf(host: ServedHost): Server {
  const opened = host
    .agentRecord()
    .split("\n")
    .find((line) => line.includes('"session/new"'));
  return z.tuple([serverSchema]).parse(serversIn(JSON.parse(opened ?? "null")))[0];
}

/** The servers, wherever the record has the parameters. */
function serversIn(value: unknown): unknown {
  const fields = fieldsOf(value);
  return (
    fields["mcpServers"] ??
    Object.values(fields)
      .map(serversIn)
      .find((found) => found !== undefined)
  );
}

async function ask({ url, headers }: Server, method: string, params: object = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: headers[0].value },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function resultOf(response: Promise<Response>): Promise<unknown> {
  return fieldsOf(await (await response).json())["result"];
}

function callTool(server: Server): Promise<unknown> {
  return resultOf(ask(server, "tools/call", { name: "openFile", arguments: { path: "/a.txt" } }));
}

/** The call, once it runs. */
function running(editor: WireClient): Promise<HeardEnvelope> {
  return editor.action("chat/toolCallReady", ({ action }) => fieldsOf(action)["confirmed"] !== undefined);
}

function complete(editor: WireClient, toolCallId: string, result: object): number {
  return editor.dispatch({ type: "chat/toolCallComplete", turnId: "t1", toolCallId, result }, chat);
}

const opened = {
  success: true,
  pastTenseMessage: "Opened a file",
  content: [{ type: "text", text: "It is open." }],
};

test("[E820, E821] an agent calls a tool of the editor, a person allows it, and the editor answers", async () => {
  const { host, editor, server } = await open();
  expect(await resultOf(ask(server, "initialize", { protocolVersion: "2025-03-26" }))).toMatchObject({
    protocolVersion: "2025-03-26",
    capabilities: { tools: {} },
  });
  expect(await resultOf(ask(server, "tools/list"))).toEqual({ tools });
  const result = callTool(server);
  const { action } = await editor.action("chat/toolCallStart");
  expect(action).toMatchObject({
    toolName: "openFile",
    displayName: "Open a file",
    contributor: { kind: "client", clientId: "editor" },
  });
  const { toolCallId = "" } = action;
  await editor.action("chat/toolCallReady");
  // Before somebody has allowed it, it cannot be answered.
  const early = complete(editor, toolCallId, opened);
  const refused = await editor.notified(({ params }) => params?.origin?.clientSeq === early);
  expect(refused.params?.rejectionReason).toBe("That tool call does not run.");
  const person = await host.client({ clientId: "person" });
  const answer = { turnId: "t1", toolCallId, approved: true, confirmed: "user-action" };
  person.dispatch({ type: "chat/toolCallConfirmed", ...answer }, chat);
  await editor.action("chat/toolCallConfirmed");
  // Only the editor that lent it answers.
  const foreign = complete(person, toolCallId, opened);
  const rejected = await person.notified(({ params }) => params?.origin?.clientSeq === foreign);
  expect(rejected.params?.rejectionReason).toBe("That tool call is not one of this client's tools.");
  complete(editor, toolCallId, opened);
  expect(await result).toEqual({ content: [{ type: "text", text: "It is open." }], isError: false });
  expect(host.faults).toEqual([]);
});

test("[E821] a policy that denies everything denies the tools of clients", async () => {
  const { editor, server } = await open("deny-all");
  expect(await callTool(server)).toEqual({
    content: [{ type: "text", text: "The tool openFile was denied." }],
    isError: true,
  });
  expect(editor.actions.some(({ action }) => action.type === "chat/toolCallComplete")).toBe(false);
});

test("[E822] a call fails when its client leaves the session, and when its turn is cancelled", async () => {
  const { editor, server } = await open("approve-all");
  const left = callTool(server);
  await running(editor);
  editor.dispatch({ type: "session/activeClientRemoved", clientId: "editor" }, session);
  const gone = { type: "text", text: "The client that offers the tool is gone." };
  expect(await left).toEqual({ content: [gone], isError: true });
  expect(await resultOf(ask(server, "tools/list"))).toEqual({ tools: [] });
  editor.dispatch({ type: "session/activeClientSet", activeClient: { clientId: "editor", tools } }, session);
  await expect.poll(() => resultOf(ask(server, "tools/list"))).toEqual({ tools });
  const cut = callTool(server);
  await expect
    .poll(() => editor.actions.filter(({ action }) => action.type === "chat/toolCallStart"))
    .toHaveLength(2);
  editor.dispatch({ type: "chat/turnCancelled", turnId: "t1", duration: 0 }, chat);
  expect(await cut).toMatchObject({ isError: true });
  const outside = { type: "text", text: "No turn runs: tools of clients can be used in turns only." };
  await expect.poll(() => callTool(server)).toEqual({ content: [outside], isError: true });
});

test("[E820] the endpoint takes the session's token alone, until the session is closed", async () => {
  const { host, editor, server } = await open();
  for (const value of ["", "Bearer wrong", `Bearer ${host.token}`]) {
    const headers = [{ name: "Authorization", value }] as Server["headers"];
    expect((await ask({ ...server, headers }, "tools/list")).status).toBe(401);
  }
  const own = headersOf(server);
  expect((await fetch(`${host.server.url}/sdk/acp/sessions`, { headers: own })).status).toBe(401);
  expect((await fetch(server.url, { headers: own })).status).toBe(405);
  expect((await ask(server, "resources/list")).status).toBe(200);
  expect(await (await ask(server, "resources/list")).json()).toMatchObject({ error: { code: -32601 } });
  expect((await fetch(server.url, { method: "POST", headers: own, body: "{" })).status).toBe(400);
  await editor.request("disposeSession", { channel: session });
  expect((await ask(server, "tools/list")).status).toBe(401);
});

function headersOf({ headers }: Server): Record<string, string> {
  return { authorization: headers[0].value };
}

test("[E820] an agent is offered nothing where no client lends a tool, or where it has no MCP over HTTP", async () => {
  const host = await serveHost({ script: { ...script, capabilities: {} } });
  const editor = await host.client({ clientId: "editor" });
  const workingDirectories = [`file://${host.work}`];
  const common = { provider: "mine", workingDirectories };
  const activeClient = { clientId: "editor", tools };
  await editor.request("createSession", { channel: session, ...common, activeClient });
  await expect.poll(() => host.agentRecord()).toContain('"mcpServers":[]');
});

interface McpClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<unknown>;
  callTool(params: object): Promise<unknown>;
  close(): Promise<void>;
}

interface McpModules {
  readonly Client: new (info: object) => McpClient;
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown;
}

async function loadSdk(): Promise<McpModules> {
  const folder = path.join(sdkFolder, "node_modules/@modelcontextprotocol/sdk/dist/esm/client");
  const files = ["index.js", "streamableHttp.js"];
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(path.join(folder, file)).href)) as object),
  );
  return Object.assign({}, ...modules) as McpModules;
}

test("[E820] the MCP SDK's client lists and calls the tools", async ({ skip }) => {
  if (!existsSync(sdkFolder)) return skip("HOLDFAST_MCP_SDK names no folder with @modelcontextprotocol/sdk");
  const { Client, StreamableHTTPClientTransport } = await loadSdk();
  const { editor, server } = await open("approve-all");
  const client = new Client({ name: "agent", version: "1" });
  onTestFinished(() => client.close());
  const requestInit = { headers: headersOf(server) };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
  expect(await client.listTools()).toEqual({ tools });
  const result = client.callTool({ name: "openFile", arguments: { path: "/a.txt" } });
  const { action } = await running(editor);
  complete(editor, action.toolCallId ?? "", opened);
  expect(await result).toEqual({ content: [{ type: "text", text: "It is open." }], isError: false });
});
