// The official MCP client as user of lent tools: over HTTP, and over stdio through `holdfast client-tools`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";
import { complete, failure, lend, openFile, script, ToolScene } from "./client-tools-scene.ts";
import { useServedHosts } from "./served-host.ts";

const serveHost = useServedHosts();
const approving = { approvalPolicy: "approve-all" };
const call = { name: "openFile", arguments: { path: "/a.txt" } };

/** The variables of the bridge, as the host gives them to an agent. */
function bridgeEnvironment({ url, token }: Pick<ToolScene, "url" | "token">): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, HOLDFAST_CLIENT_TOOLS_URL: url, HOLDFAST_CLIENT_TOOLS_TOKEN: token };
}

const transports = {
  "MCP over HTTP": ({ url, authorization }: ToolScene) =>
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
  "the bridge over stdio": (scene: ToolScene) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [testedProgram, "client-tools"],
      env: bridgeEnvironment(scene),
    }),
};

async function connect(scene: ToolScene, name: keyof typeof transports): Promise<Client> {
  const client = new Client({ name: "a-client", version: "1" });
  await client.connect(transports[name](scene));
  onTestFinished(() => client.close());
  return client;
}

test.each(["MCP over HTTP", "the bridge over stdio"] as const)(
  "[E826] a client lists and calls tools by %s, is denied, cancels, and learns of changes",
  async (name) => {
    const host = await serveHost({ script });
    const scene = await ToolScene.open(host, approving);
    const client = await connect(scene, name);
    expect(client.getServerVersion()).toMatchObject({ name: "holdfast" });
    expect((await client.listTools()).tools).toMatchObject([openFile]);
    const result = client.callTool(call);
    complete(scene.editor, (await scene.running()).toolCallId);
    expect(await result).toMatchObject({ content: [{ type: "text", text: "It is open." }], isError: false });
    expect(await client.callTool({ name: "missing" })).toMatchObject(failure("CLIENT_TOOL_UNKNOWN"));
    const cancelling = new AbortController();
    const cancelled = client.callTool(call, { signal: cancelling.signal });
    const failed = cancelled.catch((error: unknown) => String(error));
    const { toolCallId } = await scene.running(1);
    cancelling.abort("not needed");
    expect(await failed).toContain("not needed");
    const ended = await scene.editor.notified(
      ({ params }) =>
        params?.action?.type === "chat/toolCallComplete" && params.action.toolCallId === toolCallId,
    );
    expect(ended.params?.action).toMatchObject({ result: { error: { code: "CLIENT_TOOL_CANCELLED" } } });
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
    });
    lend(scene.editor, "editor", [openFile, { name: "search" }]);
    await changed;
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["openFile", "search"]);
    expect(host.faults).toEqual([]);
  },
);

test.each(["MCP over HTTP", "the bridge over stdio"] as const)(
  "[E826] a client is denied by %s",
  async (name) => {
    const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "deny-all" });
    const client = await connect(scene, name);
    expect(await client.callTool(call)).toMatchObject(failure("CLIENT_TOOL_DENIED"));
  },
);

test("[C831] the bridge answers broken lines, ends with its input, and says what it needs", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), approving);
  const bridge = spawn(process.execPath, [testedProgram, "client-tools"], {
    env: bridgeEnvironment(scene),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(bridge, "exit");
  const lines = createInterface(bridge.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  bridge.stdin.write("no json\n\n");
  expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
  bridge.stdin.write(`{"jsonrpc":"2.0","id":7,"method":"ping","x":"${"x".repeat(1024 * 1024)}"}\n`);
  expect(await next()).toMatchObject({ id: 7, error: { code: -32_600 } });
  bridge.stdin.write('[{"jsonrpc":"2.0","id":8,"method":"ping"}]\n');
  expect(await next()).toMatchObject({ id: null, error: { code: -32_600 } });
  bridge.stdin.write('{"jsonrpc":"2.0","id":9,"method":"ping"}\n');
  expect(await next()).toMatchObject({ id: 9, result: {} });
  // A call that waits is cancelled with the bridge.
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 10, method: "tools/call", params: call })}\n`);
  await scene.running();
  bridge.stdin.end();
  expect(await ended).toEqual([0, null]);
  const { action } = await scene.editor.action("chat/toolCallComplete");
  expect(action).toMatchObject({ result: { error: { code: "CLIENT_TOOL_CANCELLED" } } });
  const bare = spawn(process.execPath, [testedProgram, "client-tools"], { env: {}, stdio: "ignore" });
  expect(await once(bare, "exit")).toEqual([2, null]);
});

test("[E826] the bridge says why a host that is away, or does not know its token, gave no result", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), approving);
  const wrong = { url: scene.url, token: "wrong", authorization: "" };
  const client = new Client({ name: "a-client", version: "1" });
  onTestFinished(() => client.close());
  const env = bridgeEnvironment(wrong);
  const args = [testedProgram, "client-tools"];
  const connecting = client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  await expect(connecting).rejects.toThrow("does not accept the token");
});
