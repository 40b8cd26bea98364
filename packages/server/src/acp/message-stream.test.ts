// The stream of an ACP connection, and its readers.
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { OpenStreams } from "../http/open-streams.ts";
import { MessageStream } from "./message-stream.ts";

test("[B32] a reader that has left does not replace the one before it", async () => {
  const stream = new MessageStream({ streams: new OpenStreams(), heartbeatMs: 60_000, onSent: () => {} });
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => void responses.push(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    stream.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const reading = get({ port, host: "127.0.0.1", agent: false });
  await expect.poll(() => responses).toHaveLength(1);
  const [first] = responses as [ServerResponse];
  stream.attach(first, undefined);
  const [read] = (await once(reading, "response")) as [IncomingMessage];
  const left = get({ port, host: "127.0.0.1", agent: false }).on("error", () => {});
  await expect.poll(() => responses).toHaveLength(2);
  left.destroy();
  const [, second] = responses as [ServerResponse, ServerResponse];
  await once(second, "close");
  stream.attach(second, undefined);
  stream.append("a message");
  expect(String(await once(read, "data"))).toContain("data: a message");
});
