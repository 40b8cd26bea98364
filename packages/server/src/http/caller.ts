// What the host tells a caller of itself: that it is known, and where it may keep its files.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { HostError } from "@holdfast/protocol";
import type { Hono } from "hono";
import type { Identity } from "../auth/identity.ts";
import { refuseOtherMethods, type ServerEnv } from "./operation-routes.ts";

/** Mounts what callers ask of themselves; `appDataFolder` holds a folder for each, where there is one (A69). */
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
    // The words of the clients: an app id is for apps in use, a key for whoever makes them.
    mode: kind === "app-id" ? "production" : "development",
    ...(caller.kind === "app" && { appId: caller.appId }),
    timestamp: new Date().toISOString(),
  };
}

/** A digest: ids may differ in case alone, which some file systems do not see. */
function folderName({ caller, clientId }: Identity): string {
  return caller.kind === "owner" ? "owner" : createHash("sha256").update(clientId).digest("hex").slice(0, 32);
}
