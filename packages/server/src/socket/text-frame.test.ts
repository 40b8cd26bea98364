// Shows that frames made by hand are read back by a real WebSocket.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { readTextFrames, textFrame } from "./text-frame.ts";

const texts = [
  "",
  "é",
  "x".repeat(125),
  "x".repeat(126),
  "ü".repeat(32_768),
  "x".repeat(65_536),
  "😀".repeat(50_000),
];

test("[E81] frames are read back as the texts they were made from", () => {
  expect(readTextFrames(Buffer.concat(texts.map(textFrame)))).toEqual(texts);
});

test("[E81] a frame of any length arrives as the text it was made from", async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket: Socket, head) => {
    sockets.handleUpgrade(request, socket, head, () => {
      for (const text of texts) socket.write(textFrame(text));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  const heard: string[] = [];
  client.on("message", (data: Buffer) => heard.push(data.toString("utf8")));
  await expect.poll(() => heard.length).toBe(texts.length);
  expect(heard).toEqual(texts);
});
