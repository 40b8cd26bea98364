// The bridge's WebSocket to the host's `/acp`: opened, watched for signs of life, and written to within bounds.
import { WebSocket } from "ws";
import type { HostPlace } from "../link/host-link.ts";

/** Receiver of the reports of a socket. */
export interface SocketListener {
  readonly onMessage: (text: string) => void;
  /** `isFinal` says that the host wants this client no more. */
  readonly onClosed: (isFinal: boolean) => void;
}

/** The host turned the connection down: to try again would not help. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

const pingEveryMs = 15_000;
/** The code with which the host closes the socket of a key that was revoked. */
const revoked = 4401;

/** An open socket. `close` ends it without a report. */
export class HostSocket {
  readonly #webSocket: WebSocket;
  readonly #pings: NodeJS.Timeout;
  #isAlive = true;

  private constructor(webSocket: WebSocket, { onMessage, onClosed }: SocketListener) {
    this.#webSocket = webSocket;
    webSocket.on("message", (data) => {
      // A pong waits behind the messages that the host has not handled.
      this.#isAlive = true;
      if (Buffer.isBuffer(data)) onMessage(data.toString("utf8"));
    });
    webSocket.on("pong", () => (this.#isAlive = true));
    webSocket.on("close", (code) => {
      clearInterval(this.#pings);
      onClosed(code === revoked);
    });
    this.#pings = setInterval(() => {
      if (!this.#isAlive) return webSocket.terminate();
      this.#isAlive = false;
      webSocket.ping();
    }, pingEveryMs);
  }

  /** Opens a socket; rejects when the host cannot be reached, or with a `RefusedError`. */
  static async open({ url, token }: HostPlace, query: string, listener: SocketListener): Promise<HostSocket> {
    const address = `${url.replace(/^http/, "ws")}/acp${query}`;
    const webSocket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
    await new Promise<void>((resolve, reject) => {
      webSocket.once("open", resolve);
      // Without a listener, an error after this one would end the program; the close follows each.
      webSocket.on("error", reject);
      webSocket.once("unexpected-response", (_request, response) => {
        const { statusCode = 0 } = response;
        const sentence = `The host at ${url} answered with status ${statusCode}.`;
        const isFinal = statusCode >= 400 && statusCode < 500 && statusCode !== 429;
        reject(isFinal ? new RefusedError(sentence) : new Error(sentence));
        webSocket.terminate();
      });
    });
    return new HostSocket(webSocket, listener);
  }

  get waitingBytes(): number {
    return this.#webSocket.bufferedAmount;
  }

  /** Sends a message; `onSent` is called when it has left. */
  send(text: string, onSent?: () => void): void {
    this.#webSocket.send(text, onSent);
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  close(): void {
    this.#webSocket.removeAllListeners("close");
    clearInterval(this.#pings);
    this.#webSocket.close();
  }
}
