// Observers of a host while it is served: metrics and webhooks.
import type { Log, Meta } from "@holdfast/core";
import type { Access } from "./auth/access.ts";
import type { HostPort } from "./host-port.ts";
import type { OpenStreams } from "./http/open-streams.ts";
import { HostMetrics } from "./metrics/host-metrics.ts";
import { type WebhookOptions, WebhookSender } from "./webhook/webhook-sender.ts";

export interface WatchOptions {
  readonly host: Pick<HostPort, "watch" | "stats">;
  readonly log: Log;
  readonly access: Pick<Access, "revocations">;
  readonly streams: OpenStreams;
  readonly meta: Meta;
  readonly webhooks?: Omit<WebhookOptions, "meta"> | undefined;
}

/** Observers of a host. Their creator closes them. */
export interface Watch {
  readonly metrics: HostMetrics;
  readonly webhooks: WebhookSender;
  close(): Promise<void>;
}

export function openWatch({ host, log, access, streams, meta, webhooks: options }: WatchOptions): Watch {
  const metrics = new HostMetrics(host, {
    openStreams: () => streams.size,
    waitingDeliveries: () => webhooks.waitingCount,
  });
  const webhooks = new WebhookSender({
    ...options,
    host,
    log,
    meta,
    report: (outcome) => metrics.countDelivery(outcome),
    watchRevocation: (clientId, end) => access.revocations.watch(clientId, end),
  });
  return {
    metrics,
    webhooks,
    async close(): Promise<void> {
      metrics.close();
      await webhooks.close();
    },
  };
}
