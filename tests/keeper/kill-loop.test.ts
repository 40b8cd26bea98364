// 200 kills of the host while random work runs: nothing is lost, nothing comes twice, and the keeper leaks nothing.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import { keeperStatus } from "@holdfast/terminal/keeper";
import { expect, it, onTestFinished } from "vitest";
import { Random } from "../ahp/must-show/random.ts";
import { freePort, startRealHost, type RealHost } from "../host/real-host.ts";
import { workloads, type Workplace } from "./workloads.ts";

const rounds = Number(process.env["HOLDFAST_KILL_ROUNDS"] ?? 40);
const killsPerRound = 5;
/** Rounds until the keeper has grown what it grows to. */
const warmUp = Math.ceil(rounds / 5);
const isLong = process.env["HOLDFAST_LONG"] !== undefined;

it.runIf(isLong)(
  `[R734] ${rounds * killsPerRound} kills lose nothing, double nothing and leave the keeper as it was`,
  { timeout: 120_000 + rounds * 120_000 },
  async () => {
    const seed = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1_000_000);
    const random = new Random(seed);
    let host = await startRealHost({ keeper: true, port: await freePort() });
    onTestFinished(() => host.close());
    const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token, retry: { attempts: 100 } });
    const holdings: Holdings[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const place: Workplace = { sdk, host, random, folder: host.project, name: `round-${round}` };
      const started = await Promise.all(
        Array.from({ length: 3 }, (_, index) =>
          random.pick(workloads)({ ...place, name: `${place.name}-${index}` }),
        ),
      );
      for (let kill = 0; kill < killsPerRound; kill += 1) {
        await sleep(random.whole(0, 1200));
        host = await host.restart("SIGKILL");
      }
      for (const work of started) {
        expect(await work.finish(), `round ${round}, seed ${seed}: ${work.name}`).toEqual(work.expected);
      }
      holdings.push(await holdingsOf(host));
      console.log(`round ${round} of ${rounds}: ${JSON.stringify(holdings.at(-1))}`);
    }
    const [early, late] = [holdings[warmUp - 1], holdings.at(-1)];
    if (early === undefined || late === undefined) throw new Error("Nothing was measured");
    expect(late.runs).toBe(0);
    expect(late.descriptors).toBeLessThanOrEqual(early.descriptors + 2);
    expect(late.files).toEqual(early.files);
    expect(late.residentMiB).toBeLessThan(early.residentMiB + 24);
  },
);

/** The keeper's holdings when the work of a round is done. */
interface Holdings {
  readonly runs: number;
  readonly descriptors: number;
  readonly residentMiB: number;
  readonly files: readonly string[];
}

async function holdingsOf(host: RealHost): Promise<Holdings> {
  // The host releases a closed session's runs after its response.
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const status = await keeperStatus(host.home);
    if (status !== undefined && status.runs.every(({ hasExited }) => hasExited)) break;
    await sleep(100);
  }
  const status = await keeperStatus(host.home);
  if (status === undefined) throw new Error("The keeper has ended");
  const { pid } = status;
  const runs = status.runs.filter(({ hasExited }) => !hasExited);
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return {
    runs: runs.length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    residentMiB: Math.round(Number(resident) / 1024),
    files: readdirSync(`${host.home}/run`)
      .map((name) => name.replace(/-fifos-.*/, "-fifos"))
      .toSorted(),
  };
}
