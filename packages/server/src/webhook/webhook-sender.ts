// Calls receivers when something happens in the host: keeps who wants to be called, and what they were not told yet.
import { randomBytes, randomUUID } from "node:crypto";
import { maySee, type HostEvent, type Log, type Meta, type Redactor } from "@holdfast/core";
import {
  HostError,
  LIMITS,
  WEBHOOK_EVENTS,
  type DeadLetter,
  type Webhook,
  type WebhookRequest,
} from "@holdfast/protocol";
import type { Caller, HostPort } from "../host-port.ts";
import { DeliveryIds } from "./delivery-ids.ts";
import { DeliveryPump } from "./delivery-pump.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./retry-policy.ts";
import { WebhookLane, type DeliveryOutcome, type LaneTools } from "./webhook-lane.ts";
import { isTold, payloadOf, writePayload } from "./webhook-payload.ts";
import type { WebhookRecord } from "./webhook-record.ts";
import { WebhookStore } from "./webhook-store.ts";

/** Where webhooks are kept, and how patient they are. */
export interface WebhookOptions {
  readonly meta: Meta;
  /** Takes secrets out of what is told; it learns those of the webhooks. */
  readonly redactor?: Redactor;
  readonly retry?: RetryPolicy;
  /** How long a receiver may take to answer. */
  readonly timeoutMs?: number;
  /** How many deliveries are under way at once, to all receivers together. */
  readonly maxInFlight?: number;
  /** How many deliveries may wait for one receiver. */
  readonly maxWaiting?: number;
  /** How many deliveries that were given up are kept for one webhook. */
  readonly maxDeadLetters?: number;
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

/** What a sender is made from. */
export interface WebhookSenderParts extends WebhookOptions {
  readonly host: Pick<HostPort, "watch">;
  readonly log: Log;
  /** Counts what becomes of deliveries. */
  readonly report?: (outcome: DeliveryOutcome) => void;
  /** Has `end` called when a client's right is taken back, unless the returned function is called before. */
  readonly watchRevocation?: (clientId: string, end: () => void) => () => void;
}

/** Who registers a webhook, and the credential they came with. */
export interface Registrant {
  readonly caller: Caller;
  readonly clientId: string;
}

interface Entry {
  readonly lane: WebhookLane;
  /** Undoes what was arranged for the webhook elsewhere. */
  readonly release: () => void;
}

const defaults = { timeoutMs: 10_000, maxInFlight: 8, maxWaiting: 1000, maxDeadLetters: 100 } as const;

/** The webhooks of a host. Whoever makes it closes it. */
export class WebhookSender {
  readonly #parts: WebhookSenderParts;
  readonly #store: WebhookStore;
  readonly #ids: DeliveryIds;
  readonly #tools: LaneTools;
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
    });
    this.#tools = {
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
    this.#unwatch = parts.host.watch((event) => this.#tell(event));
  }

  /** How many deliveries wait or are under way. */
  get waitingCount(): number {
    return [...this.#entries.values()].reduce((sum, { lane }) => sum + lane.waitingCount, 0);
  }

  /** Registers a webhook; its secret is told here and never again (W2). */
  register(request: WebhookRequest, { caller, clientId }: Registrant): { webhook: Webhook; secret: string } {
    if (this.#lanesOf(caller).length >= LIMITS.webhooks) {
      throw new HostError(
        "WEBHOOK_LIMIT",
        `There are ${LIMITS.webhooks} webhooks already. Delete one first.`,
      );
    }
    const secret = request.secret ?? `whsec_${randomBytes(32).toString("base64url")}`;
    const webhook: WebhookRecord = {
      id: randomUUID(),
      owner: caller,
      clientId,
      url: request.url,
      events: request.events ?? WEBHOOK_EVENTS,
      secret,
      createdAt: new Date(this.#tools.nowMs()).toISOString(),
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

  /** Tries a delivery again that was given up. */
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
    const lane = new WebhookLane(webhook, this.#tools);
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
      throw new HostError("NOT_FOUND", "There is no such webhook. List the webhooks to see those there are.");
    }
    return lane;
  }

  /** Is called in the middle of the host's work: whatever goes wrong here must not reach it. */
  #tell(event: HostEvent): void {
    if (!isTold(event)) return;
    const { log, redactor } = this.#parts;
    try {
      const lanes = [...this.#entries.values()]
        .map(({ lane }) => lane)
        .filter(({ webhook }) => wants(webhook, event));
      if (lanes.length === 0) return;
      const payload = payloadOf(event);
      const told = redactor?.redactDeep(payload) ?? payload;
      for (const lane of lanes) {
        const id = this.#ids.next();
        lane.add({ id, event: event.type, at: event.at, body: writePayload({ id, ...told }), attempts: 0 });
      }
    } catch (error) {
      log("error", "A webhook could not be told of an event", { session: event.sessionKey, error });
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
