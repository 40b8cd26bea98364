// Webhooks over the API: registered by callers that may, notified of events of the host, kept across server restarts.
import { Redactor } from "@holdfast/core";
import { MemoryMeta } from "@holdfast/core/testing";
import { OPERATIONS, type DeadLetter, type OperationName, type Webhook } from "@holdfast/protocol";
import { describe, expect, it, vi } from "vitest";
import { ApiClient, type Reply } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";
import { turnDone } from "../testing/watched-host.ts";
import { WebhookReceiver } from "../testing/webhook-receiver.ts";

const retry = { delaysMs: [], jitter: 0 };

function expectContract(name: OperationName, reply: Reply): void {
  expect(reply.status).toBe(200);
  expect(OPERATIONS[name].response.safeParse(reply.body).error).toBeUndefined();
}

async function makeKey(client: ApiClient, scopes: string[]): Promise<{ id: string; app: ApiClient }> {
  const { body } = await client.send("POST", "/admin/keys", { body: { name: "An app", scopes } });
  const { id } = body["key"] as { id: string };
  return { id, app: new ApiClient(client.url, String(body["secret"])) };
}

async function webhooksOf(client: ApiClient): Promise<Webhook[]> {
  const reply = await client.send("GET", "/sdk/webhooks");
  expectContract("listWebhooks", reply);
  return reply.body["webhooks"] as Webhook[];
}

describe("[W13] webhooks over the API", () => {
  it("[W13] are registered, notified, listed and deleted; dead letters are listed and sent again", async () => {
    const receiver = await WebhookReceiver.start();
    const { client, host } = await serve({ webhooks: { retry } });
    const created = await client.send("POST", "/sdk/webhooks", { body: { url: receiver.url } });
    expectContract("createWebhook", created);
    const { id } = created.body["webhook"] as Webhook;
    receiver.replies.push(500);
    host.notifyWatchers(turnDone("lost"));
    await vi.waitFor(async () => {
      expect(await webhooksOf(client)).toMatchObject([{ id, deadLetters: 1 }]);
    }, 10_000);

    const letters = await client.send("GET", `/sdk/webhooks/${id}/dead-letters`);
    expectContract("listDeadLetters", letters);
    const [letter] = letters.body["deadLetters"] as DeadLetter[];
    const again = await client.send("POST", `/sdk/webhooks/${id}/dead-letters/${letter?.id}`);
    expectContract("redeliver", again);
    const received = await receiver.arrivals(2);
    expect(received.map(({ body }) => body["turnId"])).toEqual(["lost", "lost"]);

    expectContract("deleteWebhook", await client.send("DELETE", `/sdk/webhooks/${id}`));
    expect(await webhooksOf(client)).toEqual([]);
    expect(await client.send("DELETE", `/sdk/webhooks/${id}`)).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND" },
    });
    expect(await client.send("GET", `/sdk/webhooks/${id}/dead-letters`)).toMatchObject({ status: 404 });
  });

  it("[W13] need the permission for agents, and belong to the key that registered them", async () => {
    const { client } = await serve({ webhooks: { isAllowedAddress: () => true } });
    const { app } = await makeKey(client, ["acp.agent"]);
    const { app: other } = await makeKey(client, ["terminal"]);
    const body = { url: "http://127.0.0.1:2/" };
    expect((await app.send("POST", "/sdk/webhooks", { body })).status).toBe(200);
    expect(await other.send("POST", "/sdk/webhooks", { body })).toMatchObject({
      status: 403,
      body: { code: "PERMISSION_REQUIRED", permission: "acp.agent" },
    });
    expect(await webhooksOf(app)).toHaveLength(1);
    expect(await webhooksOf(client)).toEqual([]);
  });

  it("[W13] end with the key that registered them, also one that was as good as the owner's", async () => {
    const { client } = await serve({ webhooks: { isAllowedAddress: () => true } });
    for (const scopes of [["acp.agent"], ["admin"]]) {
      const { id, app } = await makeKey(client, scopes);
      await app.send("POST", "/sdk/webhooks", { body: { url: "http://127.0.0.1:2/" } });
      expect(await webhooksOf(app)).toHaveLength(1);
      await client.send("DELETE", `/admin/keys/${id}`);
      expect(await webhooksOf(client)).toEqual([]);
    }
  });

  it("[W13] outlive the server, which closes them without errors, and their secrets stay out of responses", async () => {
    const meta = new MemoryMeta();
    const first = await serve({ meta });
    const receiver = await WebhookReceiver.start();
    const body = { url: receiver.url, secret: "a-secret-of-the-test" };
    await first.client.send("POST", "/sdk/webhooks", { body });
    receiver.always = () => undefined;
    first.host.notifyWatchers(turnDone("a-secret-of-the-test"));
    await receiver.arrivals(1);
    await first.server.close();

    receiver.always = 204;
    const redactor = new Redactor();
    const second = await serve({ meta, webhooks: { redactor } });
    await receiver.arrivals(2);
    expect(redactor.redact("a-secret-of-the-test")).toBe("[redacted]");
    second.host.notifyWatchers(turnDone("a-secret-of-the-test"));
    const received = await receiver.arrivals(3);
    expect(received[2]?.body).toMatchObject({ turnId: "[redacted]" });
  });
});
