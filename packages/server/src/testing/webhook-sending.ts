// A webhook sender for tests, with what it reports and logs.
import { makeId, type AppId, type SessionOwner } from "@holdfast/ahp";
import type { Meta } from "@holdfast/core";
import { MemoryMeta } from "@holdfast/core/testing";
import type { Webhook, WebhookRequest } from "@holdfast/protocol";
import { expect, onTestFinished, vi } from "vitest";
import type { Caller } from "../host-port.ts";
import type { DeliveryOutcome } from "../webhook/webhook-lane.ts";
import { WebhookSender, type WebhookSenderParts } from "../webhook/webhook-sender.ts";
import { WatchedHost } from "./watched-host.ts";
import type { Received } from "./webhook-receiver.ts";

/** The person whose host it is. */
export const owner = { kind: "owner" } as const;
const atOnce = { delaysMs: [0, 0], jitter: 0 };
/** No retry. */
export const once = { delaysMs: [], jitter: 0 };
/** One retry, too late for any test. */
export const never = { delaysMs: [60 * 60 * 1000], jitter: 0 };

/** A sender on a host that only reports events. */
export interface Sending {
  readonly sender: WebhookSender;
  readonly host: WatchedHost;
  readonly meta: Meta;
  readonly outcomes: DeliveryOutcome[];
  readonly lines: string[];
  register(request: WebhookRequest, caller?: Caller): Webhook;
  /** Resolves when so many outcomes of a kind were reported. */
  outcome(kind: DeliveryOutcome, count?: number): Promise<void>;
}

/** Starts a sender, which ends with its test. */
export function startSender(options: Partial<WebhookSenderParts> = {}, host = new WatchedHost()): Sending {
  const { meta = new MemoryMeta() } = options;
  const outcomes: DeliveryOutcome[] = [];
  const lines: string[] = [];
  const sender = new WebhookSender({
    host,
    log: (_level, message) => void lines.push(message),
    report: (outcome) => void outcomes.push(outcome),
    retry: atOnce,
    // The receivers of tests are on this machine.
    isAllowedAddress: () => true,
    ...options,
    meta,
  });
  onTestFinished(() => sender.close());
  return {
    sender,
    host,
    meta,
    outcomes,
    lines,
    register: (request, caller = owner) => sender.register(request, { caller, clientId: "test" }).webhook,
    outcome: (kind, count = 1) =>
      vi.waitFor(() => {
        expect(outcomes.filter((each) => each === kind).length).toBeGreaterThanOrEqual(count);
      }, 10_000),
  };
}

/** An app, as a caller and as the owner of sessions. */
export function app(id: string): { caller: Caller; owner: SessionOwner } {
  const appId: AppId = makeId("app", id);
  return { caller: { kind: "app", appId }, owner: { kind: "app", appId } };
}

/** The turns that a receiver was notified of. */
export function turnsOf(received: readonly Received[]): unknown[] {
  return received.map(({ body }) => body["turnId"]);
}
