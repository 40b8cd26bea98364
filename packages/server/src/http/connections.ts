// Connections of a server: listening, tracking, and closing them when it stops.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { HostError } from "@holdfast/protocol";
import { formatAuthority } from "../auth/address.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Begins to listen; gives the port, which the system chooses where 0 was asked for (A41). */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new HostError("INTERNAL", explainListenError(cause, host, port), { cause });
  }
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function explainListenError(cause: unknown, host: string, port: number): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose another, or 0 for any that is free.`;
    case "EACCES":
      return `Port ${port} needs special rights. Choose one above 1023, or 0 for any that is free.`;
    default:
      return `Cannot listen on ${formatAuthority(host, port)}. Choose another address.`;
  }
}

/** Follows every connection of a server. Node's own count leaves out those that have not asked for anything yet. */
export class Connections {
  readonly #requests = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#requests.set(socket, 0);
      socket.once("close", () => this.#requests.delete(socket));
    });
    server.on("request", ({ socket }, response) => {
      this.#count(socket, 1);
      response.once("close", () => this.#count(socket, -1));
    });
  }

  /** Closes what is idle, now and from now on. */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroySoon();
  }

  /** Closes everything, whatever it is doing. */
  closeAll(): void {
    for (const socket of this.#requests.keys()) socket.destroy();
  }

  #count(socket: Socket, change: 1 | -1): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) return;
    this.#requests.set(socket, requests + change);
    if (this.#isClosing && requests + change === 0) socket.destroySoon();
  }
}

interface Serving {
  readonly server: Server;
  readonly connections: Connections;
  readonly streams: OpenStreams;
}

/** Time that a stream gets to end after it was asked to, and its reader to read the last event. */
const lastWordsMs = 1000;

/** What becomes of agents and terminals when a host stops: they end with it, or the next host continues with them. */
export type WorkLeft = "end" | "keep";

/**
 * Accepts nothing new; lets requests and streams end within the grace, then ends the streams, then disconnects (A40).
 * Streams of work that is kept are cut at once, and their clients look for the next host (A716).
 */
export async function drain(
  { server, connections, streams }: Serving,
  graceMs: number,
  work: WorkLeft,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.closeIdle();
  if (work === "keep") streams.disconnect();
  else if (await endsWithin(closed, graceMs)) return;
  else streams.stop();
  if (await endsWithin(closed, lastWordsMs)) return;
  connections.closeAll();
  await closed;
}

async function endsWithin(end: Promise<void>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeMs, false);
  });
  const isOver = await Promise.race([end.then(() => true), timeIsUp]);
  clearTimeout(timer);
  return isOver;
}
