// The end of a connection: from this side, from the peer's, once.
import { describe, expect, it } from "vitest";
import { createDeferred } from "./deferred.ts";
import { notification, openConnection, request, result } from "./testing/open-connection.ts";
import type { RequestContext } from "./methods.ts";

describe("close", () => {
  it("[J20] rejects open requests, aborts the peer's, resolves closed, and is idempotent", async () => {
    const contexts: RequestContext[] = [];
    const gate = createDeferred<string>();
    const { connection, sink, receive } = openConnection({
      requests: {
        wait: (_params, context) => {
          contexts.push(context);
          return gate.promise;
        },
      },
    });
    const cause = new Error("shutting down");
    const pending = connection.request("a", {}, { orderKey: "s" });
    receive(request(1, "wait"));
    connection.close(cause);
    connection.close(new Error("again"));
    connection.end();
    const error = await connection.closed;
    expect(error).toMatchObject({ name: "ConnectionError", kind: "closed", cause });
    await expect(pending).rejects.toBe(error);
    await expect(connection.request("b", {})).rejects.toBe(error);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(sink.isClosed).toBe(true);
    gate.resolve("nobody listens");
    await gate.promise;
    expect(connection.notify("c", {})).toBe(false);
    receive(request(2, "wait"));
    expect(sink.messages).toEqual([request(1, "a", {})]);
    expect(contexts).toHaveLength(1);
  });

  it("[J20] hands what waits for a slow sink over before it closes it", () => {
    const { connection, sink } = openConnection();
    sink.isFull = true;
    for (const method of ["a", "b", "c"]) connection.notify(method, {});
    connection.close();
    expect(sink.messages).toHaveLength(3);
    expect(sink.isClosed).toBe(true);
  });

  it("[J20] drops what waits to be handled and lets the source run", async () => {
    const gate = createDeferred<void>();
    const seen: string[] = [];
    const { connection, receive, source } = openConnection({
      notifications: { slow: () => gate.promise, quick: () => void seen.push("quick") },
      orderKey: () => "one",
      limits: { queuedMessages: 1 },
    });
    const pending = connection.request("prompt", {}, { orderKey: "one" });
    receive(notification("slow"), notification("quick"), notification("quick"), result(1, "end"));
    expect(source.calls).toEqual(["pause"]);
    connection.close();
    expect(source.calls).toEqual(["pause", "resume"]);
    await expect(pending).rejects.toMatchObject({ kind: "closed" });
    gate.resolve();
    await gate.promise;
    expect(seen).toEqual([]);
  });

  it("[J20] ignores the rest of a chunk in the middle of which a handler closed the connection", () => {
    let count = 0;
    const { connection, receive } = openConnection({
      requests: { ask: () => void (count += 1) },
      notifications: {
        stop: () => {
          count += 1;
          connection.close();
        },
      },
      onWarning: () => void (count += 1),
    });
    receive(notification("stop"), notification("stop"), request(1, "ask"), { odd: true });
    expect(count).toBe(1);
  });
});

describe("end of the peer", () => {
  it("[J21] takes a last message without newline, then rejects open requests and closes the sink", async () => {
    const { connection, sink } = openConnection();
    const answered = connection.request("a", {});
    const pending = connection.request("b", {});
    const cause = new Error("read ECONNRESET");
    connection.push('{"jsonrpc":"2.0","id":1,"result":"last words"}');
    connection.end(cause);
    connection.end();
    expect(await answered).toBe("last words");
    await expect(pending).rejects.toMatchObject({ kind: "ended", cause });
    expect(await connection.closed).toMatchObject({ kind: "ended" });
    expect(sink.isClosed).toBe(true);
    expect(connection.isOpen).toBe(false);
  });

  it("[J21] still handles the notifications that had arrived, and rejects in its turn what waits on their key", async () => {
    const gate = createDeferred<void>();
    const seen: string[] = [];
    const { connection, receive } = openConnection({
      requests: { ask: () => void seen.push("ask") },
      notifications: { slow: () => gate.promise, update: () => void seen.push("update") },
      orderKey: () => "s",
    });
    const turn = connection.request("prompt", {}, { orderKey: "s" }).catch(() => seen.push("turn failed"));
    const queued = connection.request("other", {}, { orderKey: "s" }).then(() => seen.push("answered"));
    receive(
      notification("slow"),
      notification("update"),
      request(9, "ask"),
      result(2, 1),
      notification("update"),
    );
    connection.end();
    await connection.closed;
    expect(seen).toEqual([]);
    gate.resolve();
    await Promise.all([turn, queued]);
    expect(seen).toEqual(["update", "answered", "update", "turn failed"]);
  });

  it("[J21] forgets what is left when this side closes after the end, with the error of the end", async () => {
    const gate = createDeferred<void>();
    const seen: string[] = [];
    const { connection, receive } = openConnection({
      notifications: { slow: () => gate.promise, update: () => void seen.push("update") },
      orderKey: () => "s",
    });
    const turn = connection.request("prompt", {}, { orderKey: "s" });
    receive(notification("slow"), notification("update"));
    connection.end();
    connection.close();
    await expect(turn).rejects.toMatchObject({ kind: "ended" });
    gate.resolve();
    await gate.promise;
    expect(seen).toEqual([]);
  });
});
