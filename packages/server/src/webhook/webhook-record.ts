// A webhook and its deliveries as they are kept.
import type { WebhookEvent } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";

/** A webhook as it is kept. */
export interface WebhookRecord {
  readonly id: string;
  readonly owner: Caller;
  /** Names the credential it was registered with; without it the webhook has no right to anything. */
  readonly clientId: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly secret: string;
  readonly createdAt: string;
  /** Off once the receiver has said that it is gone for good. */
  readonly state: "on" | "off";
  /** Dead letters that are no longer kept. */
  readonly dropped: number;
}

/** One thing to tell one receiver. */
export interface Delivery {
  /** Grows with every delivery, so that names in their order are deliveries in theirs. */
  readonly id: string;
  readonly event: WebhookEvent;
  readonly at: string;
  /** What is sent, to the letter. */
  readonly body: string;
  readonly attempts: number;
}

/** A delivery that is still to be made, not before a moment. */
export interface WaitingDelivery extends Delivery {
  readonly state: "waiting";
  readonly notBeforeMs: number;
}

/** A delivery that was given up. */
export interface DeadDelivery extends Delivery {
  readonly state: "dead";
  readonly failedAt: string;
  readonly reason: string;
}

/** A delivery as it is kept. */
export type DeliveryRecord = WaitingDelivery | DeadDelivery;
