// List of connected clients over HTTP.
import { ROOT_URI } from "@holdfast/ahp";
import { OPERATIONS, type ConnectedClient } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { useServedHosts, type ServedHost } from "./served-host.ts";

const serveHost = useServedHosts();

async function list(host: ServedHost): Promise<readonly ConnectedClient[]> {
  const answer: unknown = await (await host.fetch("/admin/clients")).json();
  return OPERATIONS.listClients.response.parse(answer).clients;
}

test("[A86] clients are listed with name, dialect, since when, and how much they follow, until they leave", async () => {
  const host = await serveHost();
  // A socket that has not said who it is does not count.
  await host.socket();
  expect(await list(host)).toEqual([]);
  const own = await host.own("ada", { clientInfo: { name: "holdfast-page", title: "Page" } });
  await own.subscribe(ROOT_URI, "root");
  const other = await host.client({ clientId: "grace", version: "0.10.0" });
  const clients = await list(host);
  expect(clients).toMatchObject([
    {
      clientId: "ada",
      name: "holdfast-page",
      title: "Page",
      dialect: "holdfast",
      principal: "owner",
      channelCount: 1,
    },
    { clientId: "grace", dialect: "0.10", channelCount: 0 },
  ]);
  for (const { connectedAt } of clients) expect(Date.now() - Date.parse(connectedAt)).toBeLessThan(60_000);
  other.close();
  await expect.poll(async () => (await list(host)).map(({ clientId }) => clientId)).toEqual(["ada"]);
});

test("[A86] only the owner and admin keys may list the connected clients", async () => {
  const host = await serveHost();
  const body = JSON.stringify({ name: "k", scopes: ["acp.agent", "terminal"] });
  const made = await host.fetch("/admin/keys", { method: "POST", body });
  const { secret } = OPERATIONS.createKey.response.parse(await made.json());
  const refused = await fetch(`${host.server.url}/admin/clients`, { headers: { "x-api-key": secret } });
  expect(refused.status).toBe(403);
});
