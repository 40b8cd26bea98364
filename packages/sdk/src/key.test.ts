// Keys: made, listed, revoked.
import { expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

it("[X60] keys are made with their secret, listed and revoked", async () => {
  const key = {
    id: "k/1",
    name: "notes",
    scopes: ["acp.agent" as const],
    createdAt: "2026-01-01T00:00:00.000Z",
    lastUsedAt: null,
    revokedAt: null,
  };
  const server = await startTestServer(({ method }, response) => {
    if (method === "GET") answerJson(response, { success: true, keys: [key] });
    else answerJson(response, { success: true, key, ...(method === "POST" && { secret: "hf_secret" }) });
  });
  const { keys } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  expect(await keys.create({ name: "notes", scopes: ["acp.agent"] })).toEqual({ key, secret: "hf_secret" });
  expect(await keys.list()).toEqual([key]);
  expect(await keys.revoke("k/1")).toEqual(key);
  expect(server.requests.slice(1).map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/admin/keys", `{"name":"notes","scopes":["acp.agent"]}`],
    ["GET", "/admin/keys", ""],
    ["DELETE", "/admin/keys/k%2F1", ""],
  ]);
});
