// Apps that are known by an id: what they ask for themselves, and what the owner answers.
import { makeId } from "@holdfast/ahp";
import { rightsEntry, TokenBucket } from "@holdfast/core";
import {
  type App,
  type AppPermission,
  appRegistrationSchema,
  HostError,
  permissionWishSchema,
  readJsonBody,
  success,
} from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import type { Access } from "../auth/access.ts";
import { appClientId } from "../auth/authenticator.ts";
import { rateLimited } from "../auth/failure-limit.ts";
import type { KeyHandlerDeps } from "./key.ts";
import { type Handlers, refuseOtherMethods, type ServerEnv } from "./operation-routes.ts";
import { BodyReader } from "./request-body.ts";

/** Anybody on this machine may send one. */
const registrationBytes = 16 * 1024;
const registrationRate = { burst: 20, perSecond: 1 };
const paths = { register: "/sdk/register", request: "/api/local-apps/request-permission" };

/** Mounts what apps ask for before they have any right: without credentials, on this machine alone (A66, A67). */
export function mountAppRegistration(
  app: Hono<ServerEnv>,
  { apps, acceptsAppIds }: Access,
  isLocal: (c: Context<ServerEnv>) => boolean,
): void {
  const bucket = new TokenBucket(registrationRate, performance.now());
  const bodies = new BodyReader();
  const readText = async (c: Context<ServerEnv>): Promise<string> => {
    if (!isLocal(c)) throw new HostError("UNAUTHORIZED");
    const waitMs = bucket.take(performance.now());
    if (waitMs > 0) throw rateLimited(waitMs);
    return bodies.read(c.req.raw, registrationBytes);
  };
  app.post(paths.register, async (c) => {
    c.set("operation", "registerApp");
    const registration = readJsonBody(appRegistrationSchema, await readText(c));
    const registered = apps.register({
      id: registration.app_id,
      name: registration.app_name,
      permissions: registration.permissions,
    });
    return Response.json(success({ message: messageFor(registered, acceptsAppIds) }));
  });
  app.post(paths.request, async (c) => {
    c.set("operation", "requestPermission");
    const { app_id: id, app_name: name, permission } = readJsonBody(permissionWishSchema, await readText(c));
    const requested: readonly string[] = apps.find(id)?.requested ?? [];
    const known = apps.register({ id, name, permissions: [...requested, permission] });
    const granted: readonly string[] = known.state === "granted" && acceptsAppIds ? known.permissions : [];
    return Response.json(success({ granted: granted.includes(permission) }));
  });
  for (const path of Object.values(paths)) refuseOtherMethods(app, path, ["POST"]);
}

type AppOperation = "listApps" | "grantApp" | "denyApp" | "removeApp";

/** The handlers of what the owner says of apps; what an app has open ends when it loses a right, written down or not. */
export function appHandlers({
  access: { apps, revocations },
  host,
  log,
  audit,
}: KeyHandlerDeps): Pick<Handlers, AppOperation> {
  const record = (subject: string, by: string, outcome: string): void =>
    audit.record(rightsEntry({ what: "app", subject, by: `client ${by}`, outcome }));
  const end = async (id: string): Promise<void> => {
    revocations.revoke(appClientId(id));
    await host.cancelTurnsOf(makeId("app", id), "The app lost a permission.");
  };
  return {
    listApps: () => success({ apps: apps.list() }),
    grantApp: async ({ params: { id }, body: { permissions, name, ceiling } }, { clientId }) => {
      const before = permissionsOf(apps.find(id));
      try {
        const app = apps.grant(id, permissions, { name, ceiling });
        log("info", "An app was granted permissions", { appId: id, permissions });
        record(id, clientId, `granted: ${JSON.stringify({ permissions, ceiling })}`);
        return success({ app });
      } finally {
        const now = permissionsOf(apps.find(id));
        if (before.some((permission) => !now.includes(permission))) await end(id);
      }
    },
    denyApp: async ({ params: { id } }, { clientId }) => {
      try {
        const app = apps.refuse(id) ?? unknownApp();
        log("info", "An app was denied", { appId: id });
        record(id, clientId, "denied");
        return success({ app });
      } finally {
        await end(id);
      }
    },
    removeApp: async ({ params: { id } }, { clientId }) => {
      try {
        if (!apps.remove(id)) unknownApp();
        log("info", "An app was removed", { appId: id });
        record(id, clientId, "removed");
        return success({});
      } finally {
        await end(id);
      }
    },
  };
}

function permissionsOf(app: App | undefined): readonly AppPermission[] {
  return app?.state === "granted" ? app.permissions : [];
}

function unknownApp(): never {
  throw new HostError("NOT_FOUND", "There is no app with this id. List the apps to see which exist.");
}

function messageFor(app: App, acceptsAppIds: boolean): string {
  if (!acceptsAppIds) return "Recorded. This host does not accept app ids. Ask its owner for a key.";
  switch (app.state) {
    case "waiting":
      return "Recorded. The host's owner can now grant what the app requested.";
    case "granted":
      return `Granted: ${app.permissions.join(", ")}.`;
    case "refused":
      return "The host's owner has denied this app.";
  }
}
