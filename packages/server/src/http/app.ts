// The app API over HTTP: admission, routes, and JSON on every response.
import type { Log } from "@holdfast/core";
import { type ConnectedClient, HostError, openApiDocument, type ProcessList } from "@holdfast/protocol";
import { Hono } from "hono";
import type { Refusals } from "../auth/refusals.ts";
import type { HostPort } from "../host-port.ts";
import type { Watch } from "../watch.ts";
import { type AdmissionOptions, admit, type PeerOf } from "./admission.ts";
import { appHandlers } from "./app-registration.ts";
import { approvalHandlers } from "./approval.ts";
import { errorResponse, reportError } from "./error-response.ts";
import { hostHandlers, mountCaller, mountStop, type RunningWork } from "./host.ts";
import { keyHandlers } from "./key.ts";
import { logOf, mountMetrics, observeRequests } from "./metrics.ts";
import type { OpenStreams } from "./open-streams.ts";
import { mountOperations, refuseOtherMethods, type ServerEnv } from "./operation-routes.ts";
import { mountClientTools } from "./client-tools.ts";
import { changesHandlers } from "./changes.ts";
import { searchHandlers } from "./search.ts";
import { sessionHandlers } from "./session.ts";
import { signInHandlers } from "./sign-in.ts";
import { terminalHandlers } from "./terminal.ts";
import { turnHandlers } from "./turn.ts";
import { webhookHandlers } from "./webhook.ts";

export interface AppOptions extends AdmissionOptions {
  readonly host: HostPort;
  readonly log: Log;
  readonly version: string;
  readonly heartbeatMs: number;
  readonly streams: OpenStreams;
  readonly watch: Watch;
  readonly refusals: Refusals;
  readonly clients: () => readonly ConnectedClient[];
  /** Adds the routes of ACP's own transport. */
  readonly mountAcp?: ((app: Hono<ServerEnv>) => void) | undefined;
  /** Runs that the keeper holds, and processes without an owner; absent: nobody knows. */
  readonly processes?: (() => Promise<ProcessList>) | undefined;
  /** Holds a folder for each app; absent: apps have none. */
  readonly appDataFolder?: string | undefined;
  /** Stops the host on request; absent: nobody can ask for it. */
  readonly onStopRequest?: ((work: RunningWork) => void) | undefined;
}

/** Builds the app: address, then credentials, then routes (A10–A13). */
export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { host, log, watch } = options;
  const app = new Hono<ServerEnv>();
  app.onError((error, c) => errorResponse(error, logOf(log, c)));
  app.notFound(() => {
    throw new HostError("NOT_FOUND");
  });
  observeRequests(app, { metrics: watch.metrics, log, refusals: options.refusals });
  const lent = host.ahp?.clientTools;
  const streamOptions = { ...options, report: (error: unknown) => reportError(error, log) };
  const mountFirst =
    lent &&
    ((first: Hono<ServerEnv>, peerOf: PeerOf) =>
      mountClientTools(first, { lent, peerOf, version: options.version, streams: streamOptions }));
  admit(app, { ...options, mountFirst });
  mountCaller(app, options.appDataFolder);
  app.get("/openapi.json", (c) => {
    c.set("operation", "openApi");
    const { origin: serverUrl } = new URL(c.req.url);
    return Response.json(openApiDocument({ version: options.version, serverUrl }));
  });
  mountMetrics(app, watch.metrics);
  if (options.onStopRequest !== undefined) mountStop(app, options.onStopRequest);
  const handlers = {
    ...hostHandlers(host, options),
    ...sessionHandlers(host),
    ...turnHandlers(host, streamOptions),
    ...approvalHandlers(host),
    ...changesHandlers(host),
    ...searchHandlers(host),
    ...terminalHandlers(host, streamOptions),
    ...keyHandlers(options),
    ...appHandlers(options),
    ...signInHandlers(options),
    ...webhookHandlers(watch.webhooks),
  };
  mountOperations(app, handlers, host);
  options.mountAcp?.(app);
  for (const path of ["/sdk/auth/token", "/metrics", "/openapi.json"]) refuseOtherMethods(app, path, ["GET"]);
  return app;
}
