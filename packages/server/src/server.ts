// Serves a host over HTTP on this machine alone, and stops in an orderly way.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Log } from "@holdfast/core";
import { HostError, LIMITS } from "@holdfast/protocol";
import { formatAuthority, isLoopback, stripBrackets } from "./auth/loopback.ts";
import { OwnerToken } from "./auth/token.ts";
import type { HostPort } from "./host-port.ts";
import { createApp } from "./http/app.ts";
import { answerBrokenRequest } from "./http/broken-request.ts";
import { Connections } from "./http/connections.ts";
import { errorResponse } from "./http/error-response.ts";
import { OpenStreams } from "./http/open-streams.ts";

/** What a server is made from. */
export interface ServerOptions {
  readonly host: HostPort;
  /** The owner's token. */
  readonly token: string;
  /** Where to listen: a loopback name or address, and a port, 0 for any that is free. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly log: Log;
  /** The version that the API's document names. */
  readonly version?: string;
  /** How long a stream may be silent before it gives a sign of life. */
  readonly heartbeatMs?: number;
  /** How long running requests and streams have to come to their end when the server is closed. */
  readonly graceMs?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new work, lets running work end, then closes. Idempotent. */
  close(): Promise<void>;
}

/** Below the limit, so that a busy moment does not break it. */
const defaultHeartbeatMs = (LIMITS.heartbeatIntervalMs * 2) / 3;
const defaultGraceMs = 5000;
/** What a stream that was told to end, or a reader of its last words, may still take. */
const lastWordsMs = 1000;

/** Bounds on how slowly and how big a request may come in. */
const httpLimits = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 30_000,
  // Without a host header there is an answer too, in JSON like all others.
  requireHostHeader: false,
};

/** Starts to listen; rejects with a sentence that says what to do when it cannot. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { log, listen, graceMs = defaultGraceMs } = options;
  if (!isLoopback(listen.host)) {
    throw new HostError(
      "HOST_NOT_ALLOWED",
      `Holdfast listens on this machine only, not on ${listen.host}. Use 127.0.0.1, ::1 or localhost.`,
    );
  }
  const streams = new OpenStreams();
  let closing: Promise<void> | undefined;
  const app = createApp({
    ...options,
    token: new OwnerToken(options.token),
    version: options.version ?? "0.0.0",
    heartbeatMs: options.heartbeatMs ?? defaultHeartbeatMs,
    streams,
    isStopping: () => closing !== undefined,
  });
  const listener = getRequestListener(app.fetch, { errorHandler: (error) => refuse(error, log) });
  const server = createServer(httpLimits);
  const connections = new Connections(server);
  server.on("request", (incoming, outgoing) => void listener(incoming, outgoing));
  server.on("clientError", answerBrokenRequest);
  const port = await listenOn(server, stripBrackets(listen.host), listen.port);
  return {
    url: `http://${formatAuthority(listen.host, port)}`,
    port,
    close(): Promise<void> {
      closing ??= drain({ server, connections, streams }, graceMs);
      return closing;
    },
  };
}

/** A request whose target or host is no address never gets as far as the app. */
function refuse(error: unknown, log: Log): Response {
  const isMalformed = error instanceof Error && error.name === "RequestError";
  const refusal = isMalformed ? new HostError("HOST_NOT_ALLOWED", undefined, { cause: error }) : error;
  return errorResponse(refusal, log);
}

async function listenOn(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new HostError("INTERNAL", explainListenError(cause, host, port), { cause });
  }
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function explainListenError(cause: unknown, host: string, port: number): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose another, or 0 for any that is free.`;
    case "EACCES":
      return `Port ${port} needs special rights. Choose one above 1023, or 0 for any that is free.`;
    default:
      return `Cannot listen on ${formatAuthority(host, port)}. Choose another address.`;
  }
}

interface Serving {
  readonly server: Server;
  readonly connections: Connections;
  readonly streams: OpenStreams;
}

async function drain({ server, connections, streams }: Serving, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.closeIdle();
  if (await endsWithin(closed, graceMs)) return;
  streams.stop();
  if (await endsWithin(closed, lastWordsMs)) return;
  connections.closeAll();
  await closed;
}

async function endsWithin(end: Promise<void>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeMs, false);
  });
  const isOver = await Promise.race([end.then(() => true), timeIsUp]);
  clearTimeout(timer);
  return isOver;
}
