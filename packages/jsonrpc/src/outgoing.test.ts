// Our own requests: answers, errors, cancellation and the limit.
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { failure, notification, openConnection, result } from "./testing/open-connection.ts";
import { createDeferred } from "./deferred.ts";
import { RpcError } from "./errors.ts";

describe("outgoing requests", () => {
  it("[J6] numbers its own requests and matches answers in any order", async () => {
    const { connection, sink, receive } = openConnection();
    const first = connection.request("one", { a: 1 });
    const second = connection.request("two", undefined);
    expect(sink.texts).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"one","params":{"a":1}}\n',
      '{"jsonrpc":"2.0","id":2,"method":"two"}\n',
    ]);
    receive(result(2, null), { jsonrpc: "2.0", id: 1, result: { ok: true }, error: null });
    expect(await first).toEqual({ ok: true });
    expect(await second).toBeNull();
  });

  it("[J8] rejects with the peer's error, and with a readable one when it is malformed", async () => {
    const { connection, receive } = openConnection();
    const refused = connection.request("a", {});
    const odd = connection.request("b", {});
    const empty = connection.request("c", {});
    receive(
      failure(1, -32002, "Not found", { uri: "x" }),
      { jsonrpc: "2.0", id: 2, error: "no" },
      { jsonrpc: "2.0", id: 3 },
    );
    await expect(refused).rejects.toEqual(new RpcError(-32002, "Not found", { uri: "x" }));
    await expect(refused).rejects.toMatchObject({ code: -32002, data: { uri: "x" } });
    await expect(odd).rejects.toMatchObject({ name: "RpcError", code: -32603, data: "no" });
    await expect(empty).rejects.toMatchObject({ name: "RpcError", code: -32603 });
  });

  it("[J8] rejects what has no JSON without sending or counting it", async () => {
    const { connection, sink } = openConnection({ limits: { outgoingRequests: 1 } });
    await expect(connection.request("a", 1n)).rejects.toThrow(TypeError);
    expect(sink.writes).toEqual([]);
    void connection.request("b", {});
    expect(sink.messages).toMatchObject([{ id: 1, method: "b" }]);
  });

  it("[J13] notifies the peer of an abort, stops waiting, and drops the late response in silence", async () => {
    const { connection, sink, receive, warnings } = openConnection();
    const controller = new AbortController();
    const pending = connection.request("slow", {}, { signal: controller.signal });
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
    expect(sink.messages.slice(1)).toEqual([notification("$/cancel_request", { requestId: 1 })]);
    receive(result(1, "too late"));
    expect(warnings).toEqual([]);
  });

  it("[J13] can keep waiting for the answer to a cancelled request", async () => {
    const { connection, sink, receive } = openConnection();
    const controller = new AbortController();
    const { signal } = controller;
    const pending = connection.request("slow", {}, { signal, whenAborted: "keep-waiting" });
    controller.abort();
    expect(sink.messages).toHaveLength(2);
    receive(failure(1, -32800, "Request cancelled"));
    await expect(pending).rejects.toMatchObject({ name: "RpcError", code: -32800 });
  });

  it("[J13] only stops waiting where the protocol has no cancellation", async () => {
    const { connection, sink } = openConnection({ cancelMethod: undefined });
    const controller = new AbortController();
    const pending = connection.request("slow", {}, { signal: controller.signal });
    const reason = new Error("gave up");
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(sink.messages).toHaveLength(1);
  });

  it("[J13] sends nothing for a signal that is aborted before, or after the answer", async () => {
    const { connection, sink, receive } = openConnection();
    await expect(connection.request("a", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(sink.writes).toEqual([]);
    const controller = new AbortController();
    const answered = connection.request("b", {}, { signal: controller.signal });
    receive(result(1, "done"), result(1, "twice"));
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    expect(await answered).toBe("done");
    expect(sink.messages).toHaveLength(1);
  });

  it("[J13] drops a response that waits for its turn when its request is aborted", async () => {
    const gate = createDeferred<void>();
    const { connection, receive, sink } = openConnection({
      notifications: { update: () => gate.promise },
      orderKey: () => "s",
    });
    const controller = new AbortController();
    const pending = connection.request("prompt", {}, { orderKey: "s", signal: controller.signal });
    receive(notification("update"), result(1, "end"));
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
    expect(sink.messages).toHaveLength(1);
    gate.resolve();
  });

  it("[J17] rejects a request above the limit without sending it, and takes the next after an answer", async () => {
    const { connection, sink, receive } = openConnection({ limits: { outgoingRequests: 2 } });
    const first = connection.request("a", {});
    const second = connection.request("b", {});
    await expect(connection.request("c", {})).rejects.toMatchObject({ kind: "too-many-requests" });
    expect(sink.writes).toHaveLength(2);
    receive(result(1, 1));
    await first;
    const third = connection.request("d", {});
    receive(result(2, 2), result(3, 3));
    expect([await second, await third]).toEqual([2, 3]);
  });
});
