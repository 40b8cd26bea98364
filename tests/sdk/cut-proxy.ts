// A way to a host that breaks: it passes bytes on, and cuts connections after so many of them.
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy that listens until the test is over. */
export interface CutProxy {
  readonly url: string;
  /** How many connections it has cut. */
  readonly cuts: number;
}

/** Cuts one connection after each number of bytes in turn; what comes after the last of them is left alone. */
export async function startCutProxy(target: string, cutAfterBytes: readonly number[]): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let passedBytes = 0;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      const left = (cutAfterBytes[cuts] ?? Infinity) - passedBytes;
      passedBytes += bytes.length;
      if (bytes.length < left) return void client.write(bytes);
      cuts += 1;
      upstream.removeAllListeners("data");
      client.write(bytes.subarray(0, left), end);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    get cuts() {
      return cuts;
    },
  };
}
