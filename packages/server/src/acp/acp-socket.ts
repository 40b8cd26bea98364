// One ACP client on a WebSocket: a JSON-RPC message per text frame.
import type { Socket } from "node:net";
import { joinChunks, type MessageSink } from "@holdfast/jsonrpc";
import type { RawData, WebSocket } from "ws";
import { InboundMessages } from "../ahp/inbound.ts";
import { DEAF_BYTES, SocketWriter } from "../ahp/socket-writer.ts";
import { AcpConnection, type AcpClient, type AcpDeps } from "./acp-connection.ts";

/** Why a connection was closed; those above 4000 are the host's own, near the HTTP status that says the same. */
export const CLOSE_CODE = {
  goingAway: 1001,
  unsupportedData: 1003,
  tryAgainLater: 1013,
  revoked: 4401,
} as const;

interface Accepted {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  readonly client: AcpClient;
}

/** A connection. It ends with its WebSocket. */
export class AcpSocket {
  readonly connection: AcpConnection;
  readonly #webSocket: WebSocket;
  readonly #writer: SocketWriter;
  readonly #inbound: InboundMessages;
  #onDrain: () => void = () => {};
  #isAlive = true;

  constructor(deps: AcpDeps, { webSocket, socket, client }: Accepted) {
    this.#webSocket = webSocket;
    this.#inbound = new InboundMessages(webSocket, (message) => this.#handle(message));
    this.#writer = new SocketWriter({
      webSocket,
      socket,
      reading: this.#inbound,
      onRoom: () => this.#drained(),
    });
    this.connection = new AcpConnection(deps, client, this.#sink());
    webSocket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    webSocket.on("pong", () => (this.#isAlive = true));
    webSocket.on("close", () => this.#inbound.end(() => this.connection.close()));
    // The WebSocket sends a close code that names the error; its close event follows.
    webSocket.on("error", () => {});
    // It may also end without its client, such as one for which too much waits to be sent.
    void this.connection.rpc.closed.then(() =>
      this.close(CLOSE_CODE.tryAgainLater, "The connection has ended."),
    );
  }

  /** Asks for a sign of life; a client that gave none since the last time is taken for gone. */
  checkLife(): void {
    if (!this.#isAlive) return this.#webSocket.terminate();
    this.#isAlive = false;
    this.#webSocket.ping();
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
    if (code !== CLOSE_CODE.revoked) return;
    this.#inbound.drop();
    this.connection.close();
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (isBinary || !Buffer.isBuffer(data)) {
      return this.close(CLOSE_CODE.unsupportedData, "Send one JSON message per text frame.");
    }
    this.#inbound.receive(data);
  }

  #handle(message: Buffer): void {
    this.connection.push(message.toString("utf8"));
    // Responses wait in the connection, not in the socket, while the socket is full (B50).
    if (this.connection.rpc.unsentBytes > DEAF_BYTES) this.#inbound.pause();
  }

  #drained(): void {
    this.#onDrain();
    if (this.connection.rpc.unsentBytes === 0) this.#inbound.resume();
  }

  #sink(): MessageSink {
    return {
      write: (chunks) => {
        const message = joinChunks(chunks);
        this.#writer.writeText(typeof message === "string" ? message : new TextDecoder().decode(message));
        return this.#writer.hasRoom;
      },
      onDrain: (listener) => (this.#onDrain = listener),
    };
  }
}
