// Serves AHP clients over WebSockets, on the same port as everything else and on any path.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Log } from "@holdfast/core";
import { HostError, type ConnectedClient } from "@holdfast/protocol";
import type { AhpPort, HostPort } from "../host-port.ts";
import { errorResponse, reportError } from "../http/error-response.ts";
import { admitSocket, chooseProtocol, type AdmissionParts } from "./admission.ts";
import { ChannelViews } from "./channel-views.ts";
import { Channels } from "./channels.ts";
import { ClientRecords } from "./client-records.ts";
import { CLOSE_CODE } from "./close-code.ts";
import { AhpConnection, type ConnectionTools } from "./connection.ts";
import { requestHandlers } from "./handlers.ts";
import { refuseUpgrade } from "./refusal.ts";

/** How patient the host is with AHP clients. */
export interface AhpPatience {
  /** How often clients are asked for a sign of life. */
  readonly heartbeatMs?: number | undefined;
  /** How long a client that is gone is remembered. */
  readonly memoryMs?: number | undefined;
}

/** What AHP is served with. */
export interface AhpServerOptions extends AdmissionParts, AhpPatience {
  readonly host: HostPort;
  readonly log: Log;
  readonly version: string;
  readonly now?: (() => Date) | undefined;
}

/** The largest message that is taken. */
const maxMessageBytes = 16 * 1024 * 1024;
const maxConnections = 512;
const defaultHeartbeatMs = 30_000;
const defaultMemoryMs = 5 * 60_000;
/** What a client has to say goodbye. */
const goodbyeMs = 500;

/** The WebSockets of one server. `close` ends them. */
export class AhpServer {
  readonly #options: AhpServerOptions;
  readonly #webSockets: WebSocketServer;
  readonly #connections = new Set<AhpConnection>();
  readonly #heartbeat: NodeJS.Timeout;
  #serving: { readonly tools: ConnectionTools; readonly records: ClientRecords } | undefined;

  constructor(options: AhpServerOptions) {
    this.#options = options;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
      clientTracking: false,
      // Each message in its own turn: what the one before it did is kept and told by then.
      allowSynchronousEvents: false,
      handleProtocols: chooseProtocol,
    });
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections) connection.checkLife();
    }, options.heartbeatMs ?? defaultHeartbeatMs);
    this.#heartbeat.unref();
  }

  /** How many clients are connected. */
  get size(): number {
    return this.#connections.size;
  }

  /** Who is connected, the longest first. */
  get clients(): readonly ConnectedClient[] {
    return [...this.#connections].flatMap(({ client }) => client ?? []);
  }

  /** A listener for the server's `upgrade`. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const fail = (): void => void socket.destroy();
    socket.on("error", fail);
    try {
      const principal = admitSocket(request, this.#options);
      const tools = this.#tools();
      if (this.#connections.size >= maxConnections) {
        throw new HostError("RATE_LIMITED", "Too many clients are connected.");
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off("error", fail);
        this.#accept(tools, webSocket, request.socket, principal);
      });
    } catch (error) {
      void refuseUpgrade(socket, errorResponse(error, this.#options.log));
    }
  };

  /** Says goodbye to all clients; they come back to the next host by themselves. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const connection of this.#connections) {
      connection.close(CLOSE_CODE.goingAway, "The host is stopping.");
    }
    if (this.#connections.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, goodbyeMs);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const connection of this.#connections) connection.terminate();
    this.#serving?.records.close();
  }

  #onEmpty: () => void = () => {};

  #accept(tools: ConnectionTools, webSocket: WebSocket, socket: Socket, principal: string): void {
    const connection = new AhpConnection(tools, { webSocket, socket, principal });
    this.#connections.add(connection);
    const forget = this.#options.access.revocations.watch(principal, () => {
      connection.close(CLOSE_CODE.revoked, "The key was revoked.");
    });
    webSocket.once("close", () => {
      forget();
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  /** Made for the first client: a host that nobody visits pays nothing. */
  #tools(): ConnectionTools {
    const { host, log, version, memoryMs = defaultMemoryMs, now = () => new Date() } = this.#options;
    const { ahp: port } = host;
    if (port === undefined) throw new HostError("NOT_FOUND");
    this.#serving ??= makeTools(port, { log, version, memoryMs, now });
    return this.#serving.tools;
  }
}

function makeTools(
  port: AhpPort,
  { log, version, memoryMs, now }: { readonly log: Log; version: string; memoryMs: number; now: () => Date },
): { tools: ConnectionTools; records: ClientRecords } {
  const channels = new Channels(port);
  const views = new ChannelViews(port.hub);
  const records = new ClientRecords({ port, views, memoryMs });
  const tools = {
    port,
    channels,
    views,
    records,
    handlers: requestHandlers({ port, channels }),
    version,
    report: (error: unknown) => reportError(error, log),
    now,
  };
  return { tools, records };
}
