// The official ACP SDK as the peer, in both roles: what it says we understand, and the other way round.
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { createDeferred } from "./deferred.ts";
import { RpcError } from "./errors.ts";
import { RawJson } from "./wire.ts";
import { openSdkTransport } from "./testing/sdk-transport.ts";

const { methods } = acp;
const textOf = (params: unknown): unknown =>
  (params as { update: { content: { text: string } } }).update.content.text;
const chunk = (sessionId: string, text: string) => ({
  sessionId,
  update: { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } },
});
const sessionKey = (_method: string, params: unknown): string | undefined =>
  (params as { sessionId?: string } | undefined)?.sessionId;

describe("our side as the client of an SDK agent", () => {
  it("[J22] runs a turn: handshake, updates in order, a question back, the end of the turn last", async () => {
    const seen: unknown[] = [];
    const { connection, sdkStream, warnings } = openSdkTransport({
      requests: {
        [methods.client.fs.readTextFile]: () =>
          new RawJson([new TextEncoder().encode('{"content":"ready é"}')]),
      },
      notifications: {
        [methods.client.session.update]: async (params) => {
          await Promise.resolve();
          seen.push(textOf(params));
        },
      },
      orderKey: (method, params) =>
        method === methods.client.session.update ? sessionKey(method, params) : undefined,
    });
    acp
      .agent({ name: "oracle" })
      .onRequest(methods.agent.initialize, ({ params }) => ({ protocolVersion: params.protocolVersion }))
      .onRequest(methods.agent.session.new, () => ({ sessionId: "s1" }))
      .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
        const { sessionId } = params;
        const file = await client.request(methods.client.fs.readTextFile, { sessionId, path: "/a" });
        for (let index = 0; index < 200; index += 1) {
          await client.notify(methods.client.session.update, chunk(sessionId, `${file.content} ${index}`));
        }
        return { stopReason: "end_turn" as const };
      })
      .connect(sdkStream);

    const initialized = await connection.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
    });
    expect(initialized).toMatchObject({ protocolVersion: 1 });
    const created = await connection.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    expect(created).toMatchObject({ sessionId: "s1" });
    const prompt = { sessionId: "s1", prompt: [{ type: "text", text: "hi" }] };
    const end = await connection.request(methods.agent.session.prompt, prompt, { orderKey: "s1" });
    expect(end).toEqual({ stopReason: "end_turn" });
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => `ready é ${index}`));
    expect(warnings).toEqual([]);
  });

  it("[J22] agrees with it on errors, unknown methods and cancellation", async () => {
    const { connection, sdkStream } = openSdkTransport({});
    acp
      .agent({ name: "oracle" })
      .onRequest(
        "_wait",
        (params) => params,
        async ({ signal }) => {
          const { promise, reject } = createDeferred<never>();
          signal.addEventListener("abort", () => {
            reject(new DOMException("stopped", "AbortError"));
          });
          return promise;
        },
      )
      .onRequest(
        "_refuse",
        (params) => params,
        () => {
          throw new acp.RequestError(-32002, "Not here", { uri: "x" });
        },
      )
      .connect(sdkStream);
    await expect(connection.request("_refuse", {})).rejects.toMatchObject({
      code: -32002,
      data: { uri: "x" },
    });
    await expect(connection.request("_unknown", {})).rejects.toMatchObject({ code: -32601 });
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = connection.request("_wait", {}, { signal, whenAborted: "keep-waiting" });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: -32800 });
  });

  it("[J22] takes its complaint about a bad line as an answer that nobody waits for", async () => {
    const { connection, sdkStream, warnings } = openSdkTransport({});
    const agent = acp
      .agent({ name: "oracle" })
      .onRequest(
        "_echo",
        (params) => params,
        ({ params }) => ({ params }),
      )
      .connect(sdkStream);
    connection.notify("broken", new RawJson([new TextEncoder().encode("{oops")]));
    expect(await connection.request("_echo", [1])).toEqual({ params: [1] });
    expect(warnings).toMatchObject([
      { kind: "unknown-answer", text: expect.stringContaining("-32700") as unknown },
    ]);
    const pending = connection.request("_echo", {}, { orderKey: "s" });
    connection.close();
    await agent.closed;
    await expect(pending).rejects.toMatchObject({ kind: "closed" });
  });
});

describe("our side as the agent of an SDK client", () => {
  it("[J22] is understood: answers, notifications, requests, errors, cancellation", async () => {
    const seen: string[] = [];
    const gate = createDeferred<void>();
    const { connection, sdkStream } = openSdkTransport({
      requests: {
        [methods.agent.initialize]: () => ({ protocolVersion: 1, agentCapabilities: {} }),
        [methods.agent.session.new]: () => {
          throw new RpcError(-32000, "Login needed", { how: "browser" });
        },
        [methods.agent.session.prompt]: async (params) => {
          connection.notify(methods.client.session.update, chunk("s1", "one"));
          const permission = await connection.request(methods.client.session.requestPermission, {
            sessionId: (params as { sessionId: string }).sessionId,
            toolCall: { toolCallId: "t1", title: "Do it" },
            options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
          });
          expect(permission).toEqual({ outcome: { outcome: "selected", optionId: "yes" } });
          return { stopReason: "end_turn" };
        },
        _wait: (_params, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reject(signal.reason as Error);
            });
            gate.resolve();
          }),
      },
    });
    const client = acp
      .client({ name: "oracle" })
      .onNotification(methods.client.session.update, ({ params }) => {
        seen.push(String(textOf(params)));
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => ({
        outcome: { outcome: "selected" as const, optionId: params.options[0]?.optionId ?? "" },
      }))
      .connect(sdkStream);

    const initialized = await client.agent.request(methods.agent.initialize, { protocolVersion: 1 });
    expect(initialized).toMatchObject({ protocolVersion: 1 });
    await expect(
      client.agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32000, data: { how: "browser" } });
    const end = await client.agent.request(methods.agent.session.prompt, { sessionId: "s1", prompt: [] });
    expect(end).toEqual({ stopReason: "end_turn" });
    expect(seen).toEqual(["one"]);

    const controller = new AbortController();
    const waiting = client.agent.request("_wait", {}, { cancellationSignal: controller.signal });
    await gate.promise;
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: -32800 });
    await expect(client.agent.request("_unknown", {})).rejects.toMatchObject({ code: -32601 });

    connection.close();
    await client.closed;
  });
});
