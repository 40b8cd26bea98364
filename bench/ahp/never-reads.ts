// A client that never reads while a terminal floods: what it costs the host in memory, and others in waiting.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Isolated } from "../terminal/isolated.ts";
import { median, percentile } from "../terminal/statistics.ts";
import type { ClientsProgram } from "./clients-program.ts";
import { Flood } from "./flood.ts";
import type { ServerProgram } from "./server-program.ts";

/** What was measured. */
export interface NeverReads {
  readonly floodMB: number;
  /** The highest mark over the memory of the host at rest. */
  readonly rssOverIdleMiB: number;
  /** From a key of one client to another client's screen, while nothing else happens. */
  readonly quietEchoP50Ms: number;
  readonly quietEchoP99Ms: number;
  /** The same while the terminal floods. */
  readonly echoP50Ms: number;
  readonly echoP99Ms: number;
}

const mebibyte = 1024 * 1024;
const warmUpBytes = 20e6;

/** Measures with a separate host. */
export async function measureNeverReads(floodBytes: number, keys: number): Promise<NeverReads> {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-ahp-"));
  const server = new Isolated<ServerProgram>(new URL("server-program.ts", import.meta.url));
  const readers = new Isolated<ClientsProgram>(new URL("clients-program.ts", import.meta.url));
  const typists = new Isolated<ClientsProgram>(new URL("clients-program.ts", import.meta.url));
  try {
    const url = await server.ask("open", folder);
    const start = async (name: string, sizeBytes: number): Promise<{ flood: Flood; channel: string }> => {
      const flood = new Flood(folder, name, sizeBytes);
      return { flood, channel: await server.ask("run", { kind: "tty", command: flood.command }) };
    };
    const warmUp = await start("warm-up", warmUpBytes);
    await readers.ask("watch", { url, channel: warmUp.channel, count: 1 });
    warmUp.flood.begin();
    await readers.ask("finish", undefined);
    const quiet = await typists.ask("type", { url, keys });
    const idleBytes = await server.ask("rest", undefined);

    const { flood, channel } = await start("flood", floodBytes);
    await readers.ask("ignore", { url, channel });
    // Somebody who reads, to know when it is over.
    await readers.ask("watch", { url, channel, count: 1 });
    flood.begin();
    const finished = readers.ask("finish", undefined);
    const busy = await typists.ask("type", { url, keys });
    await finished;
    const highestBytes = await server.ask("highestBytes", undefined);
    return {
      floodMB: floodBytes / 1e6,
      rssOverIdleMiB: (highestBytes - idleBytes) / mebibyte,
      quietEchoP50Ms: median(quiet),
      quietEchoP99Ms: percentile(quiet, 0.99),
      echoP50Ms: median(busy),
      echoP99Ms: percentile(busy, 0.99),
    };
  } finally {
    await Promise.all([server.close(), readers.close(), typists.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
