// Webhooks against real receivers: which webhook gets which events, and in which order.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Redactor } from "@holdfast/core";
import { LIMITS } from "@holdfast/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { approvalNeeded, sessionError, turnDone, turnFailed, turnStarted } from "../testing/watched-host.ts";
import { WebhookReceiver } from "../testing/webhook-receiver.ts";
import { app, never, owner, startSender, turnsOf } from "../testing/webhook-sending.ts";
import { MAX_PAYLOAD_BYTES } from "./webhook-payload.ts";

describe("[W2] registering", () => {
  it("[W2] shows the secret once, generated or given, and shows no webhook to anybody else", async () => {
    const { sender } = startSender();
    const url = "http://127.0.0.1:9/hook";
    const made = sender.register({ url }, { caller: owner, clientId: "owner" });
    expect(made.secret).toMatch(/^whsec_[\w-]{43}$/);
    const one = app("one");
    const given = sender.register(
      { url, events: ["turn_done"], secret: "sixteen-letters!" },
      { caller: one.caller, clientId: "app:one" },
    );
    expect(given).toMatchObject({
      secret: "sixteen-letters!",
      webhook: { events: ["turn_done"], state: "on" },
    });
    expect(JSON.stringify([sender.list(owner), sender.list(one.caller)])).not.toMatch(/whsec_|sixteen/);
    expect(sender.list(owner)).toEqual([made.webhook]);
    expect(sender.list(one.caller)).toEqual([given.webhook]);
    expect(sender.list(app("two").caller)).toEqual([]);
    for (const stranger of [owner, app("two").caller]) {
      expect(() => sender.delete(given.webhook.id, stranger)).toThrow("There is no such webhook");
      expect(() => sender.deadLetters(given.webhook.id, stranger)).toThrow("There is no such webhook");
      expect(() => sender.redeliver(given.webhook.id, "x", stranger)).toThrow("There is no such webhook");
    }
    sender.delete(given.webhook.id, one.caller);
    expect(sender.list(one.caller)).toEqual([]);
  });

  it("[W2] is bounded for each caller", () => {
    const { register } = startSender();
    const url = "http://127.0.0.1:9/";
    for (let count = 0; count < LIMITS.webhooks; count += 1) register({ url });
    expect(() => register({ url })).toThrow(`There are ${LIMITS.webhooks} webhooks already`);
    expect(register({ url }, app("one").caller)).toMatchObject({ state: "on" });
  });

  it("[W2] ends with the right it was registered by, and leaves nothing behind", async () => {
    const receiver = await WebhookReceiver.start();
    const revoked = new Map<string, () => void>();
    const { host, meta, register, sender } = startSender({
      watchRevocation: (clientId, end) => {
        revoked.set(clientId, end);
        return () => revoked.delete(clientId);
      },
    });
    register({ url: receiver.url });
    revoked.get("test")?.();
    host.notify(turnDone());
    expect(sender.list(owner)).toEqual([]);
    expect(meta.keys("webhook")).toEqual([]);
    expect(revoked.size).toBe(0);
  });
});

describe("[W3] a delivery", () => {
  it("[W3] names its event, its own id and its time, and is signed over time and body", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, register } = startSender({ nowMs: () => 1_767_323_045_678 });
    register({ url: receiver.url, secret: "a-secret-of-the-test" });
    host.notify(turnDone());
    const [delivery] = await receiver.arrivals(1);
    const { headers, text, body } = delivery ?? expect.fail("nothing arrived");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "holdfast",
      "x-holdfast-event": "turn_done",
      "x-holdfast-delivery": body["id"],
      "x-holdfast-timestamp": "1767323045",
    });
    const digest = createHmac("sha256", "a-secret-of-the-test").update(`1767323045.${text}`).digest("hex");
    expect(headers["x-holdfast-signature"]).toBe(`v1=${digest}`);
  });

  it("[W3] reports what happened, and where", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, register } = startSender();
    register({ url: receiver.url });
    for (const event of [turnStarted(), turnDone(), turnFailed(), sessionError(), approvalNeeded()]) {
      host.notify(event);
    }
    const received = await receiver.arrivals(4);
    const head = { at: "2026-01-02T03:04:05.000Z", session_key: "agent:shell:acp:s1", agent_id: "shell" };
    expect(received.map(({ body }) => ({ ...body, id: undefined }))).toEqual([
      {
        ...head,
        event: "turn_done",
        turnId: "turn-1",
        durationMs: 1500,
        state: "complete",
        stopReason: "end_turn",
      },
      {
        ...head,
        event: "turn_done",
        turnId: "turn-1",
        durationMs: 10,
        state: "failed",
        resumable: true,
        error: { code: "ACP_AGENT_EXITED", message: "It ended.", stderrTail: [] },
      },
      { ...head, event: "session_error", error: { code: "resume_failed", message: "Lost." } },
      {
        ...head,
        event: "approval_needed",
        turnId: "turn-1",
        permission_request: expect.objectContaining({
          requestId: "approval-1",
          toolCallId: "call-1",
          rawInput: { command: "make" },
          options: [expect.objectContaining({ optionId: "yes", kind: "allow_once" })],
        }),
      },
    ]);
    expect(new Set(received.map(({ body }) => body["id"])).size).toBe(4);
  });
});

describe("[W4] what is left out", () => {
  it("[W4] an input that is too long, and this is said", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, register } = startSender();
    register({ url: receiver.url });
    host.notify(approvalNeeded({ content: "x".repeat(MAX_PAYLOAD_BYTES) }));
    host.notify(turnFailed(["x".repeat(MAX_PAYLOAD_BYTES)]));
    const [approval, failure] = await receiver.arrivals(2);
    expect(approval?.body).toMatchObject({
      truncated: true,
      permission_request: { requestId: "approval-1" },
    });
    expect(approval?.body["permission_request"]).not.toHaveProperty("rawInput");
    expect(failure?.body).toMatchObject({ event: "turn_done", turnId: "turn-1", truncated: true });
    for (const { text } of receiver.received) expect(text.length).toBeLessThan(2000);
  });

  it("[W4] secrets, also those of the webhooks themselves", async () => {
    const receiver = await WebhookReceiver.start();
    const redactor = new Redactor();
    const { host, register, sender } = startSender({ redactor });
    const { id } = register({ url: receiver.url, secret: "a-secret-of-the-test" });
    host.notify(turnFailed(["signed with a-secret-of-the-test"]));
    const [delivery] = await receiver.arrivals(1);
    expect(delivery?.body).toMatchObject({ error: { stderrTail: ["signed with [redacted]"] } });
    sender.delete(id, owner);
    expect(redactor.isEmpty).toBe(true);
  });
});

describe("[W5] receivers", () => {
  it("[W5] the owner for all sessions, an app for its sessions, both only the events they asked for", async () => {
    const [all, ours, errors] = await Promise.all([
      WebhookReceiver.start(),
      WebhookReceiver.start(),
      WebhookReceiver.start(),
    ]);
    const { host, outcome, register } = startSender();
    const one = app("one");
    register({ url: all.url });
    register({ url: ours.url }, one.caller);
    register({ url: errors.url, events: ["session_error"] });
    host.notify(turnDone("persons"));
    host.notify(turnDone("ones", one.owner));
    host.notify(turnDone("twos", app("two").owner));
    host.notify(sessionError(one.owner));
    await outcome("delivered", 7);
    expect(turnsOf(all.received)).toEqual(["persons", "ones", "twos", undefined]);
    expect(turnsOf(ours.received)).toEqual(["ones", undefined]);
    expect(errors.received.map(({ body }) => body["event"])).toEqual(["session_error"]);
  });
});

describe("[W6] order", () => {
  it("[W6] one receiver gets one event after the other, also when attempts fail", async () => {
    const receiver = await WebhookReceiver.start();
    const { host, outcome, register } = startSender();
    register({ url: receiver.url });
    receiver.replies.push(500, 204, 204, 302, 503);
    const turns = Array.from({ length: 20 }, (_, index) => `turn-${index}`);
    for (const turn of turns) host.notify(turnDone(turn));
    await outcome("delivered", 20);
    const delivered = turnsOf(receiver.received);
    expect(delivered.filter((turn, index) => turn !== delivered[index - 1])).toEqual(turns);
    expect(delivered).toHaveLength(23);
  });

  it("[W6] so many are under way at once and no more, and no receiver waits for another's turn", async () => {
    const { host, outcome, register } = startSender({ maxInFlight: 2 });
    const held: (() => void)[] = [];
    const slow = await WebhookReceiver.start();
    slow.always = (response) => void held.push(() => response.writeHead(204).end());
    const quick = await WebhookReceiver.start();
    for (const url of [slow.url, slow.url, slow.url, quick.url]) register({ url });
    host.notify(turnDone());
    await slow.arrivals(2);
    expect(quick.received).toEqual([]);
    held.shift()?.();
    await slow.arrivals(3);
    for (const release of held.splice(0)) release();
    await quick.arrivals(1);
    await outcome("delivered", 4);
    expect(slow.received).toHaveLength(3);
  });
});

interface RawReceiver {
  readonly url: string;
  /** Resolves when its first connection is closed. */
  readonly closed: Promise<unknown>;
}

/** A receiver that answers every request with these bytes, and then closes the connection or leaves it open. */
async function startRawReceiver(answer: string, then: "close" | "stay"): Promise<RawReceiver> {
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    // The sender may break the connection off.
    socket.on("error", () => undefined);
    socket.once("data", () => void (then === "close" ? socket.end(answer) : socket.write(answer)));
  });
  const closed = once(server, "connection").then(async ([socket]) => once(socket as Socket, "close"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, closed };
}

describe("[W860] a receiver that answers no request", () => {
  const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

  it.each([
    ["switches protocols", switching, "stay", "The receiver responded with 101."],
    ["closes in the middle of its headers", "HTTP/1.1 200 OK\r\nContent-", "close", "could not be reached"],
    ["stops in the middle of its headers", "HTTP/1.1 200 OK\r\nContent-", "stay", "did not answer in time"],
    ["sends only interim responses", "HTTP/1.1 103 Early Hints\r\n\r\n", "stay", "did not answer in time"],
  ] as const)(
    "[W860] fails and is retried, and others get their turn: it %s",
    async (...[, answer, then, reason]) => {
      const { host, outcome, outcomes, register, sender } = startSender({ maxInFlight: 1, timeoutMs: 300 });
      const raw = await startRawReceiver(answer, then);
      const { id } = register({ url: raw.url, events: ["session_error"] });
      host.notify(sessionError());
      await outcome("dead");
      expect(outcomes).toEqual(["failed", "failed", "dead"]);
      expect(sender.deadLetters(id, owner)).toMatchObject([{ reason: expect.stringContaining(reason) }]);
      const receiver = await WebhookReceiver.start();
      register({ url: receiver.url, events: ["turn_done"] });
      host.notify(turnDone());
      await receiver.arrivals(1);
    },
  );

  it("[W860] does not delay closing", async () => {
    const { host, register, sender } = startSender({ retry: never, timeoutMs: 60_000 });
    const raw = await startRawReceiver(switching, "stay");
    register({ url: raw.url });
    host.notify(turnDone());
    await raw.closed;
    await sender.close();
    expect(sender.waitingCount).toBe(0);
  }, 5000);
});
