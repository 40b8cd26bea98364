// One ACP client on a WebSocket: a JSON-RPC message per text frame.
import type { Socket } from "node:net";
import { joinChunks, type MessageSink } from "@holdfast/jsonrpc";
import type { RawData, WebSocket } from "ws";
import { InboundLimit } from "../ahp/inbound.ts";
import { SocketWriter } from "../ahp/socket-writer.ts";
import { AcpConnection, type AcpClient, type AcpDeps } from "./acp-connection.ts";

/** Why a connection was closed; those above 4000 are the host's own, near the HTTP status that says the same. */
export const CLOSE_CODE = { goingAway: 1001, unsupportedData: 1003, revoked: 4401 } as const;

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
  readonly #limit: InboundLimit;
  #onDrain: () => void = () => {};
  #isAlive = true;

  constructor(deps: AcpDeps, { webSocket, socket, client }: Accepted) {
    this.#webSocket = webSocket;
    this.#writer = new SocketWriter(webSocket, socket, () => this.#onDrain());
    this.#limit = new InboundLimit(webSocket);
    this.connection = new AcpConnection(deps, client, this.#sink());
    webSocket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    webSocket.on("pong", () => (this.#isAlive = true));
    webSocket.on("close", () => {
      this.#limit.close();
      this.connection.close();
    });
    // The WebSocket sends a close code that names the error; its close event follows.
    webSocket.on("error", () => {});
  }

  /** Asks for a sign of life; a client that gave none since the last time is taken for gone. */
  checkLife(): void {
    if (!this.#isAlive) return this.#webSocket.terminate();
    this.#isAlive = false;
    this.#webSocket.ping();
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (isBinary || !Buffer.isBuffer(data)) {
      return this.close(CLOSE_CODE.unsupportedData, "Send one JSON message per text frame.");
    }
    this.#limit.take(data.length);
    this.connection.push(data.toString("utf8"));
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
