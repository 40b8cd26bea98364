// Operations on webhooks: where the host calls when something happens, and what it could not bring there.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { closedObject } from "../schema.ts";

/** The events that a webhook can subscribe to. */
export const WEBHOOK_EVENTS = ["approval_needed", "turn_done", "session_error"] as const;

const webhookEventSchema = z.enum(WEBHOOK_EVENTS).meta({ id: "WebhookEvent" });

/** The events that a webhook can subscribe to. */
export type WebhookEvent = z.infer<typeof webhookEventSchema>;

const printable = /^[\u0021-\u007e]*$/;

const webhookRequestSchema = closedObject({
  url: z
    .url({
      protocol: /^https?$/,
      error: ({ code }) =>
        code === "invalid_format" ? "must be an address that begins with http:// or https://" : undefined,
    })
    .max(LIMITS.webhookUrlLength)
    .regex(/^[^/]*\/\/[^/?#@]*(?:[/?][^#]*)?$/, "must name no user and have no part behind a number sign"),
  events: z
    .array(webhookEventSchema)
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .optional()
    .describe("The events to deliver; all if left out."),
  secret: z
    .string()
    .min(LIMITS.minWebhookSecretLength)
    .max(LIMITS.maxWebhookSecretLength)
    .regex(printable, "must have printable ASCII characters only, and no blanks")
    .optional()
    .describe("The secret that signs deliveries; generated if left out."),
}).meta({ id: "WebhookRequest", description: "A webhook to be registered." });

/** A webhook to be registered. */
export type WebhookRequest = z.infer<typeof webhookRequestSchema>;

const timestamp = z.iso.datetime({ offset: true });

const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(webhookEventSchema),
    state: z.enum(["on", "off"]).describe("off: the receiver responded with 410 Gone; delete the webhook."),
    createdAt: timestamp,
    waiting: z.int().describe("Deliveries that are pending."),
    deadLetters: z.int().describe("Deliveries that were given up and are kept."),
    dropped: z.int().describe("Dead letters that are no longer kept, because there were too many."),
    lastError: z.string().optional().describe("Why the latest attempt failed; absent when it succeeded."),
  })
  .meta({ id: "Webhook", description: "Where the host calls when something happens." });

/** A webhook as its owner sees it; its secret is returned once, on registration. */
export type Webhook = z.infer<typeof webhookSchema>;

const deadLetterSchema = z
  .object({
    id: z.string().describe("The delivery's id, as in its x-holdfast-delivery header."),
    event: webhookEventSchema,
    at: timestamp.describe("When it happened."),
    failedAt: timestamp.describe("When it was given up."),
    attempts: z.int(),
    reason: z.string(),
    payload: z.record(z.string(), z.unknown()).describe("The payload that was not delivered."),
  })
  .meta({ id: "DeadLetter", description: "A delivery that was given up." });

/** A delivery that was given up. */
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const webhookParamsSchema = z.object({ id: z.string() });

export const createWebhook = defineOperation({
  name: "createWebhook",
  method: "POST",
  path: "/sdk/webhooks",
  summary: "Register a URL that the host calls on events in the caller's sessions",
  permission: "acp.agent",
  body: webhookRequestSchema,
  stream: false,
  response: successSchema({
    webhook: webhookSchema,
    secret: z.string().describe("The secret that signs deliveries. It is returned here and never again."),
  }),
  errors: ["WEBHOOK_LIMIT", "WEBHOOK_ADDRESS_NOT_ALLOWED", "INVALID_JSON", "BODY_TOO_LARGE"],
});

export const listWebhooks = defineOperation({
  name: "listWebhooks",
  method: "GET",
  path: "/sdk/webhooks",
  summary: "List the caller's webhooks",
  permission: "acp.agent",
  stream: false,
  response: successSchema({ webhooks: z.array(webhookSchema) }),
  errors: [],
});

// Undelivered events are dropped with it.
export const deleteWebhook = defineOperation({
  name: "deleteWebhook",
  method: "DELETE",
  path: "/sdk/webhooks/{id}",
  summary: "Delete a webhook with everything that was not delivered",
  permission: "acp.agent",
  params: webhookParamsSchema,
  stream: false,
  response: successSchema({}),
  errors: ["NOT_FOUND"],
});

export const listDeadLetters = defineOperation({
  name: "listDeadLetters",
  method: "GET",
  path: "/sdk/webhooks/{id}/dead-letters",
  summary: "List the deliveries that were given up, oldest first",
  permission: "acp.agent",
  params: webhookParamsSchema,
  stream: false,
  response: successSchema({ deadLetters: z.array(deadLetterSchema) }),
  errors: ["NOT_FOUND"],
});

export const redeliver = defineOperation({
  name: "redeliver",
  method: "POST",
  path: "/sdk/webhooks/{id}/dead-letters/{deliveryId}",
  summary: "Retry a delivery that was given up, after those that wait",
  permission: "acp.agent",
  params: z.object({ id: z.string(), deliveryId: z.string() }),
  stream: false,
  response: successSchema({}),
  errors: ["NOT_FOUND", "WEBHOOK_OFF", "WEBHOOK_LIMIT"],
});
