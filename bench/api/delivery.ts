// Delivery alone: how fast readers over real sockets get one channel's text, from us and from a bare server.
import { connect, type Socket } from "node:net";
import { Isolated } from "../terminal/isolated.ts";
import { median } from "../terminal/statistics.ts";
import type { Address, DeliveryServer, ServerName } from "./delivery-server.ts";

/** Events a second of both, and the ratio of ours to the bare one's. */
export interface Delivery {
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
}

/** How much is measured. */
export interface DeliverySize {
  readonly events: number;
  readonly readers: number;
  readonly rounds: number;
}

/** Measures with the two in turns; what one reader gets is compared byte by byte first. */
export class DeliveryBench {
  readonly #server = new Isolated<DeliveryServer>(new URL("./delivery-server.ts", import.meta.url));

  /** Everything is committed before anybody reads. */
  async backlog({ events, readers, rounds }: DeliverySize): Promise<Delivery> {
    const addresses = await this.#server.ask("commit", events);
    const [ours, bare] = [await readText(addresses.ours), await readText(addresses.bare)];
    if (ours !== bare) throw new Error("The two servers do not send the same text");
    return compare(events * readers, rounds, async (which) => {
      const startedMs = performance.now();
      await Promise.all(Array.from({ length: readers }, () => readAll(addresses[which])));
      return performance.now() - startedMs;
    });
  }

  /** Readers wait while the server publishes this many events per tick. */
  async live({ events, readers, rounds }: DeliverySize, perTurn: number): Promise<Delivery> {
    await this.#server.ask("commit", events);
    return compare(events * readers, rounds, async (which) => {
      const address = await this.#server.ask("begin", which);
      const reading = Array.from({ length: readers }, () => readAll(address));
      const startedMs = performance.now();
      await this.#server.ask("publish", { which, readers, perTurn });
      await Promise.all(reading);
      return performance.now() - startedMs;
    });
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

async function compare(
  events: number,
  rounds: number,
  measureMs: (which: ServerName) => Promise<number>,
): Promise<Delivery> {
  const times: Record<ServerName, number[]> = { ours: [], bare: [] };
  // The first round of each only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const which of ["ours", "bare"] as const) {
      const tookMs = await measureMs(which);
      if (round > 0) times[which].push(tookMs);
    }
  }
  const perSecond = (which: ServerName): number => (events / median(times[which])) * 1000;
  return { ours: perSecond("ours"), bare: perSecond("bare"), ratio: perSecond("ours") / perSecond("bare") };
}

function open({ port, path }: Address): Socket {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: bench\r\nconnection: close\r\n\r\n`);
  return socket;
}

/** Reads to the end, as cheaply as can be: the reader is not what is measured. */
function readAll(address: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    let sizeBytes = 0;
    open(address)
      .on("data", (chunk) => {
        sizeBytes += chunk.length;
      })
      .on("end", () => resolve(sizeBytes))
      .on("error", reject);
  });
}

async function readText({ port, path }: Address): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": "bench" } });
  return response.text();
}
