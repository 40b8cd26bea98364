// The deliveries of one webhook: in their order, one at a time, each until it is made or given up.
import type { Log } from "@holdfast/core";
import { HostError, type DeadLetter, type Webhook } from "@holdfast/protocol";
import type { AttemptOutcome } from "./delivery-attempt.ts";
import { retryDelayMs, type RetryPolicy } from "./retry-policy.ts";
import type { DeadDelivery, Delivery, WaitingDelivery, WebhookRecord } from "./webhook-record.ts";
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
  #webhook: WebhookRecord;
  #waiting: string[] = [];
  #dead: string[] = [];
  #state: LaneState = { kind: "idle" };
  #lastError: string | undefined;
  #isOverfull = false;

  constructor(webhook: WebhookRecord, tools: LaneTools) {
    this.#webhook = webhook;
    this.#tools = tools;
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
    this.#dead = deliveries.filter(({ state }) => state === "dead").map(({ id }) => id);
    const [next] = waiting;
    if (next !== undefined) this.#rest(next.notBeforeMs - this.#tools.nowMs());
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
      deadLetters: this.#dead.length,
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
    return this.#dead.flatMap((id) => {
      const delivery = this.#findDead(id);
      return delivery === undefined ? [] : [describeDead(delivery)];
    });
  }

  /** Has a dead letter tried again as if it were new (W10). */
  redeliver(id: string): void {
    const delivery = this.#dead.includes(id) ? this.#findDead(id) : undefined;
    if (delivery === undefined) {
      throw new HostError("NOT_FOUND", "The webhook has no such dead letter. List those there are.");
    }
    if (this.#webhook.state === "off") throw new HostError("WEBHOOK_OFF");
    if (this.#waiting.length >= this.#tools.maxWaiting) {
      throw new HostError("WEBHOOK_LIMIT", "Too many deliveries wait for this receiver. Try again later.");
    }
    const { event, at, body } = delivery;
    this.#append({ id, event, at, body, attempts: 0, state: "waiting", notBeforeMs: this.#tools.nowMs() });
    this.#dead = this.#dead.filter((each) => each !== id);
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
    switch (outcome.kind) {
      case "delivered":
        this.#lastError = undefined;
        this.#goOn();
        break;
      case "gone":
        this.#switchOff();
        break;
      case "failed":
        this.#lastError = outcome.reason;
        this.#retry({ ...delivery, attempts: delivery.attempts + 1 }, outcome.reason);
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
  #switchOff(): void {
    const { id } = this.#webhook;
    this.#webhook = { ...this.#webhook, state: "off" };
    this.#lastError = "The receiver answered 410: it is gone for good.";
    this.#state = { kind: "idle" };
    this.#tools.store.saveWebhook(this.#webhook);
    this.#tools.log("warn", "A webhook was switched off because its receiver is gone", { webhook: id });
    for (const waiting of this.#waiting.splice(0)) {
      const delivery = this.#tools.store.delivery(id, waiting);
      if (delivery !== undefined) this.#bury(delivery, this.#lastError);
    }
  }

  #bury({ id, event, at, body, attempts }: Delivery, reason: string): void {
    const failedAt = new Date(this.#tools.nowMs()).toISOString();
    const dead: DeadDelivery = { id, event, at, body, attempts, state: "dead", failedAt, reason };
    this.#tools.store.saveDelivery(this.#webhook.id, dead);
    this.#dead.push(id);
    this.#tools.report("dead");
    const excess = this.#dead.splice(0, Math.max(0, this.#dead.length - this.#tools.maxDeadLetters));
    if (excess.length === 0) return;
    this.#webhook = { ...this.#webhook, dropped: this.#webhook.dropped + excess.length };
    this.#tools.store.saveWebhook(this.#webhook);
    for (const oldest of excess) {
      this.#tools.store.deleteDelivery(this.#webhook.id, oldest);
      this.#tools.report("dropped");
    }
  }

  #findDead(id: string): DeadDelivery | undefined {
    const delivery = this.#tools.store.delivery(this.#webhook.id, id);
    return delivery?.state === "dead" ? delivery : undefined;
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

function describeDead({ id, event, at, failedAt, attempts, reason, body }: DeadDelivery): DeadLetter {
  return { id, event, at, failedAt, attempts, reason, payload: JSON.parse(body) as DeadLetter["payload"] };
}
