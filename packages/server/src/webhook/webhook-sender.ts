// Webhooks of a host: registration, and deliveries when something happens.
import { randomBytes, randomUUID } from "node:crypto";
import { type HostEvent, type Log, maySee, type Meta, type Redactor } from "@holdfast/core";
import {
  type DeadLetter,
  HostError,
  LIMITS,
  type Webhook,
  WEBHOOK_EVENTS,
  type WebhookRequest,
} from "@holdfast/protocol";
import type { Caller, HostPort } from "../host-port.ts";
import { attemptDelivery, DEFAULT_RETRY, type RetryPolicy } from "./delivery.ts";
import { checkReceiver, type IsAllowedAddress, isPublicAddress } from "./receiver-address.ts";
import { type DeliveryOutcome, type LaneDeps, WebhookLane } from "./webhook-lane.ts";
import { isDeliverable, payloadOf, writePayload } from "./webhook-payload.ts";
import { type WebhookRecord, WebhookStore } from "./webhook-store.ts";

/** Digits for every exact integer; microseconds stay below that until the year 2255. */
const digits = 14;

/** Makes names that only grow. */
class DeliveryIds {
  readonly #nowMs: () => number;
  #last = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A name that is there already: all to come are greater, even if the clock was set back. */
  note(id: string): void {
    const stamp = Number.parseInt(id.slice(0, digits), 16);
    if (stamp > this.#last) this.#last = stamp;
  }

  next(): string {
    this.#last = Math.max(Math.trunc(this.#nowMs() * 1000), this.#last + 1);
    // Chance at the end keeps the deliveries of two hosts apart for a receiver that has both.
    return this.#last.toString(16).padStart(digits, "0") + randomBytes(4).toString("hex");
  }
}

interface PumpOptions {
  readonly log: Log;
  readonly maxInFlight: number;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly isAllowedAddress: IsAllowedAddress;
}

/** The deliveries in flight. Its creator closes it. */
class DeliveryPump {
  readonly #options: PumpOptions;
  /** Lanes that have something to send, first come first served. */
  readonly #ready: WebhookLane[] = [];
  readonly #inFlight = new Map<AbortController, Promise<void>>();
  #isClosed = false;

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  /** Sends what a lane has, when it is its turn. */
  add(lane: WebhookLane): void {
    this.#ready.push(lane);
    this.#begin();
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ready.length = 0;
    for (const controller of this.#inFlight.keys()) controller.abort();
    await Promise.all(this.#inFlight.values());
  }

  #begin(): void {
    while (!this.#isClosed && this.#inFlight.size < this.#options.maxInFlight) {
      const lane = this.#ready.shift();
      if (lane === undefined) return;
      const controller = new AbortController();
      this.#inFlight.set(controller, this.#send(lane, controller));
    }
  }

  async #send(lane: WebhookLane, controller: AbortController): Promise<void> {
    const { log, timeoutMs, nowMs, isAllowedAddress } = this.#options;
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      await lane.sendNext(({ url, secret, owner }, { id: deliveryId, event, body }) => {
        const guard = owner.kind === "owner" ? {} : { isAllowedAddress };
        const request = { url, secret, deliveryId, event, body, sentAtMs: nowMs(), ...guard };
        return attemptDelivery(request, controller.signal);
      });
    } catch (error) {
      // The store could not be read or written.
      log("error", "A delivery could not be settled", { webhook: lane.webhook.id, error });
      lane.recover();
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(controller);
      this.#begin();
    }
  }
}

/** Storage, retries and limits of webhooks. */
export interface WebhookOptions {
  readonly meta: Meta;
  /** Removes secrets from payloads, including the webhooks' own. */
  readonly redactor?: Redactor;
  readonly retry?: RetryPolicy;
  /** How long a receiver may take to answer. */
  readonly timeoutMs?: number;
  /** How many deliveries are under way at once, to all receivers together. */
  readonly maxInFlight?: number;
  readonly maxWaiting?: number;
  /** How many deliveries that were given up are kept for one webhook. */
  readonly maxDeadLetters?: number;
  /** Addresses that webhooks of apps may reach; those of the internet if left out. The owner's may reach all. */
  readonly isAllowedAddress?: IsAllowedAddress;
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

export interface WebhookSenderParts extends WebhookOptions {
  readonly host: Pick<HostPort, "watch">;
  readonly log: Log;
  /** Counts what becomes of deliveries. */
  readonly report?: (outcome: DeliveryOutcome) => void;
  /** Calls `end` when a client's right is revoked, unless the returned function is called before. */
  readonly watchRevocation?: (clientId: string, end: () => void) => () => void;
}

/** The owner of a webhook, and the credential of its registration. */
interface Registrant {
  readonly caller: Caller;
  readonly clientId: string;
}

interface Entry {
  readonly lane: WebhookLane;
  /** Undoes what was arranged for the webhook elsewhere. */
  readonly release: () => void;
}

const defaults = { timeoutMs: 10_000, maxInFlight: 8, maxWaiting: 1000, maxDeadLetters: 100 } as const;

export class WebhookSender {
  readonly #parts: WebhookSenderParts;
  readonly #store: WebhookStore;
  readonly #ids: DeliveryIds;
  readonly #deps: LaneDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #pump: DeliveryPump;
  readonly #unwatch: () => void;

  constructor(parts: WebhookSenderParts) {
    const { meta, log, nowMs = Date.now } = parts;
    this.#parts = parts;
    this.#store = new WebhookStore(meta, log);
    this.#ids = new DeliveryIds(nowMs);
    this.#pump = new DeliveryPump({
      log,
      nowMs,
      maxInFlight: parts.maxInFlight ?? defaults.maxInFlight,
      timeoutMs: parts.timeoutMs ?? defaults.timeoutMs,
      isAllowedAddress: parts.isAllowedAddress ?? isPublicAddress,
    });
    this.#deps = {
      store: this.#store,
      log,
      retry: parts.retry ?? DEFAULT_RETRY,
      maxWaiting: parts.maxWaiting ?? defaults.maxWaiting,
      maxDeadLetters: parts.maxDeadLetters ?? defaults.maxDeadLetters,
      nowMs,
      random: parts.random ?? Math.random,
      onReady: (lane) => this.#pump.add(lane),
      report: parts.report ?? (() => undefined),
    };
    for (const webhook of this.#store.webhooks()) {
      for (const id of this.#open(webhook).resume()) this.#ids.note(id);
    }
    this.#unwatch = parts.host.watch((event) => this.#deliver(event));
  }

  /** How many deliveries wait or are under way. */
  get waitingCount(): number {
    return [...this.#entries.values()].reduce((sum, { lane }) => sum + lane.waitingCount, 0);
  }

  /** Registers a webhook; its secret is returned here and never again (W2). */
  register(request: WebhookRequest, { caller, clientId }: Registrant): { webhook: Webhook; secret: string } {
    if (this.#lanesOf(caller).length >= LIMITS.webhooks) {
      throw new HostError(
        "WEBHOOK_LIMIT",
        `There are ${LIMITS.webhooks} webhooks already. Delete one first.`,
      );
    }
    if (caller.kind === "app") checkReceiver(request.url, this.#parts.isAllowedAddress ?? isPublicAddress);
    const secret = request.secret ?? `whsec_${randomBytes(32).toString("base64url")}`;
    const webhook: WebhookRecord = {
      id: randomUUID(),
      // Whatever the ceiling was: it is not about webhooks.
      owner: caller.kind === "owner" ? caller : { kind: "app", appId: caller.appId },
      clientId,
      url: request.url,
      events: request.events ?? WEBHOOK_EVENTS,
      secret,
      createdAt: new Date(this.#deps.nowMs()).toISOString(),
      state: "on",
      dropped: 0,
    };
    this.#store.saveWebhook(webhook);
    return { webhook: this.#open(webhook).describe(), secret };
  }

  /** The caller's webhooks, oldest first. */
  list(caller: Caller): Webhook[] {
    return this.#lanesOf(caller)
      .map((lane) => lane.describe())
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Removes a webhook with everything that was not delivered. */
  delete(id: string, caller: Caller): void {
    this.#remove(this.#find(id, caller));
  }

  deadLetters(id: string, caller: Caller): DeadLetter[] {
    return this.#find(id, caller).deadLetters();
  }

  /** Retries a delivery that was given up. */
  redeliver(id: string, deliveryId: string, caller: Caller): void {
    this.#find(id, caller).redeliver(deliveryId);
  }

  /** Takes no more events and breaks attempts off; what is not delivered is kept for the next start. Idempotent. */
  async close(): Promise<void> {
    this.#unwatch();
    for (const { lane, release } of this.#entries.values()) {
      lane.close();
      release();
    }
    this.#entries.clear();
    await this.#pump.close();
  }

  #open(webhook: WebhookRecord): WebhookLane {
    const { redactor, watchRevocation } = this.#parts;
    const lane = new WebhookLane(webhook, this.#deps);
    const unredact = redactor?.add(webhook.secret);
    const unwatch = watchRevocation?.(webhook.clientId, () => this.#remove(lane));
    const release = (): void => {
      unredact?.();
      unwatch?.();
    };
    this.#entries.set(webhook.id, { lane, release });
    return lane;
  }

  #remove(lane: WebhookLane): void {
    const { id } = lane.webhook;
    lane.close();
    this.#entries.get(id)?.release();
    this.#entries.delete(id);
    this.#store.deleteWebhook(id);
  }

  #lanesOf(caller: Caller): WebhookLane[] {
    return [...this.#entries.values()]
      .map(({ lane }) => lane)
      .filter(({ webhook }) => isSame(webhook.owner, caller));
  }

  #find(id: string, caller: Caller): WebhookLane {
    const lane = this.#entries.get(id)?.lane;
    if (lane === undefined || !isSame(lane.webhook.owner, caller)) {
      throw new HostError("NOT_FOUND", "There is no such webhook. List the webhooks to see which exist.");
    }
    return lane;
  }

  /** Is called in the middle of the host's work: whatever goes wrong here must not reach it. */
  #deliver(event: HostEvent): void {
    if (!isDeliverable(event)) return;
    const { log, redactor } = this.#parts;
    try {
      const lanes = [...this.#entries.values()]
        .map(({ lane }) => lane)
        .filter(({ webhook }) => wants(webhook, event));
      if (lanes.length === 0) return;
      const payload = payloadOf(event);
      const redacted = redactor?.redactDeep(payload) ?? payload;
      for (const lane of lanes) {
        const id = this.#ids.next();
        lane.add({
          id,
          event: event.type,
          at: event.at,
          body: writePayload({ id, ...redacted }),
          attempts: 0,
        });
      }
    } catch (error) {
      log("error", "A webhook could not be notified of an event", { session: event.sessionKey, error });
    }
  }
}

function wants({ state, events, owner }: WebhookRecord, event: HostEvent): boolean {
  return state === "on" && events.some((each) => each === event.type) && maySee(owner, event.owner);
}

function isSame(a: Caller, b: Caller): boolean {
  if (a.kind === "owner" || b.kind === "owner") return a.kind === b.kind;
  return a.appId === b.appId;
}
