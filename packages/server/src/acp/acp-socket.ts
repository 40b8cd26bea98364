// One ACP client on a WebSocket: a JSON-RPC message per text frame.
import { joinChunks, type MessageSink } from "@holdfast/jsonrpc";
import type { RawData, WebSocket } from "ws";
import { type AcceptedSocket, type ClientSocket, CLOSE_CODE } from "../socket/client-sockets.ts";
import { InboundMessages } from "../socket/inbound.ts";
import { DEAF_BYTES, SocketWriter } from "../socket/socket-writer.ts";
import { AcpConnection, type AcpClient, type AcpDeps } from "./acp-connection.ts";

interface Accepted extends AcceptedSocket, AcpConnected {
  readonly client: AcpClient;
}

/** A connection as the list of clients names it. */
export interface AcpConnected {
  readonly id: string;
  readonly principal: string;
  readonly since: string;
}

/** A connection. It ends with its WebSocket. */
export class AcpSocket implements ClientSocket {
  readonly connected: AcpConnected;
  readonly connection: AcpConnection;
  readonly #webSocket: WebSocket;
  readonly #writer: SocketWriter;
  readonly #inbound: InboundMessages;
  #onDrain: () => void = () => {};
  #isAlive = true;

  constructor(deps: AcpDeps, { webSocket, socket, client, ...connected }: Accepted) {
    this.connected = connected;
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
