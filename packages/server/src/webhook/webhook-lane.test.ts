// Deliveries that fail, that wait, and that outlive the host.
import { createHmac } from "node:crypto";
import { MemoryMeta } from "@holdfast/core/testing";
import { OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { sessionError, turnDone } from "../testing/watched-host.ts";
import { WebhookReceiver } from "../testing/webhook-receiver.ts";
import { never, once, owner, startSender, turnsOf } from "../testing/webhook-sending.ts";
import { WebhookStore } from "./webhook-store.ts";

/** A store on a disk that can be full. */
class FillingMeta extends MemoryMeta {
  isFull = false;

  override set(key: string, value: string): void {
    this.#check();
    super.set(key, value);
  }

  override delete(key: string): void {
    this.#check();
    super.delete(key);
  }

  #check(): void {
    if (this.isFull) throw new Error("The disk is full");
  }
}

describe("[W7] attempts that fail", () => {
  it("[W7] are made again with a new signature until one succeeds", async () => {
    const receiver = await WebhookReceiver.start();
    let seconds = 1000;
    const { host, outcome, register, sender } = startSender({
      nowMs: () => {
        seconds += 10;
        return seconds * 1000;
      },
    });
    const { id } = register({ url: receiver.url });
    receiver.replies.push(500, (response) => response.socket?.destroy());
    host.notify(turnDone());
    await outcome("delivered");
    const [first, second, third] = receiver.received;
    expect([second?.text, third?.text]).toEqual([first?.text, first?.text]);
    const signatures = receiver.received.map(({ headers }) => headers["x-holdfast-signature"]);
    expect(new Set(signatures).size).toBe(3);
    expect(sender.list(owner)).toMatchObject([{ id, waiting: 0, deadLetters: 0 }]);
    expect(sender.list(owner)[0]).not.toHaveProperty("lastError");
  });

  it("[W7] are not sent to where a redirect leads", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, register, sender } = startSender({ retry: once });
    const { id } = register({ url: receiver.url });
    receiver.replies.push((response) => {
      response.writeHead(307, { location: receiver.url.replace("/hook", "/elsewhere") }).end();
    });
    host.notify(turnDone());
    await outcome("dead");
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
    expect(sender.deadLetters(id, owner)).toMatchObject([
      { reason: "The receiver responded with 307. Redirects are not followed." },
    ]);
  });

  it("[W7] are not waited for beyond the time", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, register, sender } = startSender({ timeoutMs: 50, retry: once });
    const { id } = register({ url: receiver.url });
    receiver.always = () => undefined;
    host.notify(turnDone());
    await outcome("dead");
    expect(sender.deadLetters(id, owner)).toMatchObject([{ reason: "The receiver did not answer in time." }]);
  });

  it("[W7] an answer without end holds nothing up", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, register } = startSender();
    register({ url: receiver.url });
    receiver.replies.push((response) => void response.writeHead(200).write("and so on"));
    host.notify(turnDone("one"));
    host.notify(turnDone("two"));
    await outcome("delivered", 2);
    expect(turnsOf(receiver.received)).toEqual(["one", "two"]);
  });
});

describe("[W8] dead letters", () => {
  it("[W8] are what was tried often enough; the next delivery proceeds, and the owner learns why", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, outcomes, register, sender } = startSender();
    const { id } = register({ url: receiver.url });
    receiver.replies.push(500, 500, 503);
    host.notify(turnDone("lost"));
    host.notify(turnDone("kept"));
    await outcome("delivered");
    expect(turnsOf(receiver.received)).toEqual(["lost", "lost", "lost", "kept"]);
    expect(outcomes).toEqual(["failed", "failed", "dead", "delivered"]);
    const deadLetters = sender.deadLetters(id, owner);
    expect(deadLetters).toMatchObject([
      {
        event: "turn_done",
        attempts: 3,
        reason: "The receiver responded with 503.",
        payload: { turnId: "lost" },
      },
    ]);
    const { response } = OPERATIONS.listDeadLetters;
    expect(response.safeParse({ success: true, deadLetters }).error).toBeUndefined();
  });

  it("[W8] are kept up to a number; the oldest go and are counted", async () => {
    const { host, meta, outcome, register, sender } = startSender({
      retry: once,
      maxDeadLetters: 2,
    });
    const { id } = register({ url: "http://127.0.0.1:2/refused" });
    for (const turn of ["1", "2", "3", "4", "5"]) host.notify(turnDone(turn));
    await outcome("dead", 5);
    expect(sender.deadLetters(id, owner).map(({ payload }) => payload["turnId"])).toEqual(["4", "5"]);
    expect(sender.list(owner)).toMatchObject([{ deadLetters: 2, dropped: 3, waiting: 0 }]);
    expect(sender.list(owner)[0]?.lastError).toContain("could not be reached");
    expect(meta.keys("webhook-delivery/")).toHaveLength(2);
  });

  it("[W8] are also what comes while too many wait", async () => {
    const { host, lines, register, sender } = startSender({ retry: never, maxWaiting: 2 });
    const { id } = register({ url: "http://127.0.0.1:2/refused" });
    for (const turn of ["1", "2", "3", "4"]) host.notify(turnDone(turn));
    expect(sender.list(owner)).toMatchObject([{ waiting: 2, deadLetters: 2 }]);
    expect(sender.deadLetters(id, owner)).toMatchObject([
      { attempts: 0, reason: "Too many deliveries wait for this receiver.", payload: { turnId: "3" } },
      { payload: { turnId: "4" } },
    ]);
    expect(lines).toHaveLength(1);
  });
});

describe("[W9] a receiver that is gone", () => {
  it("[W9] answers 410 once and is not called again; what waited is kept", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, register, sender } = startSender();
    const { id } = register({ url: receiver.url });
    receiver.replies.push(410);
    host.notify(turnDone("1"));
    host.notify(turnDone("2"));
    await outcome("dead", 2);
    host.notify(turnDone("3"));
    expect(sender.list(owner)).toMatchObject([{ state: "off", waiting: 0, deadLetters: 2 }]);
    expect(receiver.received).toHaveLength(1);
    const letters = sender.deadLetters(id, owner);
    expect(letters.map(({ attempts }) => attempts)).toEqual([1, 0]);
    expect(() => sender.redeliver(id, letters[0]?.id ?? "", owner)).toThrow("The webhook is disabled");
  });

  it("[W9] is not called either by a host that was killed while it took note of it", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new MemoryMeta();
    const first = startSender({ meta, retry: never, nowMs: () => 1000 });
    const { id } = first.register({ url: receiver.url });
    receiver.replies.push(500);
    first.host.notify(turnDone());
    await first.outcome("failed");
    await first.sender.close();
    const store = new WebhookStore(meta, () => undefined);
    for (const webhook of store.webhooks()) store.saveWebhook({ ...webhook, state: "off" });
    const second = startSender({ meta });
    expect(second.sender.list(owner)).toMatchObject([{ id, state: "off", waiting: 0, deadLetters: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe("[W10] redelivery", () => {
  it("[W10] sends a dead letter again under its own id, behind what waits", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, register, sender } = startSender({ retry: once });
    const { id } = register({ url: receiver.url });
    receiver.replies.push(500);
    host.notify(turnDone("lost"));
    await outcome("dead");
    const [letter] = sender.deadLetters(id, owner);
    sender.redeliver(id, letter?.id ?? "", owner);
    expect(sender.deadLetters(id, owner)).toEqual([]);
    await outcome("delivered");
    expect(receiver.received.map(({ text }) => text)).toEqual([
      receiver.received[0]?.text,
      receiver.received[0]?.text,
    ]);
    expect(() => sender.redeliver(id, letter?.id ?? "", owner)).toThrow("no such dead letter");
  });
});

describe("[W11] restarts", () => {
  it("[W11] webhooks, their undelivered events and their dead letters outlive the host", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new MemoryMeta();
    const first = startSender({ meta, retry: { delaysMs: [0], jitter: 0 } });
    const { id } = first.register({ url: receiver.url, secret: "a-secret-of-the-test" });
    receiver.replies.push(500, 500, (response) => void response.writeHead(204));
    first.host.notify(turnDone("dead"));
    for (const turn of ["1", "2", "3"]) first.host.notify(turnDone(turn));
    await receiver.arrivals(3);
    await first.sender.close();
    expect(first.host.watcherCount).toBe(0);

    const second = startSender({ meta });
    await second.outcome("delivered", 3);
    expect(turnsOf(receiver.received)).toEqual(["dead", "dead", "1", "1", "2", "3"]);
    // The attempt that was broken off may have arrived: by its id the receiver knows it again.
    const [, , third, fourth] = receiver.received;
    expect(fourth?.headers["x-holdfast-delivery"]).toBe(third?.headers["x-holdfast-delivery"]);
    const digest = createHmac("sha256", "a-secret-of-the-test");
    digest.update(`${String(fourth?.headers["x-holdfast-timestamp"])}.${String(fourth?.text)}`);
    expect(fourth?.headers["x-holdfast-signature"]).toBe(`v1=${digest.digest("hex")}`);
    expect(second.sender.list(owner)).toMatchObject([{ id, waiting: 0, deadLetters: 1 }]);
  });

  it("[W11] a wait between attempts continues where it was", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new MemoryMeta();
    const first = startSender({ meta, retry: never, nowMs: () => 1000 });
    first.register({ url: receiver.url, events: ["turn_done"] });
    receiver.replies.push(500);
    first.host.notify(turnDone());
    await first.outcome("failed");
    await first.sender.close();

    const early = startSender({ meta, retry: never, nowMs: () => 2000 });
    const other = await WebhookReceiver.start();
    early.register({ url: other.url, events: ["session_error"] });
    early.host.notify(sessionError());
    await early.outcome("delivered");
    expect(receiver.received).toHaveLength(1);
    expect(early.sender.list(owner)).toMatchObject([{ waiting: 1 }, { waiting: 0 }]);
    await early.sender.close();
    const late = startSender({ meta, retry: never, nowMs: () => 1000 + 60 * 60 * 1000 });
    await late.outcome("delivered");
    expect(receiver.received).toHaveLength(2);
  });

  it("[W11] new deliveries come after old ones, even if the clock was set back", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new MemoryMeta();
    const first = startSender({ meta, retry: never, nowMs: () => 5000 });
    first.register({ url: receiver.url });
    receiver.replies.push(500);
    first.host.notify(turnDone("old"));
    await first.outcome("failed");
    await first.sender.close();
    const second = startSender({ meta, retry: never, nowMs: () => 1000 });
    second.host.notify(turnDone("new"));
    await second.sender.close();
    const third = startSender({ meta, nowMs: () => 60 * 60 * 2000 });
    await third.outcome("delivered", 2);
    expect(turnsOf(receiver.received)).toEqual(["old", "old", "new"]);
  });

  it("[W11] a record that cannot be read harms no other", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new MemoryMeta();
    const first = startSender({ meta, retry: never });
    first.register({ url: receiver.url });
    meta.set("webhook/broken", "{");
    await first.sender.close();
    const second = startSender({ meta });
    second.host.notify(turnDone());
    await receiver.arrivals(1);
    expect(second.lines).toEqual(["A record of a webhook cannot be read and is skipped"]);
  });

  it("[W11] a failing store is reported in the log, and never to the host", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new FillingMeta();
    const { host, lines, register } = startSender({ meta });
    register({ url: receiver.url });
    meta.isFull = true;
    expect(() => host.notify(turnDone("lost"))).not.toThrow();
    meta.isFull = false;
    host.notify(turnDone("sent"));
    await receiver.arrivals(1);
    expect(lines).toEqual(["A webhook could not be notified of an event"]);
    expect(turnsOf(receiver.received)).toEqual(["sent"]);
  });

  it("[W11] what was delivered is not sent again because the store could not record it", async () => {
    const receiver = await WebhookReceiver.start();
    const meta = new FillingMeta();
    const { host, lines, outcome, register, sender } = startSender({ meta });
    register({ url: receiver.url });
    receiver.replies.push((response) => {
      meta.isFull = true;
      response.writeHead(204).end();
    });
    host.notify(turnDone());
    await outcome("delivered");
    expect(sender.waitingCount).toBe(0);
    expect(lines).toEqual(["A delivery could not be settled"]);
    expect(receiver.received).toHaveLength(1);
    meta.isFull = false;
  });
});

describe("[W12] closing and deleting", () => {
  it("[W12] break attempts off at once, whatever the receiver does", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, meta, outcomes, register, sender } = startSender({ timeoutMs: 60 * 60 * 1000 });
    register({ url: receiver.url });
    receiver.always = () => undefined;
    host.notify(turnDone());
    await receiver.arrivals(1);
    await sender.close();
    await sender.close();
    expect(outcomes).toEqual([]);
    expect(meta.keys("webhook-delivery/")).toHaveLength(1);
  });

  it("[W12] deleting takes with it what was not delivered", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, meta, outcome, register, sender } = startSender({ retry: never });
    const { id } = register({ url: receiver.url });
    receiver.replies.push(500);
    host.notify(turnDone("1"));
    host.notify(turnDone("2"));
    await outcome("failed");
    sender.delete(id, owner);
    expect(meta.keys("webhook")).toEqual([]);
    expect(sender.waitingCount).toBe(0);
  });
});
