// Operations on API keys: what an app comes in with.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation, PERMISSIONS } from "../operation.ts";
import { ceilingSchema, wantedCeilingSchema } from "../ceiling.ts";
import { closedObject } from "../schema.ts";
import { lineSchema } from "../runtime-option.ts";

const scopesSchema = z
  .array(z.enum(PERMISSIONS))
  .min(1)
  .max(PERMISSIONS.length)
  .describe("What the key allows; admin allows everything.");

/** A key as the host lists it; its secret is returned once, on creation. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: scopesSchema,
    ceiling: ceilingSchema
      .optional()
      .describe("The most that its sessions may be allowed; absent for admin, which allows everything."),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable().describe("To the minute; null when it was never used."),
    revokedAt: z.string().nullable().describe("The time of revocation; null while the key is valid."),
  })
  .meta({ id: "ApiKey", description: "A key to the host." });

/** A key as the host lists it. */
export type ApiKey = z.infer<typeof apiKeySchema>;

const keyRequestSchema = closedObject({
  name: lineSchema(LIMITS.labelLength).describe("A display name, such as the app that the key is for."),
  scopes: scopesSchema,
  ceiling: wantedCeilingSchema
    .optional()
    .describe("The most that its sessions may be allowed; not for a key with the scope admin."),
})
  .refine(({ scopes, ceiling }) => ceiling === undefined || !scopes.includes("admin"), {
    path: ["ceiling"],
    error: "must be left out for the scope admin, which allows everything",
  })
  .meta({ id: "KeyRequest", description: "A key to be made." });

/** A key to be made. */
export type KeyRequest = z.infer<typeof keyRequestSchema>;

export const createKey = defineOperation({
  name: "createKey",
  method: "POST",
  path: "/admin/keys",
  summary: "Make an API key",
  permission: "admin",
  body: keyRequestSchema,
  stream: false,
  response: successSchema({
    key: apiKeySchema,
    secret: z
      .string()
      .describe("The key itself, to send as x-api-key or Bearer. It is returned here and never again."),
  }),
  errors: ["INVALID_JSON", "BODY_TOO_LARGE"],
});

export const listKeys = defineOperation({
  name: "listKeys",
  method: "GET",
  path: "/admin/keys",
  summary: "List the API keys",
  permission: "admin",
  stream: false,
  response: successSchema({ keys: z.array(apiKeySchema) }),
  errors: [],
});

// Revoking twice is revoking once.
export const revokeKey = defineOperation({
  name: "revokeKey",
  method: "DELETE",
  path: "/admin/keys/{id}",
  summary: "Revoke an API key immediately",
  permission: "admin",
  params: z.object({ id: z.string() }),
  stream: false,
  response: successSchema({ key: apiKeySchema }),
  errors: ["NOT_FOUND"],
});
