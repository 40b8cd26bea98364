// The audit: by page, and whole.
import { expect, it } from "vitest";
import type { AuditRecord } from "./audit.ts";
import { Holdfast } from "./holdfast.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

it("[X62] the audit is read by page, or whole, each entry once", async () => {
  const entries = Array.from({ length: 7 }, (_, index) => ({ id: index + 1, subject: `command ${index}` }));
  const server = await startTestServer(({ query }, response) => {
    const after = Number(query.get("after") ?? 0);
    // Fewer than were asked for, as a newer host may.
    answerJson(response, { success: true, entries: entries.filter(({ id }) => id > after).slice(0, 3) });
  });
  const { audit } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  expect(await audit.list({ after: 4, session: "agent:a/b", limit: 2 })).toEqual(entries.slice(4));
  const seen: AuditRecord[] = [];
  for await (const entry of audit.all({ session: "s" })) seen.push(entry);
  expect(seen).toEqual(entries);
  expect(server.requests.slice(1).map(({ query }) => query.toString())).toEqual([
    "after=4&session=agent%3Aa%2Fb&limit=2",
    "after=0&session=s&limit=1000",
    "after=3&session=s&limit=1000",
    "after=6&session=s&limit=1000",
    "after=7&session=s&limit=1000",
  ]);
});

it("[X675] the ends of the audit's chain are read, and entries are selected by kind and time", async () => {
  const chain = { anchor: { id: 0, hash: "00" }, head: { id: 7, hash: "ab" } };
  const server = await startTestServer(({ query }, response) => {
    answerJson(response, query.size === 0 ? { success: true, chain } : { success: true, entries: [] });
  });
  const { audit } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  expect(await audit.chain()).toEqual(chain);
  expect(await audit.list({ what: "policy", since: "2026-01-01T00:00:00Z" })).toEqual([]);
  expect(server.requests.at(-1)?.query.toString()).toBe("what=policy&since=2026-01-01T00%3A00%3A00Z");
});
