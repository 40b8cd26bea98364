// The way to a host: live for those who are let in, a clear no for others.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "../failure.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { HostLink, type HostPlace } from "./host-link.ts";

/** A server, such as a proxy, that answers each request with a status, and opens no WebSocket. */
async function startServer(status: number): Promise<HostPlace> {
  const server = createServer((_request, response) => response.writeHead(status).end());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "a-token" };
}

/** A place where nothing listens. */
const nowhere: HostPlace = { url: "http://127.0.0.1:9", token: "a-token" };

/** Message of a failed attempt to follow a host, and the time until it failed. */
async function giveUpOn(link: HostLink): Promise<{ message: string; tookMs: number }> {
  onTestFinished(() => link.close());
  const startedMs = performance.now();
  const error: unknown = await link.ahp().then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  );
  expect(failureOf(error)).toMatchObject({ code: "CONNECTION_FAILED", exitCode: 4 });
  return { message: (error as Error).message, tookMs: performance.now() - startedMs };
}

async function startHost(): Promise<HostPlace> {
  const run = new ProgramRun(["--port", "0", "--home", temporaryFolder(), "--json"], { program: "main" });
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  return run.ready();
}

describe("[C15] the link to a host", () => {
  it("[C15] follows live changes for the owner, and rejects anyone else immediately", async () => {
    const { url, token } = await startHost();
    const link = new HostLink({ url, token });
    onTestFinished(() => link.close());
    expect((await link.ahp()).status.status).toBe("connected");

    const { secret } = await link.api.keys.create({ name: "an app", scopes: ["acp.agent"] });
    for (const wrong of [secret, "nobody-knows-this-token"]) {
      await expect(new HostLink({ url, token: wrong }).ahp()).rejects.toMatchObject({ kind: "refused" });
    }
  });
});

describe("[C885] a host that opens no WebSocket", () => {
  it.each([200, 404, 426])("[C885] is given up at once where the status is %i", async (status) => {
    const place = await startServer(status);
    const { message, tookMs } = await giveUpOn(new HostLink(place));
    expect(message).toBe(
      `The host at ${place.url} answered the request for a WebSocket with status ${status}. ` +
        "A proxy must forward WebSocket upgrades.",
    );
    expect(tookMs).toBeLessThan(4_000);
  });

  it("[C885] is given up after 5 s where it may accept one later", async () => {
    const busy = await startServer(503);
    const limited = await startServer(429);
    const stopped = { revive: () => Promise.resolve(undefined), note: () => undefined };
    const ended = await Promise.all([
      giveUpOn(new HostLink(busy)),
      giveUpOn(new HostLink(limited)),
      giveUpOn(new HostLink(nowhere)),
      giveUpOn(new HostLink(nowhere, stopped)),
    ]);
    const refused = "connect ECONNREFUSED 127.0.0.1:9";
    expect(ended.map(({ message }) => message)).toEqual([
      `The host at ${busy.url} opened no WebSocket for 5 s: it answered with status 503.`,
      `The host at ${limited.url} opened no WebSocket for 5 s: it answered with status 429.`,
      `The host at ${nowhere.url} opened no WebSocket for 5 s: ${refused}.`,
      `The host at ${nowhere.url} opened no WebSocket for 5 s: ${refused}.`,
    ]);
    for (const { tookMs } of ended) expect(tookMs).toBeGreaterThan(4_900);
  });

  it("[C885] is not given up while a crashed host is started again", async () => {
    const place = await startHost();
    const revive = async (): Promise<{ place: HostPlace; isNew: boolean }> => {
      await delay(500);
      return { place, isNew: true };
    };
    const link = new HostLink(nowhere, { revive, note: () => undefined });
    onTestFinished(() => link.close());
    expect((await link.ahp()).status.status).toBe("connected");
  });
});
