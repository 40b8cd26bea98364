// Serves AHP clients over WebSockets, on the same port as everything else and on any path.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "@holdfast/core";
import { type ConnectedClient, HostError } from "@holdfast/protocol";
import type { Refusals } from "../auth/refusals.ts";
import type { AhpPort, HostPort } from "../host-port.ts";
import type { HostMetrics } from "../metrics/host-metrics.ts";
import type { WorkLeft } from "../http/connections.ts";
import { reportError } from "../http/error-response.ts";
import type { AdmissionParts } from "../socket/admission.ts";
import { type AcceptedSocket, ClientSockets } from "../socket/client-sockets.ts";
import { textFrame } from "../socket/text-frame.ts";
import { ChannelViews } from "./channel-view.ts";
import { Channels } from "./channels.ts";
import { ClientRecords } from "./client-record.ts";
import { AhpConnection, type ConnectionDeps } from "./connection.ts";
import { requestHandlers } from "./handlers.ts";
import { Reviews } from "./review.ts";
import { ResourceWatches } from "./resource-watches.ts";
import { StartProgress } from "./start-progress.ts";
import { Telemetry } from "./telemetry.ts";

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

/** Less than the silence after which clients would ask: one timer wakes the host, not each client's question (E221). */
const defaultBeatMs = 2_000;
const beatFrame = textFrame(JSON.stringify({ jsonrpc: "2.0", method: "heartbeat", params: {} }));
const defaultMemoryMs = 5 * 60_000;

/** The AHP clients of one server. `close` disconnects them. */
export class AhpServer {
  readonly #options: AhpServerOptions;
  readonly #sockets: ClientSockets<AhpConnection>;
  /** Runs while clients are connected. */
  #beat: NodeJS.Timeout | undefined;
  #serving: ConnectionDeps | undefined;

  constructor(options: AhpServerOptions) {
    this.#options = options;
    this.#sockets = new ClientSockets({
      ...options,
      permission: "admin",
      pingMs: options.heartbeatMs,
      prepare: ({ clientId: principal }) => {
        const deps = this.#deps();
        return { open: (accepted) => this.#open(deps, accepted, principal) };
      },
      // The tab of a browser that was signed out keeps its name, and comes back with the next sign-in (Z711).
      onRevoked: (principal) => this.#serving?.records.release(principal),
      onEmpty: () => this.#stopBeat(),
    });
  }

  /** Connected clients, the longest connected first. */
  get clients(): readonly ConnectedClient[] {
    return [...this.#sockets.all].flatMap(({ client }) => client ?? []);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.upgrade(request, socket, head);
  }

  /** Closes all connections; clients reconnect to the next host. */
  async close(work: WorkLeft = "end"): Promise<void> {
    await this.#sockets.close(work);
    this.#serving?.watches.close();
    this.#serving?.telemetry.close();
    this.#serving?.starts.close();
    this.#serving?.reviews.close();
    this.#serving?.records.close();
  }

  #open(deps: ConnectionDeps, accepted: AcceptedSocket, principal: string): AhpConnection {
    this.#beat ??= setInterval(() => {
      for (const each of this.#sockets.all) each.beat(beatFrame);
    }, this.#options.beatMs ?? defaultBeatMs).unref();
    return new AhpConnection(deps, { ...accepted, principal });
  }

  #stopBeat(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
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
