// The connections of a server: which of them are at work, so that the others can be closed when it stops.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Follows every connection of a server. Node's own count leaves out those that have not asked for anything yet. */
export class Connections {
  /** Requests in progress on each connection. */
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
