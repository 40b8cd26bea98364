// VS Code's agent host beside ours: the same clients, the same commands in a shell, in turns.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { VsCodeAgentHost } from "../../tests/vscode/agent-host.ts";
import { Isolated } from "../terminal/isolated.ts";
import { progress } from "../terminal/progress.ts";
import { median, percentile, rounded } from "../terminal/statistics.ts";
import type { ClientsProgram } from "./clients-program.ts";
import { Flood } from "./flood.ts";
import type { ServerProgram } from "./server-program.ts";

/** The one version that VS Code's host of 1.139 speaks. */
const version = "0.9.0";
const mebibyte = 1024 * 1024;

/** Rates of one host with a flood; medians over the rounds. */
interface FloodRate {
  /** Megabytes of the flood a second, until the last client has its end. */
  readonly mbps: number;
  /** Processor time of the host for each megabyte and client. */
  readonly cpuMsPerMB: number;
  /** Bytes on the wire to a client for each byte of the flood; a client too slow for all of it skips to the end. */
  readonly receivedShare: number;
}

interface Compared<Value> {
  readonly ours: Value;
  readonly vscode: Value;
}

/** Both hosts; ratios are ours over VS Code's, the median of the rounds' ratios. */
export interface BesideVsCode {
  readonly floods: Readonly<
    Record<string, Compared<FloodRate> & { readonly mbpsRatio: number; readonly cpuRatio: number }>
  >;
  readonly echo: Compared<{ readonly p50Ms: number; readonly p99Ms: number }> & { readonly p50Ratio: number };
  /** Resident memory when idle at first, and after all floods. */
  readonly memory: Compared<{ readonly idleMiB: number; readonly endMiB: number }> & {
    readonly endRatio: number;
  };
}

/** A host to measure, wherever it runs. */
interface Measured {
  readonly url: string;
  readonly cpuMs: () => Promise<number>;
  readonly rssMiB: () => Promise<number>;
}

type Hosts = Compared<Measured>;

/** Measures floods of so many megabytes by the number of clients, echoes, and memory. */
export async function measureBesideVsCode(
  floodMegabytes: Readonly<Record<number, number>>,
  keys: number,
  rounds: number,
): Promise<BesideVsCode> {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-ahp-"));
  const server = new Isolated<ServerProgram>(new URL("server-program.ts", import.meta.url));
  const clients = new Isolated<ClientsProgram>(new URL("clients-program.ts", import.meta.url));
  const peer = await VsCodeAgentHost.start();
  try {
    const hosts: Hosts = {
      ours: {
        url: await server.ask("open", folder),
        cpuMs: () => server.ask("cpuMs", undefined),
        rssMiB: async () => (await server.ask("rssBytes", undefined)) / mebibyte,
      },
      vscode: {
        url: peer.url,
        cpuMs: () => Promise.resolve(peer.cpuMs()),
        rssMiB: () => Promise.resolve(peer.rssBytes() / mebibyte),
      },
    };
    const idle = await inTurns(({ rssMiB }) => rssMiB(), hosts, 1);
    const echo = await measureEcho(hosts, clients, keys, rounds);
    const floods: Record<string, BesideVsCode["floods"][string]> = {};
    for (const [count, megabytes] of Object.entries(floodMegabytes)) {
      const bench = new FloodBench(folder, clients, Number(count), megabytes * 1e6);
      floods[count] = await bench.measure(hosts, rounds);
    }
    const end = await inTurns(({ rssMiB }) => rssMiB(), hosts, 1);
    const memoryOf = (name: "ours" | "vscode"): { idleMiB: number; endMiB: number } => ({
      idleMiB: rounded(median(idle[name])),
      endMiB: rounded(median(end[name])),
    });
    const memory = {
      ours: memoryOf("ours"),
      vscode: memoryOf("vscode"),
      endRatio: ratio(end, (bytes) => bytes),
    };
    return { floods, echo, memory };
  } finally {
    await Promise.all([peer.close(), server.close(), clients.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One flood to a number of clients. */
class FloodBench {
  static #floods = 0;
  readonly #folder: string;
  readonly #clients: Isolated<ClientsProgram>;
  readonly #count: number;
  readonly #floodBytes: number;

  constructor(folder: string, clients: Isolated<ClientsProgram>, count: number, floodBytes: number) {
    this.#folder = folder;
    this.#clients = clients;
    this.#count = count;
    this.#floodBytes = floodBytes;
  }

  async measure(hosts: Hosts, rounds: number): Promise<BesideVsCode["floods"][string]> {
    // The first round of each only warms up.
    await inTurns((host) => this.#run(host), hosts, 1);
    const rates = await inTurns((host) => this.#run(host), hosts, rounds);
    const [ours, vscode] = [mediansOf(rates.ours), mediansOf(rates.vscode)];
    progress(
      `to ${this.#count}: ours ${ours.mbps} MB/s, ${ours.cpuMsPerMB} ms/MB; ` +
        `VS Code's ${vscode.mbps} MB/s, ${vscode.cpuMsPerMB} ms/MB`,
    );
    const mbpsRatio = ratio(rates, ({ mbps }) => mbps);
    return { ours, vscode, mbpsRatio, cpuRatio: ratio(rates, ({ cpuMsPerMB }) => cpuMsPerMB) };
  }

  async #run({ url, cpuMs }: Measured): Promise<FloodRate> {
    FloodBench.#floods += 1;
    const flood = new Flood(this.#folder, `vscode-${FloodBench.#floods}`, this.#floodBytes);
    const channel = await this.#clients.ask("runInShell", { url, version, command: flood.command });
    await this.#clients.ask("watch", { url, version, channel, count: this.#count });
    const cpuBeforeMs = await cpuMs();
    const startedMs = performance.now();
    flood.begin();
    const { bytes } = await this.#clients.ask("finish", undefined);
    const tookMs = performance.now() - startedMs;
    const megabytes = this.#floodBytes / 1e6;
    return {
      mbps: megabytes / (tookMs / 1000),
      cpuMsPerMB: ((await cpuMs()) - cpuBeforeMs) / (megabytes * this.#count),
      receivedShare: bytes / this.#count / this.#floodBytes,
    };
  }
}

async function measureEcho(
  hosts: Hosts,
  clients: Isolated<ClientsProgram>,
  keys: number,
  rounds: number,
): Promise<BesideVsCode["echo"]> {
  const type = ({ url }: Measured): Promise<number[]> => clients.ask("type", { url, version, keys });
  const typed = await inTurns(type, hosts, rounds);
  const echoOf = (latencies: readonly number[][]): { p50Ms: number; p99Ms: number } => ({
    p50Ms: rounded(median(latencies.map(median))),
    p99Ms: rounded(median(latencies.map((each) => percentile(each, 0.99)))),
  });
  const [ours, vscode] = [echoOf(typed.ours), echoOf(typed.vscode)];
  progress(
    `echo: ours p50 ${ours.p50Ms} ms, p99 ${ours.p99Ms} ms; VS Code's ${vscode.p50Ms}, ${vscode.p99Ms}`,
  );
  return { ours, vscode, p50Ratio: ratio(typed, median) };
}

/** Asks both hosts in turns, so that both meet the same machine. */
async function inTurns<Value>(
  measure: (host: Measured) => Promise<Value>,
  { ours, vscode }: Hosts,
  rounds: number,
): Promise<Compared<Value[]>> {
  const values: Compared<Value[]> = { ours: [], vscode: [] };
  for (let round = 0; round < rounds; round += 1) {
    values.ours.push(await measure(ours));
    values.vscode.push(await measure(vscode));
  }
  return values;
}

function ratio<Value>({ ours, vscode }: Compared<Value[]>, read: (value: Value) => number): number {
  const ratios = ours.flatMap((value, round) => {
    const other = vscode[round];
    return other === undefined ? [] : [read(value) / read(other)];
  });
  return rounded(median(ratios));
}

function mediansOf(rates: readonly FloodRate[]): FloodRate {
  return {
    mbps: rounded(median(rates.map(({ mbps }) => mbps))),
    cpuMsPerMB: rounded(median(rates.map(({ cpuMsPerMB }) => cpuMsPerMB))),
    receivedShare: rounded(median(rates.map(({ receivedShare }) => receivedShare))),
  };
}
