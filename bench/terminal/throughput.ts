// Asks every peer in turn, round after round, and makes rates of the medians.
import { type Peer, type PeerRun, programPeer } from "./peer.ts";
import { makeCReader } from "./peers/c-reader.ts";
import { makeTmux } from "./peers/tmux.ts";
import { makeTtyd } from "./peers/ttyd.ts";
import { progress } from "./progress.ts";
import type { QuietMachine } from "./quiet.ts";
import { median, rounded } from "./statistics.ts";
import type { Workload, Workloads } from "./workloads.ts";

/** How fast one peer reads one workload. */
export interface Rate {
  readonly megabytesPerSecond: number;
  readonly cpuMsPerMegabyte: number;
}

/** Rates by workload, then by peer. */
export type Rates = Record<string, Record<string, Rate>>;

/** The rounds for those who are quick, and for those who take long. */
export interface Rounds {
  readonly quick: number;
  readonly slow: number;
}

/** Measures every peer that there is on every workload it can read. */
export async function measureThroughput(
  workloads: Workloads,
  rounds: Rounds,
  machine: QuietMachine,
): Promise<Rates> {
  const peers = makePeers(workloads.folder);
  try {
    const rates: Rates = {};
    const working = await warmUp(peers, workloads.warmUps);
    for (const workload of workloads.measured) {
      await machine.wait();
      rates[workload.name] = await measureWorkload(working, workload, rounds);
    }
    return rates;
  } finally {
    await Promise.all(peers.map((peer) => peer.close()));
  }
}

/** How many times the rate of one peer another has; null when one is absent. */
export function ratio(rates: Rates, workload: string, peer: string, than: string): number | null {
  const [above, below] = [rates[workload]?.[peer], rates[workload]?.[than]];
  return above && below ? above.megabytesPerSecond / below.megabytesPerSecond : null;
}

function makePeers(folder: string): Peer[] {
  const candidates: (Peer | string)[] = [
    makeCReader(folder),
    programPeer("ours", new URL("peers/holdfast.ts", import.meta.url), { channels: ["pty", "pipe"] }),
    programPeer("nodePty", new URL("peers/node-pty.ts", import.meta.url), { channels: ["pty"] }),
    programPeer("childProcess", new URL("peers/child-process.ts", import.meta.url), { channels: ["pipe"] }),
    programPeer("naive", new URL("peers/naive.ts", import.meta.url), { channels: ["pipe"], isSlow: true }),
    makeTmux(),
    makeTtyd(),
  ];
  for (const reason of candidates) if (typeof reason === "string") progress(`left out: ${reason}`);
  return candidates.filter((candidate) => typeof candidate !== "string");
}

/** Runs everything once, for code that has not run yet; who cannot is left out, but for ours. */
async function warmUp(peers: readonly Peer[], workloads: readonly Workload[]): Promise<Peer[]> {
  const working = new Set(peers);
  for (const workload of workloads) {
    for (const peer of peersFor(peers, workload)) {
      try {
        await peer.run(workload);
      } catch (error) {
        if (peer.name === "ours") throw error;
        progress(`left out: ${peer.name} failed: ${String(error)}`);
        working.delete(peer);
      }
    }
  }
  return [...working];
}

function peersFor(peers: readonly Peer[], { channel }: Workload): Peer[] {
  return peers.filter(({ channels }) => channels.includes(channel));
}

async function measureWorkload(
  peers: readonly Peer[],
  workload: Workload,
  rounds: Rounds,
): Promise<Record<string, Rate>> {
  const runs = new Map<string, PeerRun[]>();
  const candidates = peersFor(peers, workload);
  for (let round = 0; round < rounds.quick; round += 1) {
    // Each round begins with another peer, so that nobody always comes after the same one.
    const first = round % candidates.length;
    for (const peer of [...candidates.slice(first), ...candidates.slice(0, first)]) {
      if (peer.isSlow && round >= rounds.slow) continue;
      const run = await peer.run(workload);
      runs.set(peer.name, [...(runs.get(peer.name) ?? []), run]);
    }
  }
  const rates = Object.fromEntries(candidates.map(({ name }) => [name, toRate(runs.get(name) ?? [])]));
  progress(`${workload.name}: ${describe(rates)}`);
  return rates;
}

function toRate(runs: readonly PeerRun[]): Rate {
  return {
    megabytesPerSecond: rounded(median(runs.map(({ bytes, elapsedMs }) => bytes / 1000 / elapsedMs))),
    cpuMsPerMegabyte: rounded(median(runs.map(({ bytes, cpuMs }) => cpuMs / (bytes / 1e6)))),
  };
}

function describe(rates: Record<string, Rate>): string {
  return Object.entries(rates)
    .map(([name, rate]) => `${name} ${rate.megabytesPerSecond} MB/s ${rate.cpuMsPerMegabyte} ms/MB`)
    .join(" · ");
}
