// The bridge for lent tools, before a server that goes away, comes back, and turns it down.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { HostEndpoint } from "./host-endpoint.ts";
import { ToolBridge } from "./tool-bridge.ts";

const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const initialize = { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } };
const call = { id: 2, method: "tools/call", params: { name: "openFile" } };
const accepted = { result: { content: [], isError: false } };

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: { readonly id?: number; readonly method?: string };
}

/** A server in the host's place: it answers `initialize`, and leaves everything else to the test. */
class Endpoint {
  readonly asked: Asked[] = [];
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<Endpoint> {
    const endpoint = new Endpoint();
    await endpoint.listen();
    onTestFinished(() => endpoint.leave());
    return endpoint;
  }

  async listen(): Promise<void> {
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** The host is killed: every connection breaks. */
  async leave(): Promise<void> {
    if (this.#server === undefined) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    this.#server = undefined;
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp/client-tools`;
  }

  async next(method: string, count = 1): Promise<Asked> {
    return vi.waitUntil(() => this.asked.filter(({ message }) => message.method === method)[count - 1]);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const message = (text === "" ? { method: "GET" } : JSON.parse(text)) as Asked["message"];
    this.asked.push({ request, response, message });
    if (message.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    }
    if (message.method !== "initialize") return;
    response.setHeader("mcp-session-id", "a-session");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18" } }));
  }
}

/** A bridge, its agent's end, and its life. */
function startBridge(
  url: string,
  awayMs = 10_000,
): { send(message: object): void; heard: unknown[]; end(): Promise<void> } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const heard: unknown[] = [];
  createInterface(output).on("line", (line) => heard.push(JSON.parse(line)));
  const running = new ToolBridge({
    input,
    output,
    endpoint: new HostEndpoint({ url, token: "token", awayMs }),
  }).run();
  const end = async (): Promise<void> => {
    input.end();
    await running;
  };
  onTestFinished(end);
  return {
    send: (message) => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    heard,
    end,
  };
}

function answer({ response, message }: Asked, result: object = accepted): void {
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...result }));
}

test("[E826] a call is asked for again by its key when the host was away, and changes are reported", async () => {
  const endpoint = await Endpoint.start();
  const { send, heard } = startBridge(endpoint.url);
  send(initialize);
  const stream = await endpoint.next("GET");
  expect(stream.request.headers).toMatchObject({
    authorization: "Bearer token",
    "mcp-session-id": "a-session",
    "mcp-protocol-version": "2025-06-18",
  });
  stream.response.write(`: beat\n\nevent: message\ndata: ${JSON.stringify(changed)}\n\n`);
  await expect.poll(() => heard).toMatchObject([{ id: 1 }, changed]);
  send(call);
  const first = await endpoint.next("tools/call");
  await endpoint.leave();
  await endpoint.listen();
  const again = await endpoint.next("tools/call", 2);
  const key = first.request.headers["idempotency-key"];
  expect(key).toMatch(/^[\w-]{36}$/);
  expect(again.request.headers["idempotency-key"]).toBe(key);
  await endpoint.next("GET", 2);
  answer(again);
  await expect.poll(() => heard.slice(2)).toHaveLength(2);
  expect(heard.slice(2)).toEqual(expect.arrayContaining([changed, { jsonrpc: "2.0", id: 2, ...accepted }]));
  // The next call is another one.
  send({ ...call, id: 3 });
  expect((await endpoint.next("tools/call", 3)).request.headers["idempotency-key"]).not.toBe(key);
});

test("[E826] a host that stays away, or does not know the token, is an error with a code", async () => {
  const endpoint = await Endpoint.start();
  await endpoint.leave();
  const { send, heard } = startBridge(endpoint.url, 100);
  send(call);
  send({ id: 4, method: "tools/list" });
  const code = "CLIENT_TOOL_HOST_AWAY";
  await expect.poll(() => heard).toHaveLength(2);
  expect(heard).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ id: 2, result: expect.objectContaining({ isError: true }) as object }),
      expect.objectContaining({ id: 4, error: expect.objectContaining({ data: { code } }) as object }),
    ]) as object,
  );
  expect(JSON.stringify(heard)).toContain(`"structuredContent":{"error":{"code":"${code}"`);
  await endpoint.listen();
  send({ ...call, id: 5 });
  const { response } = await endpoint.next("tools/call");
  response.writeHead(401).end("{}");
  await expect
    .poll(() => heard[2])
    .toMatchObject({
      id: 5,
      result: { structuredContent: { error: { code: "CLIENT_TOOL_NO_ACCESS" } } },
    });
});

test("[E826] [C832] a cancelled call closes its connection and gets no response; at most 32 requests wait", async () => {
  const endpoint = await Endpoint.start();
  const { send, heard, end } = startBridge(endpoint.url);
  send(call);
  const { response } = await endpoint.next("tools/call");
  const closed = once(response, "close");
  send({ method: "notifications/cancelled", params: { requestId: 2 } });
  await closed;
  for (let id = 10; id <= 42; id += 1) send({ id, method: "tools/list" });
  await expect.poll(() => heard).toMatchObject([{ id: 42, error: { code: -32_000 } }]);
  const last = await endpoint.next("tools/list", 32);
  const left = once(last.response, "close");
  await end();
  await left;
  expect(heard).toHaveLength(1);
});
