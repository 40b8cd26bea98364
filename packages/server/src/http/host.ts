// Requests about the host itself: health, the caller's identity, agents, clients, audit, and stopping.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { HostError, success, type ConnectedClient, type ProcessList } from "@holdfast/protocol";
import type { Hono } from "hono";
import type { Identity } from "../auth/identity.ts";
import { requirePermission } from "../auth/permission.ts";
import type { HostPort } from "../host-port.ts";
import { refuseOtherMethods, type Handlers, type ServerEnv } from "./operation-routes.ts";

/** Whether a host accepts work. */
export interface Readiness {
  readonly ready: boolean;
  /** The reason when it does not, readable by anyone. */
  readonly reason?: string;
  /** Default: `HOST_NOT_READY`. */
  readonly code?: "HOST_NOT_READY" | "STORAGE_UNAVAILABLE";
  /** The policy file cannot be used; the rules before its change are in force. */
  readonly policy?: "broken";
  /** The isolation of sessions that name none: the level, and what enforces it once that is known. */
  readonly isolation?: { readonly level: string; readonly backend?: string };
}

interface HostHandlerOptions {
  readonly clients: () => readonly ConnectedClient[];
  readonly processes?: (() => Promise<ProcessList>) | undefined;
}

export function hostHandlers(
  host: HostPort,
  { clients, processes = async () => ({ runs: [], unowned: [] }) }: HostHandlerOptions,
): Pick<
  Handlers,
  "listAgents" | "listAudit" | "getAuditChain" | "getPolicy" | "listClients" | "listProcesses" | "readUsage"
> {
  return {
    listAgents: async ({ query }) => success({ agents: await host.listAgents(query.includeModels) }),
    listAudit: ({ query }, { caller }) => success({ entries: host.readAudit(query, caller) }),
    getAuditChain: (_, { caller }) => success({ chain: host.readAuditChain(caller) }),
    getPolicy: (_, { caller }) => success({ policy: host.readPolicy(caller) }),
    listClients: () => success({ clients: [...clients()] }),
    readUsage: async ({ query }) => success({ usage: await host.usage.read(query.days) }),
    listProcesses: async () => success({ processes: await processes() }),
  };
}

/** Mounts `/healthz` and `/readyz`; admission answers both with `HOST_STOPPING` once the host stops (O6). */
export function mountHealth(app: Hono<ServerEnv>, isReady: () => Readiness = () => ({ ready: true })): void {
  app.get("/healthz", (c) => {
    c.set("operation", "healthz");
    // The host lives, so it must not be restarted: that would free no disk.
    const { ready, code } = isReady();
    const storage = !ready && code === "STORAGE_UNAVAILABLE" ? { storage: "unavailable" } : {};
    return Response.json({ success: true, status: "ok", ...storage });
  });
  app.get("/readyz", (c) => {
    c.set("operation", "readyz");
    const { ready, reason, code = "HOST_NOT_READY", policy, isolation } = isReady();
    if (!ready) throw new HostError(code, reason);
    return Response.json({
      success: true,
      status: "ready",
      ...(policy !== undefined && { policy }),
      ...(isolation !== undefined && { isolation }),
    });
  });
  for (const each of ["/healthz", "/readyz"]) refuseOtherMethods(app, each, ["GET"]);
}

/** Agents and terminals that run when the host stops: kept for the next host, or ended with this one. */
export type RunningWork = "keep" | "end";

/**
 * Mounts `POST /admin/stop`, for the owner and for keys with `admin`; the response leaves before the host stops (A220).
 * `?work=end` ends what runs.
 */
export function mountStop(app: Hono<ServerEnv>, stop: (work: RunningWork) => void): void {
  app.post("/admin/stop", (c) => {
    c.set("operation", "stop");
    requirePermission(c.get("identity"), "admin");
    const { work = "keep" } = c.req.query();
    if (work !== "keep" && work !== "end") {
      throw new HostError("INVALID_REQUEST", "work must be keep or end.");
    }
    setImmediate(stop, work);
    return Response.json({ success: true }, { status: 202 });
  });
  refuseOtherMethods(app, "/admin/stop", ["POST"]);
}

/** Mounts the caller's ping and data folder; `appDataFolder` holds one folder per caller (A69). */
export function mountCaller(app: Hono<ServerEnv>, appDataFolder: string | undefined): void {
  app.get("/sdk/ping", (c) => {
    c.set("operation", "ping");
    return Response.json(pong(c.get("identity")));
  });
  app.get("/sdk/local-apps/data-dir", (c) => {
    c.set("operation", "appDataFolder");
    if (appDataFolder === undefined) throw new HostError("NOT_FOUND", "This host keeps no files for apps.");
    const identity = c.get("identity");
    if (identity.scopes.length === 0) throw new HostError("PERMISSION_REQUIRED");
    const dataDir = path.join(appDataFolder, folderName(identity));
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return Response.json({ success: true, dataDir });
  });
  for (const each of ["/sdk/ping", "/sdk/local-apps/data-dir"]) refuseOtherMethods(app, each, ["GET"]);
}

function pong({ caller, kind }: Identity): object {
  return {
    success: true,
    message: "pong",
    // The clients' terms: an app id is for apps in use, a key for their developers.
    mode: kind === "app-id" ? "production" : "development",
    ...(caller.kind === "app" && { appId: caller.appId }),
    timestamp: new Date().toISOString(),
  };
}

/** A digest: ids may differ in case alone, which some file systems ignore. */
function folderName({ caller, clientId }: Identity): string {
  return caller.kind === "owner" ? "owner" : createHash("sha256").update(clientId).digest("hex").slice(0, 32);
}
