// Everything that watches a host while it is served: what is measured, and who is called when something happens.
import { MemoryMeta, type Log, type Meta } from "@holdfast/core";
import type { Access } from "./auth/access.ts";
import type { HostPort } from "./host-port.ts";
import type { OpenStreams } from "./http/open-streams.ts";
import { FailureLog } from "./metrics/failure-log.ts";
import { HostMetrics } from "./metrics/host-metrics.ts";
import { WebhookSender, type WebhookOptions } from "./webhook/webhook-sender.ts";

/** What a watch is made from. */
export interface WatchOptions {
  readonly host: Pick<HostPort, "watch" | "figures">;
  readonly log: Log;
  readonly access: Pick<Access, "revocations">;
  readonly streams: OpenStreams;
  /** Where webhooks are kept; in memory if left out. */
  readonly meta?: Meta | undefined;
  readonly webhooks?: Omit<WebhookOptions, "meta"> | undefined;
}

/** What watches a host. Whoever makes it closes it. */
export interface Watch {
  readonly metrics: HostMetrics;
  readonly webhooks: WebhookSender;
  /** Those who were not let in. */
  readonly failures: FailureLog;
  close(): Promise<void>;
}

/** Begins to watch a host. */
export function openWatch({ host, log, access, streams, meta, webhooks: options }: WatchOptions): Watch {
  const metrics = new HostMetrics({
    host,
    openStreams: () => streams.size,
    waitingDeliveries: () => webhooks.waitingCount,
  });
  const webhooks = new WebhookSender({
    ...options,
    host,
    log,
    meta: meta ?? new MemoryMeta(),
    report: (outcome) => metrics.webhooks.count(outcome),
    watchRevocation: (clientId, end) => access.revocations.watch(clientId, end),
  });
  return {
    metrics,
    webhooks,
    failures: new FailureLog(log),
    async close(): Promise<void> {
      metrics.close();
      await webhooks.close();
    },
  };
}
