// Server of a host over HTTP, on this machine alone unless configured otherwise, with an orderly shutdown.
import { createServer, type Server } from "node:http";
import type { Audit, Log, Meta } from "@holdfast/core";
import { HostError, LIMITS, OWNER_CLIENT_ID, type ProcessList } from "@holdfast/protocol";
import { getRequestListener } from "@hono/node-server";
import { AcpServer } from "./acp/acp-server.ts";
import { type AhpTimeouts, AhpServer } from "./ahp/ahp-server.ts";
import { openAccess } from "./auth/access.ts";
import { Refusals } from "./auth/refusals.ts";
import type { PeerFinder } from "./auth/peer-check.ts";
import {
  formatAuthority,
  isLoopback,
  type ListenOptions,
  ownNames,
  reachableHost,
  stripBrackets,
} from "./auth/address.ts";
import type { HostPort } from "./host-port.ts";
import { createApp } from "./http/app.ts";
import { Connections, drain, listenOn, type WorkLeft } from "./http/connections.ts";
import {
  answerBrokenRequest,
  answerConnect,
  answerExpectation,
  errorResponse,
} from "./http/error-response.ts";
import type { Readiness, RunningWork } from "./http/host.ts";
import { OpenStreams } from "./http/open-streams.ts";
import { signInPath } from "./page/sign-in-link.ts";
import { openWatch } from "./watch.ts";
import type { WebhookOptions } from "./webhook/webhook-sender.ts";

/** Dependencies and options of a server. */
export interface ServerOptions {
  readonly host: HostPort;
  /** The owner's token. */
  readonly token: string;
  readonly listen: ListenOptions;
  readonly log: Log;
  /** Where keys, apps and webhooks are kept. */
  readonly meta: Meta;
  /** Records what is decided about credentials; absent: nothing does. */
  readonly audit?: Pick<Audit, "record">;
  /** Whether a granted app on this machine may connect with its app id alone; not if left out. */
  readonly apps?: { readonly enabled: boolean; readonly anyUser?: boolean };
  /** Finds the process at the other end of a connection on this machine; absent: nothing is known of it. */
  readonly peers?: PeerFinder;
  /** Ids of agents whose processes may use the API with the owner's credentials. */
  readonly trustedAgents?: readonly string[];
  /** Holds a folder for each app; absent: apps have none. */
  readonly appDataFolder?: string;
  /** Retries and limits of webhooks. */
  readonly webhooks?: Omit<WebhookOptions, "meta">;
  /** Whether the host accepts work, for `/readyz`; default: it does. */
  readonly isReady?: () => Readiness;
  /** Stops the host on request; absent: nobody can ask for it. */
  readonly onStopRequest?: (work: RunningWork) => void;
  /** Runs that the keeper holds, and processes without an owner; absent: nobody knows. */
  readonly processes?: () => Promise<ProcessList>;
  /** The version that the API's document names. */
  readonly version?: string;
  /** The folder of the built page, served at `/`; absent: there is no page. */
  readonly webRoot?: string;
  /** Timeouts for AHP clients. */
  readonly ahp?: AhpTimeouts;
  /** The longest silence of a stream before a heartbeat. */
  readonly heartbeatMs?: number;
  /** How long running requests and streams have to come to their end when the server is closed. */
  readonly graceMs?: number;
  /** How long a request may take to arrive. */
  readonly arrival?: Partial<ArrivalLimits>;
}

/** How long a request may take to arrive. */
export interface ArrivalLimits {
  /** Its headers. */
  readonly headersMs: number;
  /** All of it. */
  readonly requestMs: number;
  /** How often it is looked for requests that took too long. */
  readonly checkEveryMs: number;
}

/** A listening server. Between `stop` and `close` its owner ends the host, whose last events are still delivered. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Makes an address that signs one browser in to the page, once. */
  signInUrl(): string;
  /** Takes no new work, lets running work end unless it is kept, then closes every connection. Idempotent. */
  stop(work?: WorkLeft): Promise<void>;
  /** Stops, then releases the host: its metrics and its webhooks. Idempotent. */
  close(): Promise<void>;
}

/** Below the limit, so that a busy moment does not break it. */
const defaultHeartbeatMs = (LIMITS.heartbeatIntervalMs * 2) / 3;
const defaultGraceMs = 5000;

const defaultArrival: ArrivalLimits = { headersMs: 20_000, requestMs: 120_000, checkEveryMs: 10_000 };

const httpLimits = {
  maxHeaderSize: 32 * 1024,
  keepAliveTimeout: 30_000,
  // Without a host header there is an answer too, in JSON like all others.
  requireHostHeader: false,
};
/** None: beyond a number Node drops headers without a word, those that a proxy adds at the end first (A81). */
const maxHeadersCount = 0;

/** Starts to listen; rejects with a sentence that says what to do when it cannot. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { log, listen, graceMs = defaultGraceMs } = options;
  const names = ownNames(listen);
  if (!isLoopback(listen.host)) warnOfOthers(log, listen.host);
  if (options.apps?.enabled === true) warnOfAppIds(log, options.apps.anyUser);
  const streams = new OpenStreams();
  const audit = options.audit ?? { record: () => undefined };
  let stopping: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  const shared = {
    host: options.host,
    log,
    names,
    origins: new Set(listen.allowedOrigins),
    access: openAccess({
      ...options,
      acceptsAppIds: options.apps?.enabled,
      acceptsAnyUser: options.apps?.anyUser,
      ownerOfMarker: (marker) => options.host.ownerOfMarker?.(marker),
    }),
    version: options.version ?? "0.0.0",
    audit,
    refusals: new Refusals(audit, log),
    isStopping: () => stopping !== undefined,
  };
  const watch = openWatch({ ...options, ...shared, streams });
  const heartbeatMs = options.heartbeatMs ?? defaultHeartbeatMs;
  const acp = new AcpServer({ ...shared, streams, heartbeatMs });
  const app = createApp({
    ...options,
    ...shared,
    watch,
    heartbeatMs,
    streams,
    clients: () => [...ahp.clients, ...acp.clients],
    mountAcp: (routed) => acp.routes.mount(routed),
  });
  const listener = getRequestListener(app.fetch, { errorHandler: (error) => refuse(error, log) });
  const server = createHttpServer({ ...defaultArrival, ...options.arrival });
  const connections = new Connections(server);
  server.on("request", (incoming, outgoing) => void listener(incoming, outgoing));
  const ahp = new AhpServer({ ...options.ahp, ...shared, metrics: watch.metrics });
  server.on("upgrade", (...upgrade) => (AcpServer.isFor(upgrade[0]) ? acp : ahp).upgrade(...upgrade));
  const port = await listenOn(server, stripBrackets(listen.host), listen.port).catch(
    async (error: unknown) => {
      await watch.close();
      throw error;
    },
  );
  const stop = (work: WorkLeft = "end"): Promise<void> => {
    stopping ??= (async () => {
      try {
        await Promise.all([ahp.close(work), acp.close(work)]);
      } finally {
        // Whatever becomes of the sockets, requests are drained.
        await drain({ server, connections, streams }, graceMs, work);
      }
    })();
    return stopping;
  };
  const stopAndRelease = async (): Promise<void> => {
    try {
      await stop();
    } finally {
      await watch.close();
    }
  };
  const url = `http://${formatAuthority(reachableHost(listen), port)}`;
  // Agents reach the tools of clients over loopback alone (A815).
  if (isLoopback(reachableHost(listen))) options.host.ahp?.clientTools.serveAt(url);
  return {
    url,
    port,
    signInUrl: () => url + signInPath(shared.access.signInTickets.issue(OWNER_CLIENT_ID).ticket),
    stop,
    close(): Promise<void> {
      closing ??= stopAndRelease();
      return closing;
    },
  };
}

function createHttpServer({ headersMs, requestMs, checkEveryMs }: ArrivalLimits): Server {
  const server = createServer({
    ...httpLimits,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
  });
  server.maxHeadersCount = maxHeadersCount;
  server.on("clientError", answerBrokenRequest);
  server.on("checkExpectation", answerExpectation);
  server.on("connect", answerConnect);
  return server;
}

function warnOfOthers(log: Log, host: string): void {
  log("warn", "Others can reach the host over connections that are not encrypted; let a proxy add TLS", {
    host,
  });
}

/** An app id is no secret, so accepting it is a choice to be reminded of (A625). */
function warnOfAppIds(log: Log, isAnyUser = false): void {
  const users = isAnyUser ? "any user of this machine" : "your user";
  log(
    "warn",
    `App ids are enabled: a program of ${users} that knows the id of a granted app acts as that app`,
  );
}

/** A request whose target or host is no address never gets as far as the app. */
function refuse(error: unknown, log: Log): Response {
  const isMalformed = error instanceof Error && error.name === "RequestError";
  const refusal = isMalformed ? new HostError("HOST_NOT_ALLOWED", undefined, { cause: error }) : error;
  return errorResponse(refusal, log);
}
