// Serves ACP clients at `/acp`, over WebSockets and over streamable HTTP, on the same port as everything else.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "@holdfast/core";
import { type ConnectedClient, HostError } from "@holdfast/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import { type AdmissionParts, admitSocket, chooseProtocol, refuseUpgrade } from "../ahp/admission.ts";
import { ClientWebSocket } from "../ahp/inbound.ts";
import type { Refusals } from "../auth/refusals.ts";
import type { HostPort } from "../host-port.ts";
import { errorResponse, reportError } from "../http/error-response.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import { ACP_PATH, AcpAdmission, acpClient, maxMessageBytes } from "./acp-admission.ts";
import type { AcpDeps } from "./acp-connection.ts";
import { hasChannels } from "./acp-host.ts";
import { AcpSocket, CLOSE_CODE } from "./acp-socket.ts";
import { AcpRoutes } from "./http-routes.ts";

export interface AcpServerOptions extends AdmissionParts {
  readonly host: HostPort;
  readonly log: Log;
  readonly refusals: Refusals;
  readonly version: string;
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
}

interface Connected {
  readonly id: string;
  readonly principal: string;
  readonly since: string;
  readonly forget: () => void;
}

const pingEveryMs = 30_000;
/** How long clients have to close. */
const goodbyeMs = 500;

/** The ACP clients of one server. `close` disconnects them. */
export class AcpServer {
  readonly routes: AcpRoutes;
  readonly #options: AcpServerOptions;
  readonly #admission: AcpAdmission;
  readonly #webSockets: WebSocketServer;
  readonly #sockets = new Map<AcpSocket, Connected>();
  readonly #ids = new WeakMap<IncomingMessage, string>();
  readonly #pings: NodeJS.Timeout;
  #onEmpty: () => void = () => {};

  constructor(options: AcpServerOptions) {
    this.#options = options;
    const count = (): number => this.#sockets.size + this.routes.size;
    this.#admission = new AcpAdmission(() => makeDeps(options), count);
    this.routes = new AcpRoutes({ ...options, admission: this.#admission });
    this.#webSockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
      clientTracking: false,
      // One message per tick, so that a client that sends many delays nobody (B50).
      allowSynchronousEvents: false,
      WebSocket: ClientWebSocket,
      handleProtocols: chooseProtocol,
    });
    this.#webSockets.on("headers", (headers, request) => {
      headers.push(`Acp-Connection-Id: ${this.#ids.get(request)}`);
    });
    this.#webSockets.on("wsClientError", ({ message }: Error, socket) => {
      const refusal = new HostError("INVALID_REQUEST", `${message}.`);
      void refuseUpgrade(socket, errorResponse(refusal, options.log));
    });
    this.#pings = setInterval(() => {
      for (const socket of this.#sockets.keys()) socket.checkLife();
    }, pingEveryMs).unref();
  }

  /** Whether an upgrade is one to ACP. */
  static isFor({ url = "/" }: IncomingMessage): boolean {
    return url === ACP_PATH || url.startsWith(`${ACP_PATH}?`);
  }

  /** Connected clients that have introduced themselves. */
  get clients(): readonly ConnectedClient[] {
    const sockets = [...this.#sockets].map(([{ connection }, connected]) => ({ connection, ...connected }));
    const overHttp = this.routes.connections.map(({ id, kept: { connection, principal, since } }) => ({
      connection: connection.connection,
      id,
      principal,
      since,
    }));
    return [...sockets, ...overHttp].flatMap(({ connection, id, principal, since }) => {
      const { info, sessionCount } = connection;
      if (info === undefined) return [];
      const count = { channelCount: sessionCount };
      return [{ clientId: id, ...info, dialect: "acp", principal, connectedAt: since, ...count }];
    });
  }

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { log, refusals } = this.#options;
    const fail = (): void => void socket.destroy();
    socket.on("error", fail);
    admitSocket(request, this.#options, "acp.agent", (admitted) => {
      this.#admission.requireRoom();
      const deps = this.#admission.deps();
      if (socket.destroyed) return;
      const { searchParams } = new URL(request.url ?? ACP_PATH, "http://host");
      const client = acpClient(admitted, searchParams);
      this.#ids.set(request, randomUUID());
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off("error", fail);
        const accepted = { webSocket, socket: request.socket, client };
        this.#accept(new AcpSocket(deps, accepted), webSocket, request, admitted.clientId);
      });
    }).catch((error: unknown) => {
      refusals.note(error, {
        request: `WebSocket ${ACP_PATH}`,
        by: undefined,
        address: request.socket.remoteAddress,
        hasCredential: true,
      });
      return refuseUpgrade(socket, errorResponse(error, log));
    });
  };

  /** Disconnects all clients; they come back to the next host. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    this.routes.close();
    for (const socket of this.#sockets.keys()) socket.close(CLOSE_CODE.goingAway, "The host is stopping.");
    if (this.#sockets.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, goodbyeMs);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const socket of this.#sockets.keys()) socket.terminate();
  }

  #accept(socket: AcpSocket, webSocket: WebSocket, request: IncomingMessage, principal: string): void {
    const forget = this.#options.access.revocations.watch(principal, () => {
      socket.close(CLOSE_CODE.revoked, "The key was revoked.");
    });
    const id = this.#ids.get(request) ?? "";
    this.#sockets.set(socket, { id, principal, since: new Date().toISOString(), forget });
    webSocket.once("close", () => {
      forget();
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#onEmpty();
    });
  }
}

function makeDeps({ host, version, log }: AcpServerOptions): AcpDeps | undefined {
  if (!hasChannels(host)) return undefined;
  return { host, version, report: (error) => reportError(error, log), now: () => new Date() };
}
