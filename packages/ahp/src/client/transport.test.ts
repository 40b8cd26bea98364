// Shows that any socket serves as a transport, regardless of who made it.
import { expect, test } from "vitest";
import { webSocketTransport, type WebSocketEvent, type WebSocketLike } from "./transport.ts";

class TestSocket implements WebSocketLike {
  readyState = 0;
  readonly sent: string[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, ((event: WebSocketEvent) => void)[]>();

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  addEventListener(type: string, listener: (event: WebSocketEvent) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: string, event: WebSocketEvent = {}): void {
    if (type === "open") this.readyState = 1;
    if (type === "close") this.readyState = 3;
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

test("[E50] a socket carries texts both ways once it is open, and what came early is not lost", async () => {
  const socket = new TestSocket();
  const opening = webSocketTransport(socket);
  socket.emit("open");
  const transport = await opening;
  socket.emit("message", { data: "early" });
  const heard: string[] = [];
  transport.onMessage((text) => heard.push(text));
  socket.emit("message", { data: "late" });
  socket.emit("message", { data: new Uint8Array(3) });
  transport.send("hello");
  expect(heard).toEqual(["early", "late"]);
  expect(socket.sent).toEqual(["hello"]);
  transport.close();
  expect(socket.isClosed).toBe(true);
});

test("[E50] a socket that closes says why, and nothing is sent on it any more", async () => {
  const socket = new TestSocket();
  socket.readyState = 1;
  const transport = await webSocketTransport(socket);
  const closed = new Promise((resolve) => {
    transport.onClose(resolve);
  });
  socket.emit("close", { code: 1001, reason: "Going away" });
  await expect(closed).resolves.toMatchObject({ code: 1001, message: "Going away" });
  transport.send("x");
  expect(socket.sent).toEqual([]);
});

test("[E50] a socket that never opens is an error", async () => {
  const socket = new TestSocket();
  const opening = webSocketTransport(socket);
  socket.emit("error", { message: "refused" });
  socket.emit("close", { code: 1006 });
  await expect(opening).rejects.toThrow("refused");
});
