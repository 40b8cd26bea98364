// Operations on apps that identify by an id: the permissions they request, and those the host's owner grants.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { APP_PERMISSIONS, defineOperation } from "../operation.ts";
import { ceilingSchema, wantedCeilingSchema } from "../ceiling.ts";
import { closedObject } from "../schema.ts";
import { lineSchema } from "../runtime-option.ts";
import { readAs } from "../request.ts";

const appPermissionsSchema = z.array(z.enum(APP_PERMISSIONS));

/** One permission that an app can be granted. */
export type AppPermission = (typeof APP_PERMISSIONS)[number];

const appIdSchema = z
  .string()
  .max(LIMITS.appIdLength)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    "must start with a letter or digit and have only letters, digits, '.', '_' and '-'",
  );

const knownApp = {
  id: z.string(),
  name: z.string(),
  requested: appPermissionsSchema.describe("The permissions that the app requested."),
  registeredAt: z.string().describe("When the app last registered."),
};
const decidedAt = z.string().describe("When the owner decided.");

/** An app that requested permissions, with the decision on them. */
export const appSchema = z
  .discriminatedUnion("state", [
    z.object({ ...knownApp, state: z.literal("waiting") }),
    z.object({
      ...knownApp,
      state: z.literal("granted"),
      permissions: appPermissionsSchema,
      ceiling: ceilingSchema.describe("The most that its sessions may be allowed."),
      decidedAt,
    }),
    z.object({ ...knownApp, state: z.literal("refused"), decidedAt }),
  ])
  .meta({ id: "App", description: "An app that is known by its id." });

/** An app that requested permissions, with the decision on them. */
export type App = z.infer<typeof appSchema>;

const nameSchema = lineSchema(LIMITS.labelLength);
const permissionNameSchema = lineSchema(LIMITS.appIdLength);
const reading = { spellings: { appId: "app_id", appName: "app_name" }, nullIsAbsent: true };

/** The body of `POST /sdk/register`: permissions of other hosts are taken and mean nothing here. */
export const appRegistrationSchema = readAs(
  z.object({
    app_id: appIdSchema,
    app_name: nameSchema.optional(),
    permissions: z.array(permissionNameSchema).max(LIMITS.requestedPermissions).default([]),
  }),
  reading,
);

/** The body of `POST /api/local-apps/request-permission`. */
export const permissionWishSchema = readAs(
  z.object({ app_id: appIdSchema, app_name: nameSchema.optional(), permission: permissionNameSchema }),
  reading,
);

const appParamsSchema = z.object({ id: appIdSchema });
const appResponseSchema = successSchema({ app: appSchema });

export const listApps = defineOperation({
  name: "listApps",
  method: "GET",
  path: "/admin/apps",
  summary: "List the apps that are known by an id",
  permission: "admin",
  stream: false,
  response: successSchema({ apps: z.array(appSchema) }),
  errors: [],
});

// Also for an app that has not registered yet.
export const grantApp = defineOperation({
  name: "grantApp",
  method: "POST",
  path: "/admin/apps/{id}/grant",
  summary: "Grant an app the named permissions, and no others",
  permission: "admin",
  params: appParamsSchema,
  body: closedObject({
    permissions: appPermissionsSchema.min(1).max(APP_PERMISSIONS.length),
    name: nameSchema.optional().describe("A display name, for an app that has not registered one."),
    ceiling: wantedCeilingSchema.optional().describe("The most that its sessions may be allowed."),
  }),
  stream: false,
  response: appResponseSchema,
  errors: ["INVALID_JSON", "BODY_TOO_LARGE"],
});

export const denyApp = defineOperation({
  name: "denyApp",
  method: "POST",
  path: "/admin/apps/{id}/deny",
  summary: "Deny an app permanently",
  permission: "admin",
  params: appParamsSchema,
  stream: false,
  response: appResponseSchema,
  errors: ["NOT_FOUND"],
});

export const removeApp = defineOperation({
  name: "removeApp",
  method: "DELETE",
  path: "/admin/apps/{id}",
  summary: "Remove an app; it may register again",
  permission: "admin",
  params: appParamsSchema,
  stream: false,
  response: successSchema({}),
  errors: ["NOT_FOUND"],
});
