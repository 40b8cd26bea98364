// `holdfast acp` while its host is away: its messages, and the host that it starts.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { EditorLink } from "./editor-link.ts";

/** A host that takes connections and answers nothing. */
async function startSilentHost(): Promise<{ url: string; received: string[]; crash(): void }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const received: string[] = [];
  server.on("connection", (client) => client.on("message", (data: Buffer) => received.push(data.toString())));
  const crash = (): void => {
    for (const client of server.clients) client.terminate();
    server.close();
  };
  onTestFinished(crash);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, crash };
}

it("[C834] says that it reconnects, waits and starts a host, and where that is", async () => {
  const [crashing, next] = [await startSilentHost(), await startSilentHost()];
  const input = new PassThrough();
  const lines: string[] = [];
  let hasCrashed = false;
  const link = new EditorLink({
    input,
    output: new PassThrough(),
    query: "",
    findHost: async (mayStart) => {
      if (!hasCrashed) return { url: crashing.url, token: "t" };
      if (!mayStart) throw new Error("No host runs.");
      return { url: next.url, token: "t" };
    },
    warn: (line) => lines.push(line),
    startAfterMs: 300,
  });
  const ended = link.run();
  onTestFinished(async () => {
    input.destroy(new Error("The editor is gone"));
    await ended;
  });
  input.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n`);
  await expect.poll(() => crashing.received).toHaveLength(1);
  hasCrashed = true;
  crashing.crash();
  await expect
    .poll(() => lines)
    .toEqual([
      "The connection to the host is lost. Reconnecting.",
      "No host runs. If none comes back within 1 s, one is started.",
      "Still no host. Starting one.",
      `Connected to the host at ${next.url}.`,
    ]);
});
