// A session whose editor lends tools to its agent, and the MCP server that the agent got.
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { vi } from "vitest";
import { z } from "zod";
import { fieldsOf } from "../../packages/ahp/src/testing/wire/reference.ts";
import type { HeardEnvelope } from "./heard.ts";
import type { ServedHost } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

export const session = "mine:/one";
export const chat = defaultChatUri(makeId("session URI", session));
export const script = {
  capabilities: { mcpCapabilities: { http: true } },
  prompts: { work: [{ do: "hang" }] },
};
const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
export const openFile = {
  name: "openFile",
  title: "Open a file",
  description: "Shows a file.",
  inputSchema,
};
export const done = {
  success: true,
  pastTenseMessage: "Opened a file",
  content: [{ type: "text", text: "It is open." }],
};

const serverSchema = z.object({
  type: z.literal("http"),
  name: z.literal("editor"),
  url: z.string(),
  headers: z.tuple([z.object({ name: z.literal("Authorization"), value: z.string() })]),
});
type Server = z.infer<typeof serverSchema>;

/** A running turn, and what its agent knows of the editor's tools. */
export class ToolScene {
  readonly host: ServedHost;
  readonly editor: WireClient;
  readonly #server: Server;

  private constructor(host: ServedHost, editor: WireClient, server: Server) {
    this.host = host;
    this.editor = editor;
    this.#server = server;
  }

  static async open(host: ServedHost, config: object = {}): Promise<ToolScene> {
    const editor = await host.client({ clientId: "editor" });
    await createSession(host, editor, session, config);
    await editor.subscribe(session);
    await editor.subscribe(chat);
    startTurn(editor);
    await vi.waitFor(() => {
      if (!host.agentRecord().includes('"session/prompt"')) throw new Error("The agent has no prompt yet");
    });
    return new ToolScene(host, editor, serversOf(host)[0]);
  }

  get url(): string {
    return this.#server.url;
  }

  /** The credential that the agent sends with each message. */
  get authorization(): string {
    return this.#server.headers[0].value;
  }

  get token(): string {
    return this.authorization.replace("Bearer ", "");
  }

  /** Sends anything to the MCP server; headers given as undefined are left out. */
  async send(body: string, headers: Record<string, string | undefined> = {}): Promise<Response> {
    const all = { "content-type": "application/json", authorization: this.authorization, ...headers };
    const given = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] satisfies [string, string]],
    );
    return fetch(this.url, { method: "POST", headers: given, body });
  }

  async ask(method: string, params: object = {}, id = 1): Promise<unknown> {
    const response = await this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return fieldsOf(await response.json())["result"];
  }

  call(name = "openFile", input: object = { path: "/a.txt" }, id = 1): Promise<unknown> {
    return this.ask("tools/call", { name, arguments: input }, id);
  }

  async names(): Promise<unknown> {
    const tools = fieldsOf(await this.ask("tools/list"))["tools"];
    return z
      .array(z.object({ name: z.string() }))
      .parse(tools)
      .map(({ name }) => name);
  }

  /** The call that runs after so many others. */
  async running(earlier = 0): Promise<HeardEnvelope["action"]> {
    const runs = (): HeardEnvelope[] =>
      this.editor.actions.filter(
        ({ action }) => action.type === "chat/toolCallReady" && fieldsOf(action)["confirmed"] !== undefined,
      );
    return (await vi.waitUntil(() => runs()[earlier])).action;
  }
}

export async function createSession(
  host: ServedHost,
  editor: WireClient,
  channel: string,
  config: object = {},
): Promise<void> {
  await editor.request("createSession", {
    channel,
    provider: "mine",
    workingDirectories: [`file://${host.work}`],
    activeClient: { clientId: "editor", tools: [openFile] },
    config,
  });
}

export function startTurn(client: WireClient, turnId = "t1"): void {
  const message = { text: "work", origin: { kind: "user" } };
  const startedAt = new Date().toISOString();
  client.dispatch({ type: "chat/turnStarted", turnId, startedAt, message }, chat);
}

export function complete(client: WireClient, toolCallId = "", result: object = done): number {
  return client.dispatch({ type: "chat/toolCallComplete", turnId: "t1", toolCallId, result }, chat);
}

/** Why the host rejected what a client dispatched. */
export async function rejection(
  client: WireClient,
  clientSeq: number,
  clientId = "editor",
): Promise<string | undefined> {
  const heard = await client.notified(({ params }) => {
    const { origin } = params ?? {};
    return origin?.clientSeq === clientSeq && origin.clientId === clientId;
  });
  return heard.params?.rejectionReason;
}

export function lend(client: WireClient, clientId: string, tools: readonly object[]): number {
  return client.dispatch({ type: "session/activeClientSet", activeClient: { clientId, tools } }, session);
}

/** A failed call as an agent gets it. */
export function failure(code: string): object {
  return { isError: true, structuredContent: { error: { code } } };
}

/** The MCP servers that agents got with their sessions, in order. */
export function serversOf(host: ServedHost): [Server, ...Server[]] {
  const heard = host
    .agentRecord()
    .split("\n")
    .filter((line) => line.includes('"session/new"'))
    .map((line) => fieldsOf(fieldsOf(fieldsOf(JSON.parse(line))["heard"])["params"])["mcpServers"]);
  return z.tuple([serverSchema], serverSchema).parse(heard.flat());
}
