// The peer's requests: cancellation, the limit, and answers given as ready bytes.
import { describe, expect, it } from "vitest";
import { createDeferred } from "./deferred.ts";
import { RawJson } from "./wire.ts";
import { failure, notification, openConnection, request, result } from "./testing/open-connection.ts";
import type { RequestContext } from "./methods.ts";

function untilAborted(_params: unknown, { signal }: RequestContext): Promise<never> {
  const { promise, reject } = createDeferred<never>();
  signal.addEventListener("abort", () => {
    reject(signal.reason);
  });
  return promise;
}

const cancelled = (id: unknown): object => failure(id, -32800, "Request cancelled", { requestId: id });
const cancel = (requestId: unknown): object => notification("$/cancel_request", { requestId });

describe("cancellation by the peer", () => {
  it("[J14] aborts the signal of exactly that request and answers -32800 when its handler gives up", async () => {
    const { sink, receive } = openConnection({ requests: { wait: untilAborted } });
    receive(request(1, "wait"), request("1", "wait"), request(-0.5, "wait"));
    receive(cancel("1"));
    await expect.poll(() => sink.messages).toEqual([cancelled("1")]);
    receive(cancel(-0.5), cancel(1));
    await expect.poll(() => sink.messages).toEqual([cancelled("1"), cancelled(-0.5), cancelled(1)]);
  });

  it("[J14] still sends a handler's result, and -32603 for an AbortError without a cancellation", async () => {
    const gate = createDeferred<string>();
    const { sink, receive } = openConnection({
      requests: {
        stubborn: () => gate.promise,
        selfAborted: () => Promise.reject(new DOMException("mine", "AbortError")),
      },
    });
    receive(request(1, "stubborn"), cancel(1), request(2, "selfAborted"));
    gate.resolve("finished");
    await expect.poll(() => sink.messages).toHaveLength(2);
    expect(sink.messages).toContainEqual(result(1, "finished"));
    expect(sink.messages).toContainEqual(failure(2, -32603, "Internal error"));
  });

  it("[J14] shows the abort to a handler that looks at its signal only later", async () => {
    const gate = createDeferred<void>();
    const { sink, receive } = openConnection({
      requests: {
        late: async (_params, context) => {
          await gate.promise;
          context.signal.throwIfAborted();
        },
      },
    });
    receive(request(1, "late"), cancel(1));
    gate.resolve();
    await expect.poll(() => sink.messages).toEqual([cancelled(1)]);
  });

  it("[J14] answers a request that still waits for its turn at once and never starts it", async () => {
    const gate = createDeferred<void>();
    const started: string[] = [];
    const { sink, receive } = openConnection({
      requests: {
        slow: async () => {
          await gate.promise;
          return "slow";
        },
        next: () => void started.push("next"),
        last: () => "last",
      },
      orderKey: () => "one",
    });
    receive(request(1, "slow"), request(2, "next"), request(3, "last"), cancel(2));
    expect(sink.messages).toEqual([cancelled(2)]);
    gate.resolve();
    await expect.poll(() => sink.messages).toEqual([cancelled(2), result(1, "slow"), result(3, "last")]);
    expect(started).toEqual([]);
  });

  it("[J14] ignores a cancellation of nothing", () => {
    const { sink, receive, warnings } = openConnection({ requests: { ping: () => 1 } });
    receive(request(1, "ping"), cancel(1), cancel({ odd: [] }), notification("$/cancel_request"));
    receive(notification("$/cancel_request", null), notification("$/cancel_request", "x"));
    expect(sink.messages).toEqual([result(1, 1)]);
    expect(warnings).toEqual([]);
  });
});

describe("the limit on open requests", () => {
  it("[J15] refuses one more with -32029, and takes requests again after an answer", async () => {
    const gate = createDeferred<string>();
    const { sink, receive, warnings } = openConnection({
      requests: { wait: () => gate.promise },
      limits: { incomingRequests: 2 },
    });
    receive(request(1, "wait"), request(2, "wait"), request(3, "wait"), request(4, "unknown"));
    expect(sink.messages).toEqual([
      failure(3, -32029, "Too busy: 2 requests are open"),
      failure(4, -32601, "Method not found: unknown"),
    ]);
    expect(warnings).toEqual([{ kind: "too-busy", method: "wait" }]);
    gate.resolve("ok");
    await expect.poll(() => sink.messages).toHaveLength(4);
    receive(request(5, "wait"));
    await expect.poll(() => sink.messages.at(-1)).toEqual(result(5, "ok"));
  });
});

describe("ready bytes", () => {
  it("[J19] writes them around the very same chunks, neither parsed nor copied", async () => {
    const chunks = ['{"output":"', "\u00e9 not checked", '"}'].map((text) => new TextEncoder().encode(text));
    const { connection, sink, receive } = openConnection({
      requests: { read: () => new RawJson(chunks), later: () => Promise.resolve(new RawJson(chunks)) },
    });
    receive(request("r", "read"), request(2, "later"));
    await expect.poll(() => sink.writes).toHaveLength(2);
    const [written] = sink.writes;
    expect(written).toEqual(['{"jsonrpc":"2.0","id":"r","result":', ...chunks, "}\n"]);
    expect(chunks.every((chunk, index) => written?.[index + 1] === chunk)).toBe(true);
    expect(sink.messages[1]).toEqual(result(2, { output: "\u00e9 not checked" }));
    connection.notify("note", new RawJson(chunks));
    expect(sink.messages[2]).toEqual(notification("note", { output: "\u00e9 not checked" }));
  });
});
