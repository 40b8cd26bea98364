// WebSockets whose other end is still being checked when their credential is revoked or the host stops.
import { describe, expect, it } from "vitest";
import { holdablePeers } from "../../packages/server/src/testing/held-peers.ts";
import { refusedStatus } from "../acp/raw-editor.ts";
import { useServedHosts } from "./served-host.ts";

const serve = useServedHosts();

describe.each(["/ahp", "/acp"])("a WebSocket to %s", (path) => {
  it("[A61] is refused when its key is revoked while it is checked", async () => {
    const { peers, holdNext } = holdablePeers();
    const host = await serve({ peers });
    const body = JSON.stringify({ name: "k", scopes: ["admin"] });
    const made = await host.fetch("/admin/keys", { method: "POST", body });
    const { key, secret } = (await made.json()) as { key: { id: string }; secret: string };
    const held = holdNext();
    const status = refusedStatus(host.address("", path), { "x-api-key": secret });
    await held.begun;
    await host.fetch(`/admin/keys/${key.id}`, { method: "DELETE" });
    held.release();
    expect(await status).toBe(401);
  });

  it("[A83] is refused when the server stops while it is checked", async () => {
    const { peers, holdNext } = holdablePeers();
    const host = await serve({ peers });
    // The server waits a moment for a client that does not answer the close frame.
    const client = await host.socket();
    client.socket.pause();
    const held = holdNext();
    const status = refusedStatus(host.address("", path), { "x-api-key": host.token });
    await held.begun;
    const stopping = host.server.stop();
    held.release();
    expect(await status).toBe(503);
    await stopping;
  });
});
