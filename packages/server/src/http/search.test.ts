// Searches over HTTP.
import { expect, it } from "vitest";
import { serve } from "../testing/serving.ts";

it("[A741] a search reaches the host with its filters, in the caller's own name, within its bounds", async () => {
  const { client, host } = await serve();
  const filter = "agent=shell&folder=/work&since=2026-01-01T00:00:00Z&limit=5";
  expect((await client.send("GET", `/sdk/acp/search?q=a%20b&${filter}`)).body).toEqual({
    success: true,
    results: [],
  });
  const query = { q: "a b", agent: "shell", folder: "/work", since: "2026-01-01T00:00:00Z", limit: 5 };
  expect(host.searches).toEqual([[query, { kind: "owner" }]]);
  for (const wrong of [
    "",
    "?q=",
    `?q=${"x".repeat(1001)}`,
    "?q=x&limit=101",
    "?q=x&limit=0",
    "?q=x&since=now",
  ]) {
    expect((await client.send("GET", `/sdk/acp/search${wrong}`)).status).toBe(400);
  }
});
