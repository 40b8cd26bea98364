// Sending: back-pressure, the drain, and the ceiling.
import { describe, expect, it } from "vitest";
import { openConnection, request } from "./testing/open-connection.ts";

describe("back-pressure", () => {
  it("[J18] hands a full sink nothing more until it drains, then everything in order", async () => {
    const { connection, sink, receive } = openConnection({ requests: { ping: () => "pong" } });
    expect(connection.notify("a", {})).toBe(true);
    sink.isFull = true;
    expect(connection.notify("b", {})).toBe(false);
    expect(connection.notify("c", {})).toBe(false);
    receive(request(1, "ping"));
    expect(sink.writes).toHaveLength(2);
    let isDrained = false;
    const drained = connection.drained().then(() => {
      isDrained = true;
    });
    await Promise.resolve();
    expect(isDrained).toBe(false);
    sink.drain();
    await drained;
    expect(sink.messages).toMatchObject([
      { method: "a" },
      { method: "b" },
      { method: "c" },
      { result: "pong" },
    ]);
    expect(connection.notify("d", {})).toBe(true);
    await connection.drained();
  });

  it("[J18] stops again when the sink fills up while it drains", () => {
    const { connection, sink } = openConnection();
    sink.isFull = true;
    for (const method of ["a", "b", "c"]) connection.notify(method, {});
    const write = sink.write.bind(sink);
    sink.write = (chunks) => {
      sink.isFull = true;
      return write(chunks);
    };
    sink.drain();
    expect(sink.writes).toHaveLength(2);
    sink.drain();
    expect(sink.writes).toHaveLength(3);
  });

  it("[J18] counts only what still waits towards the limit", () => {
    const { connection, sink } = openConnection({ limits: { unsentBytes: 1000 } });
    for (let round = 0; round < 5; round += 1) {
      sink.isFull = true;
      connection.notify("a", {});
      connection.notify("b", { pad: "x".repeat(600) });
      sink.drain();
    }
    expect(connection.isOpen).toBe(true);
    expect(sink.writes).toHaveLength(10);
  });

  it("[J18] closes with a clear error when more waits to be sent than the limit", async () => {
    const { connection, sink } = openConnection({ limits: { unsentBytes: 1000 } });
    sink.isFull = true;
    const pending = connection.request("a", { pad: "x".repeat(5000) });
    expect(connection.isOpen).toBe(true);
    const drained = connection.drained();
    connection.notify("b", { pad: "x".repeat(600) });
    connection.notify("c", { pad: "x".repeat(600) });
    const error = await connection.closed;
    expect(error).toMatchObject({
      kind: "unsent-limit",
      message: "The peer reads too slowly: more than 1000 bytes wait to be sent",
    });
    await expect(pending).rejects.toBe(error);
    expect(sink.isClosed).toBe(true);
    expect(sink.writes).toHaveLength(1);
    await drained;
    await connection.drained();
  });

  it("[J18] closes when the sink throws", async () => {
    const { connection, sink } = openConnection();
    const cause = new Error("socket is gone");
    sink.write = () => {
      throw cause;
    };
    await expect(connection.request("a", {})).rejects.toMatchObject({ kind: "write-failed", cause });
    expect(connection.isOpen).toBe(false);
  });
});
