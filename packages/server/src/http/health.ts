// Whether the host lives, and whether it takes work: anybody may ask, and learns nothing else.
import { HostError } from "@holdfast/protocol";
import type { Hono } from "hono";
import { refuseOtherMethods, type ServerEnv } from "./operation-routes.ts";

/** Whether a host takes work. */
export interface Readiness {
  readonly ready: boolean;
  /** Why not, in a sentence that anybody may read. */
  readonly reason?: string;
}

/** Mounts `/healthz` and `/readyz`; both say `HOST_STOPPING` by themselves once the host stops (O6). */
export function mountHealth(app: Hono<ServerEnv>, isReady: () => Readiness = () => ({ ready: true })): void {
  app.get("/healthz", (c) => {
    c.set("operation", "healthz");
    return Response.json({ success: true, status: "ok" });
  });
  app.get("/readyz", (c) => {
    c.set("operation", "readyz");
    const { ready, reason } = isReady();
    if (!ready) throw new HostError("HOST_NOT_READY", reason);
    return Response.json({ success: true, status: "ready" });
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}
