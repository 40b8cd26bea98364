// The deliveries of one webhook: in order, one at a time, each until it succeeds or is given up.
import type { Log } from "@holdfast/core";
import { type DeadLetter, HostError, type Webhook } from "@holdfast/protocol";
import { type AttemptOutcome, retryDelayMs, type RetryPolicy } from "./delivery.ts";
import type {
  DeadDelivery,
  Delivery,
  DeliveryRecord,
  WaitingDelivery,
  WebhookRecord,
  WebhookStore,
} from "./webhook-store.ts";

/** Outcomes that metrics count; a failed attempt is followed by another. */
export type DeliveryOutcome = "delivered" | "failed" | "dead" | "dropped";

export interface LaneDeps {
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

/** Pause after a failure of the store. */
const recoveryMs = 60_000;
const gone = "The receiver responded with 410: it is permanently gone.";

type LaneState =
  | { readonly kind: "idle" }
  /** It waits for its turn among the lanes. */
  | { readonly kind: "ready" }
  | { readonly kind: "sending" }
  | { readonly kind: "backingOff"; readonly timer: NodeJS.Timeout }
  | { readonly kind: "closed" };

type Attempt = (webhook: WebhookRecord, delivery: Delivery) => Promise<AttemptOutcome>;

/** One webhook with its deliveries. Bodies stay in the store until they are sent. */
export class WebhookLane {
  readonly #deps: LaneDeps;
  readonly #dead: DeadLetters;
  #webhook: WebhookRecord;
  #waiting: string[] = [];
  #state: LaneState = { kind: "idle" };
  #lastError: string | undefined;
  #isOverfull = false;

  constructor(webhook: WebhookRecord, deps: LaneDeps) {
    this.#webhook = webhook;
    this.#deps = deps;
    this.#dead = new DeadLetters(webhook.id, deps);
  }

  get webhook(): WebhookRecord {
    return this.#webhook;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Loads what was undelivered at the last stop; returns the ids of all deliveries that are kept. */
  resume(): string[] {
    const deliveries = this.#deps.store.deliveries(this.#webhook.id);
    const waiting = deliveries.filter((delivery) => delivery.state === "waiting");
    this.#waiting = waiting.map(({ id }) => id);
    this.#dead.resume(deliveries);
    const [next] = waiting;
    // A host that was killed while it switched the webhook off may have left some.
    if (this.#webhook.state === "off") this.#buryWaiting();
    else if (next !== undefined) this.#backOff(next.notBeforeMs - this.#deps.nowMs());
    return deliveries.map(({ id }) => id);
  }

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
    const isFull = this.#waiting.length >= this.#deps.maxWaiting;
    if (isFull && !this.#isOverfull) {
      this.#deps.log("warn", "A webhook has too many deliveries waiting; new ones become dead letters", {
        webhook: this.#webhook.id,
      });
    }
    this.#isOverfull = isFull;
    if (isFull) this.#bury(delivery, "Too many deliveries wait for this receiver.");
    else this.#append({ ...delivery, state: "waiting", notBeforeMs: this.#deps.nowMs() });
  }

  /** Sends the oldest delivery that waits; to be called when the lane has said that it is ready. */
  async sendNext(attempt: Attempt): Promise<void> {
    const [id] = this.#waiting;
    if (this.#state.kind !== "ready" || id === undefined) return;
    this.#state = { kind: "sending" };
    const delivery = this.#deps.store.delivery(this.#webhook.id, id);
    if (delivery === undefined) {
      // It cannot be read any more, which was logged.
      this.#waiting.shift();
      this.#continue();
      return;
    }
    this.#settle(delivery, await attempt(this.#webhook, delivery));
  }

  /** Tries again later: the failure had nothing to do with the receiver. */
  recover(): void {
    this.#backOff(recoveryMs);
  }

  /** Deliveries that were given up, oldest first. */
  deadLetters(): DeadLetter[] {
    return this.#dead.list();
  }

  /** Has a dead letter tried again as if it were new (W10). */
  redeliver(id: string): void {
    const delivery = this.#dead.find(id);
    if (delivery === undefined) {
      throw new HostError(
        "NOT_FOUND",
        "The webhook has no such dead letter. List its dead letters to see which exist.",
      );
    }
    if (this.#webhook.state === "off") throw new HostError("WEBHOOK_OFF");
    if (this.#waiting.length >= this.#deps.maxWaiting) {
      throw new HostError("WEBHOOK_LIMIT", "Too many deliveries wait for this receiver. Try again later.");
    }
    const { event, at, body } = delivery;
    this.#append({ id, event, at, body, attempts: 0, state: "waiting", notBeforeMs: this.#deps.nowMs() });
    this.#dead.forget(id);
  }

  /** Sends nothing more; what is not delivered stays in the store. */
  close(): void {
    if (this.#state.kind === "backingOff") clearTimeout(this.#state.timer);
    this.#state = { kind: "closed" };
  }

  #append(delivery: WaitingDelivery): void {
    this.#deps.store.saveDelivery(this.#webhook.id, delivery);
    this.#waiting.push(delivery.id);
    if (this.#state.kind === "idle") this.#becomeReady();
  }

  #settle(delivery: Delivery, outcome: AttemptOutcome): void {
    if (outcome.kind === "delivered") {
      // Here first: what was delivered is not sent again and again because a disk is full.
      this.#waiting.shift();
      this.#deps.report("delivered");
      this.#deps.store.deleteDelivery(this.#webhook.id, delivery.id);
    }
    // Closing breaks attempts off, which says nothing about the receiver.
    if (this.#state.kind === "closed") return;
    const attempted = { ...delivery, attempts: delivery.attempts + 1 };
    switch (outcome.kind) {
      case "delivered":
        this.#lastError = undefined;
        this.#continue();
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
    const { nowMs, random, report, retry, store } = this.#deps;
    const delayMs = retryDelayMs(retry, delivery.attempts, random);
    if (delayMs === undefined) {
      this.#bury(delivery, reason);
      this.#waiting.shift();
      this.#continue();
      return;
    }
    report("failed");
    store.saveDelivery(this.#webhook.id, { ...delivery, state: "waiting", notBeforeMs: nowMs() + delayMs });
    this.#backOff(delayMs);
  }

  /** The receiver is permanently gone: it is not called again, and its undelivered events are kept (W9). */
  #switchOff(refused: Delivery): void {
    const { id } = this.#webhook;
    this.#webhook = { ...this.#webhook, state: "off" };
    this.#lastError = gone;
    this.#state = { kind: "idle" };
    this.#deps.store.saveWebhook(this.#webhook);
    this.#deps.log("warn", "A webhook was disabled because its receiver is gone", { webhook: id });
    this.#waiting.shift();
    this.#bury(refused, gone);
    this.#buryWaiting();
  }

  #buryWaiting(): void {
    for (const id of this.#waiting.splice(0)) {
      const delivery = this.#deps.store.delivery(this.#webhook.id, id);
      if (delivery !== undefined) this.#bury(delivery, gone);
    }
  }

  #bury(delivery: Delivery, reason: string): void {
    const { report, store } = this.#deps;
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

  #continue(): void {
    if (this.#state.kind === "closed") return;
    if (this.#waiting.length === 0) this.#state = { kind: "idle" };
    else this.#becomeReady();
  }

  #becomeReady(): void {
    this.#state = { kind: "ready" };
    this.#deps.onReady(this);
  }

  #backOff(delayMs: number): void {
    if (this.#state.kind === "closed") return;
    this.#state = { kind: "backingOff", timer: setTimeout(() => this.#continue(), Math.max(0, delayMs)) };
  }
}

/** The dead letters of one webhook. Their bodies stay in the store. */
class DeadLetters {
  readonly #webhookId: string;
  readonly #deps: LaneDeps;
  #ids: string[] = [];

  constructor(webhookId: string, deps: LaneDeps) {
    this.#webhookId = webhookId;
    this.#deps = deps;
  }

  get count(): number {
    return this.#ids.length;
  }

  /** Loads those kept from before a restart. */
  resume(deliveries: readonly DeliveryRecord[]): void {
    this.#ids = deliveries.filter(({ state }) => state === "dead").map(({ id }) => id);
  }

  /** Keeps a delivery that is given up; returns the ids beyond the limit, oldest first. */
  bury({ id, event, at, body, attempts }: Delivery, reason: string): string[] {
    const { store, maxDeadLetters, nowMs } = this.#deps;
    const failedAt = new Date(nowMs()).toISOString();
    store.saveDelivery(this.#webhookId, { id, event, at, body, attempts, state: "dead", failedAt, reason });
    this.#ids.push(id);
    return this.#ids.splice(0, Math.max(0, this.#ids.length - maxDeadLetters));
  }

  find(id: string): DeadDelivery | undefined {
    const delivery = this.#ids.includes(id) ? this.#deps.store.delivery(this.#webhookId, id) : undefined;
    return delivery?.state === "dead" ? delivery : undefined;
  }

  forget(id: string): void {
    this.#ids = this.#ids.filter((each) => each !== id);
  }

  /** All of them, oldest first. */
  list(): DeadLetter[] {
    return this.#ids.flatMap((id) => {
      const delivery = this.find(id);
      return delivery === undefined ? [] : [describe(delivery)];
    });
  }
}

function describe({ id, event, at, failedAt, attempts, reason, body }: DeadDelivery): DeadLetter {
  return { id, event, at, failedAt, attempts, reason, payload: JSON.parse(body) as DeadLetter["payload"] };
}
