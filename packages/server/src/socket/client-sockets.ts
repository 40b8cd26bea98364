// The WebSockets of one protocol: admission, limits, pings, revoked credentials, and the end.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "@holdfast/core";
import { HostError, type Permission } from "@holdfast/protocol";
import { WebSocket, WebSocketServer } from "ws";
import type { Refusals } from "../auth/refusals.ts";
import type { WorkLeft } from "../http/connections.ts";
import { errorResponse } from "../http/error-response.ts";
import {
  type AdmissionParts,
  type AdmittedSocket,
  admitSocket,
  chooseProtocol,
  hasCredential,
  refuseUpgrade,
} from "./admission.ts";

/** Bytes of one message. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Clients of one protocol. */
const maxConnections = 512;
const defaultPingMs = 30_000;
/** How long clients have to close. */
const goodbyeMs = 500;
const tooLarge = 1009;

/** Why a connection was closed; those above 4000 are the host's own, near the HTTP status that says the same. */
export const CLOSE_CODE = {
  goingAway: 1001,
  unsupportedData: 1003,
  /** Another host takes over at once. */
  restarting: 1012,
  /** The client reads too slowly: it comes back with `reconnect`. */
  tryAgainLater: 1013,
  /** The client's credential was revoked. */
  revoked: 4401,
  /** The client offers no version that the host supports. */
  unsupportedVersion: 4406,
  /** The same client has connected again. */
  replaced: 4409,
} as const;

/** The WebSocket of a client, which gives the reason where the library closes it without one. */
class ClientWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === tooLarge ? "A message has at most 16 MiB." : undefined));
  }
}

/** A WebSocket that was accepted. */
export interface AcceptedSocket {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
}

/** A client on a WebSocket. */
export interface ClientSocket {
  /** Asks for a sign of life; a client that gave none since the last time is taken for gone. */
  checkLife(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** A client that may connect. */
export interface PreparedClient<Client extends ClientSocket> {
  /** Further headers of the response to its upgrade. */
  readonly headers?: readonly string[];
  readonly open: (accepted: AcceptedSocket) => Client;
}

export interface ClientSocketsParts<Client extends ClientSocket> extends AdmissionParts {
  readonly log: Log;
  readonly refusals: Refusals;
  /** The permission that a credential needs. */
  readonly permission: Permission;
  readonly pingMs?: number | undefined;
  /** Clients of this protocol over all transports; default: those on WebSockets. */
  readonly count?: (() => number) | undefined;
  /** Throws a `HostError` where the protocol is not served. */
  readonly prepare: (admitted: AdmittedSocket, request: IncomingMessage) => PreparedClient<Client>;
  /** A credential was revoked, and its clients' connections are closed. */
  readonly onRevoked?: ((principal: string) => void) | undefined;
  /** The last client is gone. */
  readonly onEmpty?: (() => void) | undefined;
}

/** Throws when there is no room for one more client of a protocol. */
export function requireRoom(count: number): void {
  if (count < maxConnections) return;
  throw new HostError(
    "RATE_LIMITED",
    `Client limit reached (${maxConnections}). Disconnect a client, or retry later.`,
  );
}

/** The clients of one protocol on WebSockets. `close` ends them. */
export class ClientSockets<Client extends ClientSocket> {
  readonly #parts: ClientSocketsParts<Client>;
  readonly #webSockets: WebSocketServer;
  readonly #clients = new Set<Client>();
  readonly #headers = new WeakMap<IncomingMessage, readonly string[]>();
  readonly #pings: NodeJS.Timeout;
  #onEmpty: () => void = () => {};

  constructor(parts: ClientSocketsParts<Client>) {
    this.#parts = parts;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      clientTracking: false,
      // One message per tick: by then the effects of the previous message are stored and published, and a client that
      // sends many delays nobody (B50).
      allowSynchronousEvents: false,
      WebSocket: ClientWebSocket,
      handleProtocols: chooseProtocol,
    });
    this.#webSockets.on("headers", (headers, request) => {
      headers.push(...(this.#headers.get(request) ?? []));
    });
    this.#webSockets.on("wsClientError", ({ message }: Error, socket) => {
      const response = errorResponse(new HostError("INVALID_REQUEST", `${message}.`), parts.log);
      response.headers.set("sec-websocket-version", "13, 8");
      void refuseUpgrade(socket, response);
    });
    this.#pings = setInterval(() => {
      for (const client of this.#clients) client.checkLife();
    }, parts.pingMs ?? defaultPingMs).unref();
  }

  /** The longest connected first. */
  get all(): ReadonlySet<Client> {
    return this.#clients;
  }

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const fail = (): void => void socket.destroy();
    socket.on("error", fail);
    admitSocket(request, this.#parts, this.#parts.permission, (admitted) => {
      if (socket.destroyed) return;
      const { headers = [], open } = this.#parts.prepare(admitted, request);
      requireRoom(this.#parts.count?.() ?? this.#clients.size);
      this.#headers.set(request, headers);
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off("error", fail);
        this.#accept(open({ webSocket, socket: request.socket }), webSocket, admitted.clientId);
      });
    }).catch((error: unknown) => {
      this.#noteRefusal(error, request);
      return refuseUpgrade(socket, errorResponse(error, this.#parts.log));
    });
  };

  #noteRefusal(error: unknown, request: IncomingMessage): void {
    const { url = "/", socket } = request;
    this.#parts.refusals.note(error, {
      request: `WebSocket ${url.split("?", 1)[0]}`,
      by: undefined,
      address: socket.remoteAddress,
      hasCredential: hasCredential(request),
    });
  }

  #accept(client: Client, webSocket: WebSocket, principal: string): void {
    this.#clients.add(client);
    const forget = this.#parts.access.revocations.watch(principal, () => {
      client.close(CLOSE_CODE.revoked, "The key was revoked.");
      this.#parts.onRevoked?.(principal);
    });
    webSocket.once("close", () => {
      forget();
      this.#clients.delete(client);
      if (this.#clients.size > 0) return;
      this.#parts.onEmpty?.();
      this.#onEmpty();
    });
  }

  /** Closes all connections; clients reconnect to the next host. */
  async close(work: WorkLeft = "end"): Promise<void> {
    clearInterval(this.#pings);
    for (const client of this.#clients) {
      if (work === "keep") client.close(CLOSE_CODE.restarting, "The host is restarting.");
      else client.close(CLOSE_CODE.goingAway, "The host is stopping.");
    }
    if (this.#clients.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, goodbyeMs);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const client of this.#clients) client.terminate();
  }
}
