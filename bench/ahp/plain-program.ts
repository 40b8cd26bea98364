// What one would write first: a PTY or a pipe, `ws`, and a `JSON.stringify` for each client and piece of output.
import { spawn as spawnProcess } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { spawn as spawnTerminal } from "@lydell/node-pty";
import { WebSocketServer, type WebSocket } from "ws";
import { serve } from "../terminal/isolated.ts";
import type { FloodKind } from "./flood.ts";

/** So much waits for a client before the command is made to wait, without which memory would be all that is measured. */
const roomBytes = 1024 * 1024;
const lookEveryMs = 1;

interface Source {
  pause(): void;
  resume(): void;
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
await once(server, "listening");
let serverSeq = 0;

function waitingBytes({ bufferedAmount, readyState, OPEN }: WebSocket): number {
  return readyState === OPEN ? bufferedAmount : 0;
}

/** Clients of `/echo` share one terminal; all others follow the flood. */
const echoClients = new Set<WebSocket>();

server.on("connection", (client, { url }) => {
  if (url !== "/echo") return;
  echoClients.add(client);
  client.on("close", () => echoClients.delete(client));
  if (echoClients.size > 1) return;
  const terminal = spawnTerminal(userInfo().shell ?? "/bin/sh", [], { cols: 80, rows: 24 });
  terminal.onData((data) => broadcast(terminal, data, echoClients));
  client.on("message", (data: Buffer) => terminal.write(data.toString()));
  client.on("close", () => terminal.kill());
});

function floodClients(): WebSocket[] {
  return [...server.clients].filter((client) => !echoClients.has(client));
}

function broadcast(source: Source, data: string, clients: Iterable<WebSocket> = floodClients()): void {
  serverSeq += 1;
  for (const client of clients) {
    const params = { channel: "terminal", action: { type: "terminal/data", data }, serverSeq };
    client.send(JSON.stringify({ jsonrpc: "2.0", method: "action", params }));
  }
  const mostWaiting = (): number => Math.max(0, ...Array.from(clients, waitingBytes));
  if (mostWaiting() < roomBytes) return;
  source.pause();
  const timer = setInterval(() => {
    if (mostWaiting() >= roomBytes) return;
    clearInterval(timer);
    source.resume();
  }, lookEveryMs);
}

/** The questions that the benchmark asks. */
const program = serve({
  open: async (_folder: string): Promise<string> =>
    `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
  run: async ({ kind, command }: { kind: FloodKind; command: string }): Promise<string> => {
    if (kind === "tty") {
      const terminal = spawnTerminal("/bin/sh", ["-c", command], { cols: 80, rows: 24 });
      terminal.onData((data) => broadcast(terminal, data));
    } else {
      const { stdout } = spawnProcess("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
      stdout.setEncoding("utf8");
      stdout.on("data", (data: string) => broadcast(stdout, data));
    }
    return "terminal";
  },
  cpuMs: async (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
});

/** Requests that the program handles. */
export type PlainProgram = typeof program;
