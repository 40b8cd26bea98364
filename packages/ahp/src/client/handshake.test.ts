// Shows what becomes of a client that meets a host it cannot talk to.
import { Connection, RpcError, messageFraming } from "@holdfast/jsonrpc";
import { expect, test } from "vitest";
import { ManualTiming, MemoryWire } from "../testing/client-bench.ts";
import { AhpClient } from "./ahp-client.ts";
import { transportSink } from "./transport.ts";

test("[E52] a host that speaks plain AHP alone is left, with the reason and without another attempt", async () => {
  const { client, attempts } = clientOf(() => ({ protocolVersion: "1.0.0", serverSeq: 0, snapshots: [] }));
  await expect(client.connect()).rejects.toMatchObject({ kind: "unsupported" });
  expect(client.status.status).toBe("closed");
  expect(attempts()).toBe(1);
});

test("[E52] a host of another version is left with its own words", async () => {
  const { client } = clientOf(() => {
    throw new RpcError(-32005, "This host speaks 9.0.0.", { supportedVersions: ["9.0.0"] });
  });
  await expect(client.connect()).rejects.toThrow("This host speaks 9.0.0.");
});

test("[E52] a host that fails otherwise is tried again", async () => {
  const { client, timing, attempts } = clientOf((attempt) => {
    if (attempt === 1) throw new RpcError(-32603, "Not yet.");
    return { protocolVersion: "1.0.0", serverSeq: 0, snapshots: [], _meta: { holdfast: 1 } };
  });
  const connected = client.connect();
  await new Promise((resolve) => {
    client.listen((event) => {
      if (event.type === "status" && event.status.status === "waiting") resolve(undefined);
    });
  });
  timing.advance(timing.nextInMs ?? 0);
  await expect(connected).resolves.toMatchObject({ protocolVersion: "1.0.0" });
  expect(attempts()).toBe(2);
  client.close();
});

test("[E52] a client connects once", async () => {
  const { client } = clientOf(() => ({
    protocolVersion: "1.0.0",
    serverSeq: 0,
    snapshots: [],
    _meta: { holdfast: 1 },
  }));
  await client.connect();
  await expect(client.connect()).rejects.toThrow("once");
  client.close();
});

function clientOf(initialize: (attempt: number) => object): {
  client: AhpClient;
  timing: ManualTiming;
  attempts: () => number;
} {
  const timing = new ManualTiming();
  let attempt = 0;
  const client = new AhpClient({
    clientId: "ada",
    timing,
    open: async () => {
      attempt += 1;
      const wire = new MemoryWire();
      const connection = new Connection({
        framing: messageFraming(),
        sink: transportSink(wire.host),
        requests: { initialize: () => initialize(attempt) },
      });
      wire.host.onMessage((text) => {
        connection.push(text);
      });
      return wire.client;
    },
  });
  return { client, timing, attempts: () => attempt };
}
