// The app API over HTTP: who may come in, what is there, and JSON on every answer.
import type { Log } from "@holdfast/core";
import { HostError, openApiDocument, type ConnectedClient } from "@holdfast/protocol";
import { Hono } from "hono";
import type { HostPort } from "../host-port.ts";
import type { Watch } from "../watch.ts";
import { admit, type AdmissionOptions } from "./admission.ts";
import { agentHandlers } from "./agent.ts";
import { appHandlers } from "./app-registration.ts";
import { approvalHandlers } from "./approval.ts";
import { auditHandlers } from "./audit.ts";
import { mountCaller } from "./caller.ts";
import { clientHandlers } from "./client.ts";
import { errorResponse, reportError } from "./error-response.ts";
import { keyHandlers } from "./key.ts";
import { logOf, mountMetrics, observeRequests } from "./metrics.ts";
import { LoopTurn } from "./loop-turn.ts";
import { mountOperations, refuseOtherMethods, type ServerEnv } from "./operation-routes.ts";
import type { OpenStreams } from "./open-streams.ts";
import { permissionHandlers } from "./permission.ts";
import { sessionHandlers } from "./session.ts";
import { terminalHandlers } from "./terminal.ts";
import { ticketHandlers } from "./ticket.ts";
import { turnHandlers } from "./turn.ts";
import { webhookHandlers } from "./webhook.ts";

/** What the app API is made from. */
export interface AppOptions extends AdmissionOptions {
  readonly host: HostPort;
  readonly log: Log;
  readonly version: string;
  readonly heartbeatMs: number;
  readonly streams: OpenStreams;
  readonly watch: Watch;
  /** Who is connected over AHP. */
  readonly clients: () => readonly ConnectedClient[];
  /** Holds a folder for each app; absent: apps have none. */
  readonly appDataFolder?: string | undefined;
}

/** Builds the app: address, then credentials, then routes (A10–A13). */
export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { host, log, access, watch } = options;
  const app = new Hono<ServerEnv>();
  app.onError((error, c) => errorResponse(error, logOf(log, c)));
  app.notFound(() => {
    throw new HostError("NOT_FOUND");
  });
  observeRequests(app, watch.metrics, watch.failures);
  admit(app, options);
  mountCaller(app, options.appDataFolder);
  app.get("/openapi.json", (c) => {
    c.set("operation", "openApi");
    const { origin: serverUrl } = new URL(c.req.url);
    return Response.json(openApiDocument({ version: options.version, serverUrl }));
  });
  mountMetrics(app, watch.metrics);
  const pumpOptions = {
    ...options,
    loopTurn: new LoopTurn(),
    report: (error: unknown) => reportError(error, log),
  };
  const handlers = {
    ...agentHandlers(host),
    ...sessionHandlers(host),
    ...turnHandlers(host, pumpOptions),
    ...permissionHandlers(host),
    ...approvalHandlers(host),
    ...terminalHandlers(host, pumpOptions),
    ...keyHandlers(access, log),
    ...ticketHandlers(access),
    ...appHandlers(access, log),
    ...auditHandlers(host),
    ...clientHandlers(options.clients),
    ...webhookHandlers(watch.webhooks),
  };
  mountOperations(app, handlers, () => host.acpEnabled);
  for (const path of ["/sdk/auth/token", "/metrics", "/openapi.json"]) refuseOtherMethods(app, path, ["GET"]);
  return app;
}
