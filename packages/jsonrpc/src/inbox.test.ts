// How a connection handles each kind of incoming message.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RpcError } from "./errors.ts";
import { ndjsonFraming } from "./ndjson.ts";
import { failure, notification, openConnection, request, result } from "./testing/open-connection.ts";

describe("incoming messages", () => {
  it("[J6] echoes any id exactly as the peer wrote it", () => {
    const idText = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
      fc.constantFrom("null", "0", "-1", "0.5", "1e400", '"1"'),
    );
    fc.assert(
      fc.property(fc.array(idText, { minLength: 1, maxLength: 5 }), (ids) => {
        const { connection, sink } = openConnection({ requests: { ping: () => "pong" } });
        for (const id of ids) connection.push(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
        expect(sink.texts).toEqual(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":"pong"}\n`));
      }),
    );
  });

  it("[J7] answers an unknown method with -32601 at once, even one that an object has by birth", () => {
    const { sink, receive } = openConnection({ requests: { known: () => 1 }, orderKey: () => "same" });
    receive(request(1, "unknown"), request(2, "toString"), request(3, "__proto__"), request(4, "known"));
    expect(sink.messages).toEqual([
      failure(1, -32601, "Method not found: unknown"),
      failure(2, -32601, "Method not found: toString"),
      failure(3, -32601, "Method not found: __proto__"),
      result(4, 1),
    ]);
  });

  it("[J7] hands a notification without a handler to the fallback, and ignores it without one", () => {
    const seen: unknown[] = [];
    const { receive, sink } = openConnection({
      notifications: { known: () => void seen.push("known") },
      onUnknownNotification: (method, params) => void seen.push([method, params]),
    });
    receive(notification("known"), notification("vendor/odd", { kept: [1] }));
    expect(seen).toEqual(["known", ["vendor/odd", { kept: [1] }]]);
    const bare = openConnection();
    bare.receive(notification("vendor/odd"));
    expect([...sink.messages, ...bare.sink.messages, ...bare.warnings]).toEqual([]);
  });

  it("[J8] sends a thrown RpcError as it is and hides any other error behind -32603", async () => {
    const broken = new Error("secret path /home/someone");
    const { sink, receive, warnings } = openConnection({
      requests: {
        refused: () => {
          throw new RpcError(-32002, "Not found", { uri: "a:b" });
        },
        broken: () => Promise.reject(broken),
        unspeakable: () => 1n,
        nothing: () => undefined,
      },
    });
    receive(request(1, "refused"), request(2, "broken"), request(3, "unspeakable"), request(4, "nothing"));
    await expect.poll(() => sink.messages).toHaveLength(4);
    expect(sink.messages).toEqual([
      failure(1, -32002, "Not found", { uri: "a:b" }),
      failure(3, -32603, "Internal error"),
      result(4, null),
      failure(2, -32603, "Internal error"),
    ]);
    expect(warnings).toEqual([
      { kind: "handler-failed", method: "unspeakable", error: expect.any(TypeError) as unknown },
      { kind: "handler-failed", method: "broken", error: broken },
    ]);
  });

  it("[J8] survives notification handlers and order keys that throw", async () => {
    const error = new Error("boom");
    const { sink, receive, warnings } = openConnection({
      requests: { ping: () => 1 },
      notifications: {
        sync: () => {
          throw error;
        },
        async: () => Promise.reject(error),
        keyless: () => undefined,
      },
      orderKey(method, params) {
        return method === "keyless" || method === "ping" ? (params as { key: string }).key : undefined;
      },
    });
    receive(notification("sync"), notification("async"), notification("keyless"), request(1, "ping"));
    receive(request(2, "ping", { key: "a" }));
    await expect.poll(() => warnings).toHaveLength(4);
    expect(warnings.map((warning) => "method" in warning && warning.method)).toEqual([
      "sync",
      "keyless",
      "ping",
      "async",
    ]);
    expect(sink.messages).toEqual([failure(1, -32603, "Internal error"), result(2, 1)]);
  });

  it("[J9] refuses what is no JSON-RPC message with -32600 and a batch with a single one", () => {
    const { sink, receive, warnings } = openConnection({ requests: { ping: () => 1 } });
    receive(
      [request(1, "ping"), request(2, "ping")],
      [],
      { level: "info" },
      { jsonrpc: "2.0", id: 3, method: 7 },
      { id: "four", method: "ping" },
      { jsonrpc: "2.0", id: { odd: true }, method: "ping" },
      request(5, "ping"),
    );
    const refused = (id: unknown): object => failure(id, -32600, "Invalid request");
    const expected = [
      refused(null),
      refused(null),
      refused(null),
      refused(3),
      refused("four"),
      refused(null),
    ];
    expect(sink.messages).toEqual([...expected, result(5, 1)]);
    expect(warnings.every((warning) => warning.kind === "invalid-message")).toBe(true);
  });

  it("[J9] never answers an answer, known or not", () => {
    const { sink, receive, warnings } = openConnection();
    receive(result(99, {}), failure(null, -32700, "Parse error"), { jsonrpc: "2.0", id: 7 }, result("1", 1));
    expect(sink.messages).toEqual([]);
    expect(warnings.map((warning) => warning.kind)).toEqual(
      Array.from({ length: 4 }, () => "unknown-answer"),
    );
  });

  it("[J4] skips noise, also what starts like a message, and writes nothing because of it", () => {
    const seen: unknown[] = [];
    const { connection, sink, warnings } = openConnection({
      notifications: { note: () => void seen.push(1) },
    });
    connection.push(
      `npm WARN deprecated\n{"jsonrpc":"2.0","method":"no\n{"jsonrpc":"2.0","method":"note"}\n`,
    );
    expect(seen).toEqual([1]);
    expect(sink.messages).toEqual([]);
    expect(warnings).toEqual([
      { kind: "noise", text: "npm WARN deprecated" },
      { kind: "noise", text: '{"jsonrpc":"2.0","method":"no' },
    ]);
  });

  it("[J3] answers a request that is too long and rejects a request whose answer is", async () => {
    const { connection, sink, receive, warnings } = openConnection({
      framing: ndjsonFraming({ maxLineBytes: 100 }),
      requests: { ping: () => 1 },
    });
    const pending = connection.request("read", {});
    receive(request("big", "ping", "x".repeat(200)), result(1, "y".repeat(200)), request(2, "ping"));
    await expect(pending).rejects.toMatchObject({
      name: "ConnectionError",
      kind: "message-too-long",
      message: "The answer to read is longer than 100 bytes",
    });
    expect(sink.messages.slice(1)).toEqual([
      failure("big", -32600, "The message is longer than 100 bytes"),
      result(2, 1),
    ]);
    expect(warnings.map((warning) => warning.kind)).toEqual(["message-too-long", "message-too-long"]);
  });

  it("[J3] rejects a request with a name whose answer is too long, and ignores one whose id is no JSON", async () => {
    const { connection, receive } = openConnection({ framing: ndjsonFraming({ maxLineBytes: 100 }) });
    const pending = connection.request("read", {}, { id: 'file "1"' });
    connection.push(`{"jsonrpc":"2.0","id":nonsense,"result":"${"y".repeat(200)}"}\n`);
    receive(result('file "1"', "y".repeat(200)));
    await expect(pending).rejects.toMatchObject({ kind: "message-too-long" });
  });

  it("[J451] skips a message that is nested too deep, answers a request and rejects a request whose answer is", async () => {
    const seen: unknown[] = [];
    const { connection, sink, receive, warnings } = openConnection({
      limits: { nestedLevels: 100 },
      requests: { ping: () => 1 },
      notifications: { note: (params) => void seen.push(params) },
    });
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    const pending = connection.request("read", {});
    for (const levels of [99, 100, 5000, 50_000]) {
      connection.push(`{"jsonrpc":"2.0","method":"note","params":${nested(levels)}}\n`);
    }
    connection.push(`{"jsonrpc":"2.0","id":"deep","method":"ping","params":${nested(5000)}}\n`);
    connection.push(`{"jsonrpc":"2.0","id":1,"result":${nested(5000)}}\n`);
    receive(request(2, "ping"));
    await expect(pending).rejects.toMatchObject({
      kind: "message-too-deep",
      message: "The answer to read is nested deeper than 100 levels",
    });
    expect(seen).toEqual([JSON.parse(nested(99))]);
    expect(sink.messages.slice(1)).toEqual([
      failure("deep", -32600, "The message is nested deeper than 100 levels"),
      result(2, 1),
    ]);
    expect(warnings.map((warning) => warning.kind)).toEqual(
      Array.from({ length: 5 }, () => "message-too-deep"),
    );
  });
});
