// The servers whose delivery is measured: ours on a real hub, and a bare one that writes the same ready text.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurnOfLoop } from "node:timers/promises";
import { startServer } from "@holdfast/server";
import { MemoryMeta } from "../../packages/core/src/testing/memory-storage.ts";
import { FakeHost } from "../../packages/server/src/testing/fake-host.ts";
import { serve } from "../terminal/isolated.ts";

/** Where to read a stream of one of the two. */
export interface Address {
  readonly port: number;
  readonly path: string;
}

/** Which server is meant. */
export type ServerName = "ours" | "bare";

const token = "bench";
const me = { kind: "owner" } as const;
const host = new FakeHost(1024 * 1024 * 1024);
const server = await startServer({
  host,
  token,
  listen: { host: "127.0.0.1", port: 0 },
  log: () => {},
  meta: new MemoryMeta(),
});
const { session_key: key } = await host.createSession({ agent_id: "shell" }, me);

/** The frames of the turn that is measured, as both send them. */
let readyTexts: readonly string[] = [];
/** Readers of the bare server who wait for what will be published. */
const waiting: ServerResponse[] = [];
const bare = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
  if (request.url === "/backlog") void writeBacklog(response);
  else waiting.push(response);
});
await new Promise<void>((resolve) => {
  bare.listen(0, "127.0.0.1", resolve);
});

/** One write for each event, for as long as the reader takes them. */
async function writeBacklog(response: ServerResponse): Promise<void> {
  for (const text of readyTexts) {
    if (response.write(text)) continue;
    await new Promise((resolve) => {
      response.once("drain", resolve);
    });
  }
  response.end();
}

function addressOf(which: ServerName, query: string, path: string): Address {
  if (which === "bare") return { port: (bare.address() as AddressInfo).port, path };
  return { port: server.port, path: `/sdk/acp/session/${encodeURIComponent(key)}/events?turn=${query}` };
}

function beginTurn(): string {
  const { turnId, chat, session } = host.streamTurn(key, { message: "go" }, me, () => {});
  chat.close();
  session.close();
  return turnId;
}

/** One message chunk of an agent. */
function wordsOf(index: number): string {
  return `and word number ${index} of many `;
}

/** The questions that the benchmark asks. */
export const deliveryServer = serve({
  /** Commits a turn of so many pieces of text; gives where to read it as a backlog. */
  commit: async (events: number): Promise<Record<ServerName, Address>> => {
    const turnId = beginTurn();
    for (let index = 0; index < events; index += 1) host.lastTurn.say(wordsOf(index));
    host.lastTurn.complete();
    const address = addressOf("ours", turnId, "");
    const response = await fetch(`http://127.0.0.1:${address.port}${address.path}`, {
      headers: { "x-api-key": token },
    });
    readyTexts = (await response.text())
      .split("\n\n")
      .slice(0, -1)
      .map((frame) => `${frame}\n\n`);
    return { ours: address, bare: addressOf("bare", "", "/backlog") };
  },
  /** Begins a turn of which nothing was said; gives where to read what will be. */
  begin: async (which: ServerName): Promise<Address> => {
    waiting.length = 0;
    return addressOf(which, which === "ours" ? beginTurn() : "", "/live");
  },
  /** Once so many read it, says or writes so many events in each tick, and ends. */
  publish: async (order: {
    readonly which: ServerName;
    readonly readers: number;
    readonly perTurn: number;
  }): Promise<void> => {
    const { which, readers, perTurn } = order;
    const turn = host.lastTurn;
    const isThere = (): boolean =>
      (which === "ours" ? host.hub.readers().count / 2 : waiting.length) >= readers;
    while (!isThere()) await nextTurnOfLoop();
    for (const [index, text] of readyTexts.slice(0, -2).entries()) {
      if (which === "ours") turn.say(wordsOf(index));
      else for (const response of waiting) response.write(text);
      if (index % perTurn === perTurn - 1) await nextTurnOfLoop();
    }
    if (which === "ours") turn.complete();
    else for (const response of waiting) response.end(readyTexts.slice(-2).join(""));
  },
});

export type DeliveryServer = typeof deliveryServer;
