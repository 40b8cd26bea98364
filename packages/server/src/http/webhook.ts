// Operations on webhooks.
import { success } from "@holdfast/protocol";
import type { WebhookSender } from "../webhook/webhook-sender.ts";
import type { Handlers } from "./operation-routes.ts";

type WebhookOperation = "createWebhook" | "listWebhooks" | "deleteWebhook" | "listDeadLetters" | "redeliver";

export function webhookHandlers(webhooks: WebhookSender): Pick<Handlers, WebhookOperation> {
  return {
    createWebhook: ({ body }, { caller, clientId }) => success(webhooks.register(body, { caller, clientId })),
    listWebhooks: (_input, { caller }) => success({ webhooks: webhooks.list(caller) }),
    deleteWebhook: ({ params }, { caller }) => {
      webhooks.delete(params.id, caller);
      return success({});
    },
    listDeadLetters: ({ params }, { caller }) =>
      success({ deadLetters: webhooks.deadLetters(params.id, caller) }),
    redeliver: ({ params }, { caller }) => {
      webhooks.redeliver(params.id, params.deliveryId, caller);
      return success({});
    },
  };
}
