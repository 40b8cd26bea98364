// The list of sessions of an ACP client, among the sessions of others.
import { makeId } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { type ServedHost, useServedHosts } from "../ahp/served-host.ts";
import { RawEditor } from "./raw-editor.ts";
import { storeSessions } from "./stored-sessions.ts";

const serve = useServedHosts();

function namesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, "0")}`);
}

/** The pages that a client gets: the ids of their sessions, and their cursors. */
async function listPages(editor: RawEditor): Promise<{ ids: string[]; cursor: unknown }[]> {
  const pages = [];
  let cursor: unknown;
  do {
    const { result = {} } = await editor.request("session/list", cursor === undefined ? {} : { cursor });
    const sessions = result["sessions"] as { sessionId: string }[];
    cursor = result["nextCursor"];
    pages.push({ ids: sessions.map(({ sessionId }) => sessionId.slice("agent:mine:acp:".length)), cursor });
  } while (cursor !== undefined);
  return pages;
}

async function newKey(host: ServedHost): Promise<{ id: string; secret: string }> {
  const body = JSON.stringify({ name: "editor", scopes: ["acp.agent"] });
  const response = await host.fetch("/admin/keys", { method: "POST", body });
  const { secret } = (await response.json()) as { secret: string };
  const { keys } = (await (await host.fetch("/admin/keys")).json()) as { keys: { id: string }[] };
  return { secret, id: keys[0]?.id ?? "" };
}

it("[B852] pages have 100 sessions of the client, and their cursors name no session of another", async () => {
  const host = await serve();
  const { id, secret } = await newKey(host);
  const owner = { kind: "app", appId: makeId("app", `key:${id}`) } as const;
  const own = namesOf("m", 130);
  // In the order of the list there are others before, between and after.
  await storeSessions(host.host.hub, [...namesOf("a", 110), ...namesOf("m0500-", 60), ...namesOf("z", 110)]);
  await storeSessions(host.host.hub, own, owner);
  const editor = await RawEditor.open(`${host.server.url}/acp`, { "x-api-key": secret });
  await editor.initialize();
  const pages = await listPages(editor);
  expect(pages.map(({ ids }) => ids)).toEqual([own.slice(30).toReversed(), own.slice(0, 30).toReversed()]);
  expect(pages[0]?.cursor).toContain(own[30]);
});

it("[B852] a page that ends with the last session of the client has no cursor", async () => {
  const host = await serve();
  const { id, secret } = await newKey(host);
  const own = namesOf("m", 100);
  await storeSessions(host.host.hub, namesOf("a", 5));
  await storeSessions(host.host.hub, own, { kind: "app", appId: makeId("app", `key:${id}`) });
  const editor = await RawEditor.open(`${host.server.url}/acp`, { "x-api-key": secret });
  await editor.initialize();
  expect(await listPages(editor)).toEqual([{ ids: own.toReversed(), cursor: undefined }]);
});
