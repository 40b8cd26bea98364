// A host that takes its time, and one that does not respond.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, type TestContext } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { NotRespondingError, whileResponding } from "./response-watch.ts";

const times = { pingAfterMs: 20, pingTimeoutMs: 40 };

async function listen({ onTestFinished }: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("[X220] a request", () => {
  it("[X220] waits as long as pings are answered, whatever the answer", async () => {
    let pings = 0;
    let respond = (_text: string): void => undefined;
    const late = new Promise<string>((resolve) => {
      respond = resolve;
    });
    const ping = async (): Promise<void> => {
      pings += 1;
      if (pings === 4) respond("late");
      if (pings % 2 === 0) throw new Error("refused");
    };
    await expect(whileResponding(() => late, ping, times)).resolves.toBe("late");
    expect(pings).toBe(4);
  });

  it("[X220] ends with the first ping that is not answered, and leaves no timer behind", async () => {
    let isAborted = false;
    const ping = (signal: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          reject(new Error("aborted"));
        });
      });
    await expect(whileResponding(() => new Promise(() => undefined), ping, times)).rejects.toThrow(
      NotRespondingError,
    );
    expect(isAborted).toBe(true);
    await expect(whileResponding(() => Promise.reject(new Error("own")), ping, times)).rejects.toThrow("own");
  });

  it("[X220] that waits through many pings leaves no listener for each of them", async ({
    onTestFinished,
  }) => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    let pings = 0;
    let respond = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const ping = async (): Promise<void> => {
      pings += 1;
      if (pings === 15) respond();
    };
    await whileResponding(() => late, ping, { pingAfterMs: 1, pingTimeoutMs: 1_000 });
    // Node emits warnings in a later tick.
    await new Promise((resolve) => void setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  it.concurrent("[X220] to a host that accepts connections and answers nothing fails after 5 s with HOST_NOT_RESPONDING", async (context) => {
    const url = await listen(context, () => undefined);
    const startedMs = performance.now();
    const listed = new Holdfast({ baseUrl: url, apiKey: "a-key" }).terminals.list();
    await expect(listed).rejects.toMatchObject({ name: "HoldfastError", code: "HOST_NOT_RESPONDING" });
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(9_000);
  }, 30_000);

  it.concurrent("[X220] whose body does not end fails too", async (context) => {
    const url = await listen(context, ({ url: path }, response) => {
      if (path !== "/healthz") response.writeHead(200, { "content-type": "application/json" }).write("{");
    });
    const listed = new Holdfast({ baseUrl: url, apiKey: "a-key" }).terminals.list();
    await expect(listed).rejects.toMatchObject({ code: "HOST_NOT_RESPONDING" });
  }, 30_000);
});
