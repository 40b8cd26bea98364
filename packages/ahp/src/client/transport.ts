// The transport between the client and a host: its port, and WebSockets of browsers and Node packages.
import { joinChunks, type MessageSink } from "@holdfast/jsonrpc";

/** A connection that carries whole texts, in order, both ways. */
export interface MessageTransport {
  send(text: string): void;
  /** Called once, with what to call for each text that arrives. */
  onMessage(listener: (text: string) => void): void;
  /** Called once, with what to call when nothing more will come. */
  onClose(listener: (cause?: unknown) => void): void;
  close(): void;
}

/** A transport as the sending side of a JSON-RPC connection; it takes everything and never asks to wait. */
export function transportSink(transport: MessageTransport): MessageSink {
  const decoder = new TextDecoder();
  return {
    write(chunks) {
      const message = joinChunks(chunks);
      transport.send(typeof message === "string" ? message : decoder.decode(message));
      return true;
    },
    onDrain() {
      // The transport never says that it is full, so it never has to say that it is not.
    },
    close() {
      transport.close();
    },
  };
}

/** The part of a WebSocket that is used. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(
    type: "open" | "message" | "close" | "error",
    listener: (event: WebSocketEvent) => void,
  ): void;
}

/** The fields of a WebSocket's events that are read. */
export interface WebSocketEvent {
  readonly type?: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** The close code of a host that another one takes over from at once. */
export const RESTARTING = 1012;

/** Says that a socket could not be opened, or was lost. */
export class SocketError extends Error {
  override readonly name = "SocketError";
  /** The code of the close frame, if there was one. */
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.code = code;
  }
}

const OPEN = 1;

/** A transport over a socket, once it is open; rejects when it closes before that. */
export function webSocketTransport(socket: WebSocketLike): Promise<MessageTransport> {
  return new Promise((resolve, reject) => {
    const transport = new SocketTransport(socket);
    if (socket.readyState === OPEN) resolve(transport);
    socket.addEventListener("open", () => {
      resolve(transport);
    });
    transport.closed.then(reject, reject);
  });
}

class SocketTransport implements MessageTransport {
  readonly closed: Promise<SocketError>;
  readonly #socket: WebSocketLike;
  /** Messages that arrived before anybody listened: a host may speak first. */
  #early: string[] | undefined = [];
  #listener: ((text: string) => void) | undefined;

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      // AHP has text frames alone; anything else is none of ours.
      if (typeof data === "string") this.#take(data);
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener("error", ({ message }) => {
        resolve(new SocketError(message ?? "The connection to the host failed."));
      });
      socket.addEventListener("close", ({ code, reason }) => {
        const isSilent = reason === undefined || reason === "";
        resolve(new SocketError(isSilent ? "The connection to the host was closed." : reason, code));
      });
    });
  }

  send(text: string): void {
    // A socket that closes meanwhile says so by its event; what was sent then counts as unconfirmed.
    if (this.#socket.readyState === OPEN) this.#socket.send(text);
  }

  onMessage(listener: (text: string) => void): void {
    this.#listener = listener;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const text of early) listener(text);
  }

  onClose(listener: (cause?: unknown) => void): void {
    void this.closed.then(listener);
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    if (this.#listener) this.#listener(text);
    else this.#early?.push(text);
  }
}
