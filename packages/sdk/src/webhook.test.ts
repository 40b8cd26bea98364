// Webhooks: registered, listed, deleted; what was given up is tried again.
import { expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

it("[X63] webhooks are registered with their secret, listed and deleted, and dead letters tried again", async () => {
  const webhook = { id: "w1", url: "http://127.0.0.1/hook", events: ["turn_done"], state: "on" };
  const letter = { id: "d/1", event: "turn_done", attempts: 8 };
  const server = await startTestServer(({ method, path }, response) => {
    if (path.endsWith("/dead-letters")) answerJson(response, { success: true, deadLetters: [letter] });
    else if (method === "GET") answerJson(response, { success: true, webhooks: [webhook] });
    else answerJson(response, { success: true, webhook, secret: "s" });
  });
  const { webhooks } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  const request = { url: webhook.url, events: ["turn_done" as const] };
  expect(await webhooks.create(request)).toEqual({ webhook, secret: "s" });
  expect(await webhooks.list()).toEqual([webhook]);
  expect(await webhooks.deadLetters("w1")).toEqual([letter]);
  await webhooks.redeliver("w1", "d/1");
  await webhooks.delete("w1");
  expect(server.requests.slice(1).map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/sdk/webhooks", JSON.stringify(request)],
    ["GET", "/sdk/webhooks", ""],
    ["GET", "/sdk/webhooks/w1/dead-letters", ""],
    ["POST", "/sdk/webhooks/w1/dead-letters/d%2F1", ""],
    ["DELETE", "/sdk/webhooks/w1", ""],
  ]);
});
