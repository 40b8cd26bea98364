// One flood to many clients: how fast it arrives and what it costs, from us and from a plain server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Isolated } from "../terminal/isolated.ts";
import { progress } from "../terminal/progress.ts";
import { median, rounded } from "../terminal/statistics.ts";
import type { ClientsProgram } from "./clients-program.ts";
import { Flood, type FloodKind } from "./flood.ts";
import type { PlainProgram } from "./plain-program.ts";
import type { ServerProgram } from "./server-program.ts";

/** What one server did. */
export interface FanOutRate {
  /** Megabytes a second that each client got. */
  readonly mbps: number;
  /** Processor time of the server for each megabyte that arrived at any client. */
  readonly cpuMsPerMB: number;
  /** Share of the flood that a client received; a client too slow for all of it skips to the end. */
  readonly receivedShare: number;
}

/** Both, and how much of the plain server's processor time ours takes. */
export interface FanOut {
  readonly ours: FanOutRate;
  readonly plain: FanOutRate;
  readonly cpuShare: number;
}

/** How much is measured. */
export interface FanOutSize {
  readonly kind: FloodKind;
  readonly clients: number;
  readonly floodBytes: number;
  readonly rounds: number;
}

type Server = Pick<Isolated<PlainProgram>, "ask" | "close">;

/** Measures with the two servers in turns, each in its own process and the clients in a third. */
export class FanOutBench {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "bench-ahp-"));
  readonly #ours = new Isolated<ServerProgram>(new URL("server-program.ts", import.meta.url));
  readonly #plain = new Isolated<PlainProgram>(new URL("plain-program.ts", import.meta.url));
  readonly #clients = new Isolated<ClientsProgram>(new URL("clients-program.ts", import.meta.url));
  #floods = 0;
  #urls: { readonly ours: string; readonly plain: string } | undefined;

  async measure(size: FanOutSize): Promise<FanOut> {
    this.#urls ??= {
      ours: await this.#ours.ask("open", this.#folder),
      plain: await this.#plain.ask("open", this.#folder),
    };
    const rates: Record<"ours" | "plain", FanOutRate[]> = { ours: [], plain: [] };
    // The first round of each only warms up.
    for (let round = 0; round <= size.rounds; round += 1) {
      const [ours, plain] = [
        await this.#run(this.#ours, "ours", size),
        await this.#run(this.#plain, "plain", size),
      ];
      if (round === 0) continue;
      rates.ours.push(ours);
      rates.plain.push(plain);
    }
    const [ours, plain] = [medians(rates.ours), medians(rates.plain)];
    const shares = rates.ours.map(
      (rate, round) => rate.cpuMsPerMB / (rates.plain[round]?.cpuMsPerMB ?? Number.NaN),
    );
    const result = { ours, plain, cpuShare: rounded(median(shares)) };
    progress(
      `${size.kind} to ${size.clients}: ours ${ours.mbps} MB/s, ${ours.cpuMsPerMB} ms/MB; ` +
        `plain ${plain.mbps} MB/s, ${plain.cpuMsPerMB} ms/MB`,
    );
    return result;
  }

  async close(): Promise<void> {
    await Promise.all([this.#ours.close(), this.#plain.close(), this.#clients.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(server: Server, name: "ours" | "plain", size: FanOutSize): Promise<FanOutRate> {
    const { kind, clients, floodBytes } = size;
    this.#floods += 1;
    const flood = new Flood(this.#folder, `flood-${this.#floods}`, floodBytes);
    const channel = await server.ask("run", { kind, command: flood.command });
    const url = this.#urls?.[name] ?? "";
    const address = name === "ours" ? { url, channel } : { url };
    await this.#clients.ask("watch", { ...address, count: clients });
    const cpuBeforeMs = await server.ask("cpuMs", undefined);
    const startedMs = performance.now();
    flood.begin();
    const { bytes } = await this.#clients.ask("finish", undefined);
    const tookMs = performance.now() - startedMs;
    const cpuMs = (await server.ask("cpuMs", undefined)) - cpuBeforeMs;
    const megabytes = bytes / 1e6;
    return {
      mbps: megabytes / clients / (tookMs / 1000),
      cpuMsPerMB: cpuMs / megabytes,
      receivedShare: bytes / clients / floodBytes,
    };
  }
}

function medians(rates: readonly FanOutRate[]): FanOutRate {
  return {
    mbps: rounded(median(rates.map(({ mbps }) => mbps))),
    cpuMsPerMB: rounded(median(rates.map(({ cpuMsPerMB }) => cpuMsPerMB))),
    receivedShare: rounded(median(rates.map(({ receivedShare }) => receivedShare))),
  };
}
