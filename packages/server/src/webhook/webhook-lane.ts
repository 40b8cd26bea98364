// The deliveries of one webhook: in their order, one at a time, each until it is made or given up.
import type { Log } from "@holdfast/core";
import { HostError, type DeadLetter, type Webhook } from "@holdfast/protocol";
import { DeadLetters } from "./dead-letters.ts";
import type { AttemptOutcome } from "./delivery-attempt.ts";
import { retryDelayMs, type RetryPolicy } from "./retry-policy.ts";
import type { Delivery, WaitingDelivery, WebhookRecord } from "./webhook-record.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** What becomes of deliveries, for whoever counts them: an attempt that failed is followed by another. */
export type DeliveryOutcome = "delivered" | "failed" | "dead" | "dropped";

/** What the lanes of a sender share. */
export interface LaneTools {
  readonly store: WebhookStore;
  readonly log: Log;
  readonly retry: RetryPolicy;
  /** How many deliveries may wait; more are given up at once. */
  readonly maxWaiting: number;
  /** How many dead letters are kept; the oldest go. */
  readonly maxDeadLetters: number;
  readonly nowMs: () => number;
  readonly random: () => number;
  /** A lane has something to send now. */
  readonly onReady: (lane: WebhookLane) => void;
  readonly report: (outcome: DeliveryOutcome) => void;
}

/** How long a store that failed is left in peace. */
const recoveryMs = 60_000;
const gone = "The receiver answered 410: it is gone for good.";

type LaneState =
  | { readonly kind: "idle" }
  /** It waits for its turn among the lanes. */
  | { readonly kind: "ready" }
  | { readonly kind: "sending" }
  | { readonly kind: "resting"; readonly timer: NodeJS.Timeout }
  | { readonly kind: "closed" };

/** Sends one delivery of a webhook. */
export type Attempt = (webhook: WebhookRecord, delivery: Delivery) => Promise<AttemptOutcome>;

/** One webhook with its deliveries. Bodies stay in the store until they are sent. */
export class WebhookLane {
  readonly #tools: LaneTools;
  readonly #dead: DeadLetters;
  #webhook: WebhookRecord;
  #waiting: string[] = [];
  #state: LaneState = { kind: "idle" };
  #lastError: string | undefined;
  #isOverfull = false;

  constructor(webhook: WebhookRecord, tools: LaneTools) {
    this.#webhook = webhook;
    this.#tools = tools;
    this.#dead = new DeadLetters({ ...tools, webhookId: webhook.id });
  }

  get webhook(): WebhookRecord {
    return this.#webhook;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Takes up what was not delivered when the host last ended; gives the names of all deliveries that are kept. */
  resume(): string[] {
    const deliveries = this.#tools.store.deliveries(this.#webhook.id);
    const waiting = deliveries.filter((delivery) => delivery.state === "waiting");
    this.#waiting = waiting.map(({ id }) => id);
    this.#dead.resume(deliveries);
    const [next] = waiting;
    // A host that was killed while it switched the webhook off may have left some.
    if (this.#webhook.state === "off") this.#buryWaiting();
    else if (next !== undefined) this.#rest(next.notBeforeMs - this.#tools.nowMs());
    return deliveries.map(({ id }) => id);
  }

  /** What its owner is shown. */
  describe(): Webhook {
    const { id, url, events, state, createdAt, dropped } = this.#webhook;
    return {
      id,
      url,
      events: [...events],
      state,
      createdAt,
      waiting: this.#waiting.length,
      deadLetters: this.#dead.count,
      dropped,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }

  /** Has something delivered, after what waits already. */
  add(delivery: Delivery): void {
    const isFull = this.#waiting.length >= this.#tools.maxWaiting;
    if (isFull && !this.#isOverfull) {
      this.#tools.log("warn", "A webhook has too many deliveries waiting; new ones become dead letters", {
        webhook: this.#webhook.id,
      });
    }
    this.#isOverfull = isFull;
    if (isFull) this.#bury(delivery, "Too many deliveries wait for this receiver.");
    else this.#append({ ...delivery, state: "waiting", notBeforeMs: this.#tools.nowMs() });
  }

  /** Sends the oldest delivery that waits; to be called when the lane has said that it is ready. */
  async sendNext(attempt: Attempt): Promise<void> {
    const [id] = this.#waiting;
    if (this.#state.kind !== "ready" || id === undefined) return;
    this.#state = { kind: "sending" };
    const delivery = this.#tools.store.delivery(this.#webhook.id, id);
    if (delivery === undefined) {
      // It cannot be read any more, which was logged.
      this.#waiting.shift();
      this.#goOn();
      return;
    }
    this.#settle(delivery, await attempt(this.#webhook, delivery));
  }

  /** Goes on a little later: what went wrong had nothing to do with the receiver. */
  recover(): void {
    this.#rest(recoveryMs);
  }

  /** What was given up, oldest first. */
  deadLetters(): DeadLetter[] {
    return this.#dead.list();
  }

  /** Has a dead letter tried again as if it were new (W10). */
  redeliver(id: string): void {
    const delivery = this.#dead.find(id);
    if (delivery === undefined) {
      throw new HostError("NOT_FOUND", "The webhook has no such dead letter. List those there are.");
    }
    if (this.#webhook.state === "off") throw new HostError("WEBHOOK_OFF");
    if (this.#waiting.length >= this.#tools.maxWaiting) {
      throw new HostError("WEBHOOK_LIMIT", "Too many deliveries wait for this receiver. Try again later.");
    }
    const { event, at, body } = delivery;
    this.#append({ id, event, at, body, attempts: 0, state: "waiting", notBeforeMs: this.#tools.nowMs() });
    this.#dead.forget(id);
  }

  /** Sends nothing more; what is not delivered stays in the store. */
  close(): void {
    if (this.#state.kind === "resting") clearTimeout(this.#state.timer);
    this.#state = { kind: "closed" };
  }

  #append(delivery: WaitingDelivery): void {
    this.#tools.store.saveDelivery(this.#webhook.id, delivery);
    this.#waiting.push(delivery.id);
    if (this.#state.kind === "idle") this.#becomeReady();
  }

  #settle(delivery: Delivery, outcome: AttemptOutcome): void {
    if (outcome.kind === "delivered") {
      // Here first: what was delivered is not sent again and again because a disk is full.
      this.#waiting.shift();
      this.#tools.report("delivered");
      this.#tools.store.deleteDelivery(this.#webhook.id, delivery.id);
    }
    // Whoever closes breaks attempts off, which says nothing about the receiver.
    if (this.#state.kind === "closed") return;
    const attempted = { ...delivery, attempts: delivery.attempts + 1 };
    switch (outcome.kind) {
      case "delivered":
        this.#lastError = undefined;
        this.#goOn();
        break;
      case "gone":
        this.#switchOff(attempted);
        break;
      case "failed":
        this.#lastError = outcome.reason;
        this.#retry(attempted, outcome.reason);
        break;
    }
  }

  #retry(delivery: Delivery, reason: string): void {
    const { nowMs, random, report, retry, store } = this.#tools;
    const delayMs = retryDelayMs(retry, delivery.attempts, random);
    if (delayMs === undefined) {
      this.#bury(delivery, reason);
      this.#waiting.shift();
      this.#goOn();
      return;
    }
    report("failed");
    store.saveDelivery(this.#webhook.id, { ...delivery, state: "waiting", notBeforeMs: nowMs() + delayMs });
    this.#rest(delayMs);
  }

  /** The receiver is gone for good: it is not called again, and what it was not told is kept (W9). */
  #switchOff(refused: Delivery): void {
    const { id } = this.#webhook;
    this.#webhook = { ...this.#webhook, state: "off" };
    this.#lastError = gone;
    this.#state = { kind: "idle" };
    this.#tools.store.saveWebhook(this.#webhook);
    this.#tools.log("warn", "A webhook was switched off because its receiver is gone", { webhook: id });
    this.#waiting.shift();
    this.#bury(refused, gone);
    this.#buryWaiting();
  }

  #buryWaiting(): void {
    for (const id of this.#waiting.splice(0)) {
      const delivery = this.#tools.store.delivery(this.#webhook.id, id);
      if (delivery !== undefined) this.#bury(delivery, gone);
    }
  }

  #bury(delivery: Delivery, reason: string): void {
    const { report, store } = this.#tools;
    const excess = this.#dead.bury(delivery, reason);
    report("dead");
    if (excess.length === 0) return;
    this.#webhook = { ...this.#webhook, dropped: this.#webhook.dropped + excess.length };
    store.saveWebhook(this.#webhook);
    for (const oldest of excess) {
      store.deleteDelivery(this.#webhook.id, oldest);
      report("dropped");
    }
  }

  #goOn(): void {
    if (this.#state.kind === "closed") return;
    if (this.#waiting.length === 0) this.#state = { kind: "idle" };
    else this.#becomeReady();
  }

  #becomeReady(): void {
    this.#state = { kind: "ready" };
    this.#tools.onReady(this);
  }

  #rest(delayMs: number): void {
    if (this.#state.kind === "closed") return;
    this.#state = { kind: "resting", timer: setTimeout(() => this.#goOn(), Math.max(0, delayMs)) };
  }
}
