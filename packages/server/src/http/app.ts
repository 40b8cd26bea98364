// The app API over HTTP: who may come in, what is there, and JSON on every answer.
import type { Log } from "@holdfast/core";
import { HostError, openApiDocument } from "@holdfast/protocol";
import { Hono } from "hono";
import { checkAddress } from "../auth/address.ts";
import type { OwnerToken } from "../auth/token.ts";
import type { HostPort } from "../host-port.ts";
import { agentHandlers } from "./agent.ts";
import { errorResponse } from "./error-response.ts";
import { mountOperations, refuseOtherMethods, type ServerEnv } from "./operation-routes.ts";
import type { OpenStreams } from "./open-streams.ts";
import { permissionHandlers } from "./permission.ts";
import { sessionHandlers } from "./session.ts";
import { turnHandlers } from "./turn.ts";

/** What the app API is made from. */
export interface AppOptions {
  readonly host: HostPort;
  readonly token: OwnerToken;
  readonly log: Log;
  readonly version: string;
  readonly heartbeatMs: number;
  readonly streams: OpenStreams;
  /** Whether the host takes no new work any more. */
  readonly isStopping: () => boolean;
}

/** Builds the app: address, then credentials, then routes (A10–A13). */
export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { host, log } = options;
  const app = new Hono<ServerEnv>();
  app.onError((error) => errorResponse(error, log));
  app.notFound(() => {
    throw new HostError("NOT_FOUND");
  });
  admit(app, options);
  app.get("/sdk/ping", () => Response.json(pong()));
  app.get("/openapi.json", (c) => {
    const { origin: serverUrl } = new URL(c.req.url);
    return Response.json(openApiDocument({ version: options.version, serverUrl }));
  });
  const handlers = {
    ...agentHandlers(host),
    ...sessionHandlers(host),
    ...turnHandlers(host, options),
    ...permissionHandlers(host),
  };
  mountOperations(app, handlers, () => host.acpEnabled);
  for (const path of ["/healthz", "/sdk/ping", "/openapi.json"]) refuseOtherMethods(app, path, ["GET"]);
  return app;
}

/** Lets in whoever means this host and has its token; anybody on this machine may ask whether it is well. */
function admit(app: Hono<ServerEnv>, { token, isStopping }: AppOptions): void {
  app.use(async (c, next) => {
    checkAddress({ host: c.req.header("host"), origin: c.req.header("origin") });
    if (isStopping()) throw new HostError("HOST_STOPPING");
    await next();
  });
  app.get("/healthz", () => Response.json({ success: true, status: "ok" }));
  app.use(async (c, next) => {
    const apiKey = c.req.header("x-api-key");
    c.set("caller", token.identify({ apiKey, authorization: c.req.header("authorization") }));
    await next();
  });
}

function pong(): object {
  return { success: true, message: "pong", mode: "production", timestamp: new Date().toISOString() };
}
