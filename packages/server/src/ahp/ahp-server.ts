// Serves AHP clients over WebSockets, on the same port as everything else and on any path.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "@holdfast/core";
import { type ConnectedClient, HostError } from "@holdfast/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import type { Refusals } from "../auth/refusals.ts";
import type { AhpPort, HostPort } from "../host-port.ts";
import type { HostMetrics } from "../metrics/host-metrics.ts";
import type { WorkLeft } from "../http/connections.ts";
import { errorResponse, reportError } from "../http/error-response.ts";
import { type AdmissionParts, admitSocket, chooseProtocol, refuseUpgrade } from "./admission.ts";
import { ChannelViews } from "./channel-view.ts";
import { Channels } from "./channels.ts";
import { ClientRecords } from "./client-record.ts";
import { AhpConnection, CLOSE_CODE, type ConnectionDeps } from "./connection.ts";
import { requestHandlers } from "./handlers.ts";
import { ClientWebSocket } from "./inbound.ts";
import { Reviews } from "./review.ts";
import { ResourceWatches } from "./resource-watches.ts";
import { StartProgress } from "./start-progress.ts";
import { Telemetry } from "./telemetry.ts";
import { textFrame } from "./text-frame.ts";

/** Timeouts for AHP clients. */
export interface AhpTimeouts {
  /** How often the host pings clients. */
  readonly heartbeatMs?: number | undefined;
  /** How often the host sends a heartbeat to clients that expect one. */
  readonly beatMs?: number | undefined;
  /** How long a client that is gone is remembered. */
  readonly memoryMs?: number | undefined;
}

export interface AhpServerOptions extends AdmissionParts, AhpTimeouts {
  readonly host: HostPort;
  readonly log: Log;
  readonly refusals: Refusals;
  readonly version: string;
  readonly metrics: Pick<HostMetrics, "collect">;
  readonly now?: (() => Date) | undefined;
}

const maxMessageBytes = 16 * 1024 * 1024;
const maxConnections = 512;
const defaultHeartbeatMs = 30_000;
/** Less than the silence after which clients would ask: one timer wakes the host, not each client's question (E221). */
const defaultBeatMs = 2_000;
const beatFrame = textFrame(JSON.stringify({ jsonrpc: "2.0", method: "heartbeat", params: {} }));
const defaultMemoryMs = 5 * 60_000;
/** How long clients have to close. */
const goodbyeMs = 500;

/** The WebSockets of one server. `close` ends them. */
export class AhpServer {
  readonly #options: AhpServerOptions;
  readonly #webSockets: WebSocketServer;
  readonly #connections = new Set<AhpConnection>();
  readonly #heartbeat: NodeJS.Timeout;
  /** Runs while clients are connected. */
  #beat: NodeJS.Timeout | undefined;
  #serving: ConnectionDeps | undefined;

  constructor(options: AhpServerOptions) {
    this.#options = options;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
      clientTracking: false,
      // One message per tick: by then the effects of the previous message are stored and published.
      allowSynchronousEvents: false,
      WebSocket: ClientWebSocket,
      handleProtocols: chooseProtocol,
    });
    this.#webSockets.on("wsClientError", ({ message }: Error, socket) => {
      const response = errorResponse(new HostError("INVALID_REQUEST", `${message}.`), options.log);
      response.headers.set("sec-websocket-version", "13, 8");
      void refuseUpgrade(socket, response);
    });
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections) connection.checkLife();
    }, options.heartbeatMs ?? defaultHeartbeatMs);
    this.#heartbeat.unref();
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Connected clients, the longest connected first. */
  get clients(): readonly ConnectedClient[] {
    return [...this.#connections].flatMap(({ client }) => client ?? []);
  }

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const fail = (): void => void socket.destroy();
    socket.on("error", fail);
    admitSocket(request, this.#options, "admin", ({ clientId }) => {
      if (!socket.destroyed) this.#upgrade(request, socket, head, clientId, fail);
    }).catch((error: unknown) => {
      this.#noteRefusal(error, request);
      return refuseUpgrade(socket, errorResponse(error, this.#options.log));
    });
  };

  #noteRefusal(error: unknown, { url = "/", headers, socket }: IncomingMessage): void {
    this.#options.refusals.note(error, {
      request: `WebSocket ${url.split("?", 1)[0]}`,
      by: undefined,
      address: socket.remoteAddress,
      hasCredential:
        /[?&](?:tkn|ticket)=/.test(url) ||
        ["x-api-key", "authorization", "cookie", "sec-websocket-protocol"].some((name) => name in headers),
    });
  }

  #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: string,
    fail: () => void,
  ): void {
    const deps = this.#deps();
    if (this.#connections.size >= maxConnections) {
      throw new HostError(
        "RATE_LIMITED",
        `Client limit reached (${maxConnections}). Disconnect a client, or retry later.`,
      );
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off("error", fail);
      this.#accept(deps, webSocket, request.socket, principal);
    });
  }

  /** Closes all connections; clients reconnect to the next host. */
  async close(work: WorkLeft = "end"): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const connection of this.#connections) {
      if (work === "keep") connection.close(CLOSE_CODE.restarting, "The host is restarting.");
      else connection.close(CLOSE_CODE.goingAway, "The host is stopping.");
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
    this.#serving?.watches.close();
    this.#serving?.telemetry.close();
    this.#serving?.starts.close();
    this.#serving?.reviews.close();
    this.#serving?.records.close();
  }

  #onEmpty: () => void = () => {};

  #accept(deps: ConnectionDeps, webSocket: WebSocket, socket: Socket, principal: string): void {
    const connection = new AhpConnection(deps, { webSocket, socket, principal });
    this.#connections.add(connection);
    this.#beat ??= setInterval(() => {
      for (const each of this.#connections) each.beat(beatFrame);
    }, this.#options.beatMs ?? defaultBeatMs).unref();
    const forget = this.#options.access.revocations.watch(principal, () => {
      connection.close(CLOSE_CODE.revoked, "The key was revoked.");
      // The tab of a browser that was signed out keeps its name, and comes back with the next sign-in (Z711).
      deps.records.release(principal);
    });
    webSocket.once("close", () => {
      forget();
      this.#connections.delete(connection);
      if (this.#connections.size > 0) return;
      clearInterval(this.#beat);
      this.#beat = undefined;
      this.#onEmpty();
    });
  }

  /** Made for the first client: a host that nobody visits pays nothing. */
  #deps(): ConnectionDeps {
    const {
      host,
      log,
      refusals,
      version,
      metrics,
      memoryMs = defaultMemoryMs,
      now = () => new Date(),
    } = this.#options;
    const { ahp: port } = host;
    if (port === undefined) throw new HostError("NOT_FOUND");
    this.#serving ??= makeDeps(port, { log, refusals, version, metrics, memoryMs, now });
    return this.#serving;
  }
}

function makeDeps(
  port: AhpPort,
  {
    log,
    refusals,
    version,
    metrics,
    memoryMs,
    now,
  }: Pick<AhpServerOptions, "log" | "refusals" | "version" | "metrics"> & {
    readonly memoryMs: number;
    readonly now: () => Date;
  },
): ConnectionDeps {
  const channels = new Channels(port);
  const views = new ChannelViews(port.hub);
  const watches = new ResourceWatches(port);
  const report = (error: unknown): string => reportError(error, log);
  const reviews = new Reviews(port, (error) => void report(error));
  const telemetry = new Telemetry({ metrics, version, report });
  const starts = new StartProgress(port);
  return {
    port,
    channels,
    views,
    records: new ClientRecords(port, views, memoryMs),
    watches,
    reviews,
    telemetry,
    starts,
    handlers: requestHandlers({ port, channels, watches, reviews, telemetry, starts }),
    version,
    refusals,
    report,
    now,
  };
}
