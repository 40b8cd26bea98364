// Stopping, replacing and listing what the keeper holds, by the commands that people use.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { OPERATIONS } from "@holdfast/protocol";
import { Holdfast } from "@holdfast/sdk";
import { keeperStatus } from "@holdfast/terminal/keeper";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { freePort, startRealHost, type RealHost } from "../host/real-host.ts";
import { testedProgram } from "../setup/tested-program.ts";

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface BusyHost {
  readonly host: RealHost;
  readonly pid: number;
}

async function run(host: RealHost, ...words: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [testedProgram, ...words, "--home", host.home], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOLDFAST_NO_KEEPER: "" },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, "exit");
  return { code: child.exitCode, stdout, stderr };
}

/** A host with a command that runs for long, until the test ends. */
async function startBusyHost(): Promise<BusyHost> {
  const host = await startRealHost({ keeper: true, port: await freePort() });
  onTestFinished(() => host.close());
  return { host, pid: await keepBusy(host) };
}

/** Starts the command; resolves to its process. */
async function keepBusy(host: RealHost): Promise<number> {
  const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  await sdk.terminals.create({ command: "sleep", args: ["1000"], name: "long", kind: "text" });
  const { runs = [] } = (await keeperStatus(host.home)) ?? {};
  return runs.find(({ kind }) => kind === "text")?.pid ?? 0;
}

/** A process that nobody has waited for yet is gone. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout !== "" && !stdout.startsWith("Z");
}

it("[C722] stop ends nothing that nobody asked to end; --all ends it, also without a host", async () => {
  const { host, pid } = await startBusyHost();
  const kept = await run(host, "stop", "--json");
  expect(JSON.parse(kept.stdout)).toMatchObject({ stopped: true, work: "keep", terminals: 1 });
  expect(isAlive(pid)).toBe(true);
  const repeated = await run(host, "stop");
  expect(repeated.stderr).toContain("holdfast stop --all");
  const ended = await run(host, "stop", "--all", "--json");
  expect(JSON.parse(ended.stdout)).toMatchObject({ stopped: false, runs: 1, ended: true });
  await vi.waitUntil(() => !isAlive(pid));
  expect(await keeperStatus(host.home)).toBeUndefined();
}, 90_000);

it("[C721][C723] restart and a signal replace the host, and what runs keeps its process", async () => {
  const { host, pid } = await startBusyHost();
  const restarted = JSON.parse((await run(host, "restart", "--json")).stdout) as { url: string; pid: number };
  expect(restarted).toMatchObject({ url: host.url, replaced: host.pid });
  process.kill(restarted.pid, "SIGTERM");
  await vi.waitUntil(() => !isAlive(restarted.pid));
  expect(isAlive(pid)).toBe(true);
  expect((await keeperStatus(host.home))?.hostPid).toBeUndefined();
  expect(readFileSync(path.join(host.home, "host.log"), "utf8")).toContain(
    "1 agent or terminal keeps running",
  );
}, 90_000);

describe("a host that is busy", () => {
  let host: RealHost;
  let pid: number;

  beforeAll(async () => {
    host = await startRealHost({ keeper: true, port: await freePort() });
    pid = await keepBusy(host);
  });
  afterAll(() => host.close());

  it("[C724][A806] ps and the API list the keeper and what it holds", async () => {
    const listed = JSON.parse((await run(host, "ps", "--json")).stdout) as { runs: object[] };
    expect(listed).toMatchObject({ host: host.pid, keeper: { epoch: 1 }, unowned: [] });
    expect(listed.runs).toContainEqual(expect.objectContaining({ kind: "text", pid, state: "running" }));
    const answer = await fetch(`${host.url}/admin/processes`, { headers: { "x-api-key": host.token } });
    const { processes } = OPERATIONS.listProcesses.response.parse(await answer.json());
    expect(processes).toMatchObject({ keeper: { hosts: 1 }, unowned: [] });
    expect(processes.runs).toContainEqual(expect.objectContaining({ pid, state: "running", what: "long" }));
    const { stdout } = await run(host, "ps");
    expect(stdout).toContain("Keeper: process");
    expect(stdout).toMatch(/text +running +- +long/);
  }, 90_000);

  it("[C722] stop --all ends the host, what runs in it and the keeper, whose processes are gone then", async () => {
    const keeper = (await keeperStatus(host.home))?.pid ?? 0;
    expect(isAlive(keeper)).toBe(true);
    expect((await run(host, "stop", "--all")).code).toBe(0);
    expect([host.pid, keeper].filter((each) => isAlive(each))).toEqual([]);
    await vi.waitUntil(() => !isAlive(pid));
    expect(await keeperStatus(host.home)).toBeUndefined();
  }, 90_000);
});

it("[C725] a keeper in the foreground, for a service: hosts use it, a second one is refused, TERM ends it", async () => {
  const host = await startRealHost({ port: await freePort() });
  onTestFinished(() => host.close());
  await host.kill();
  const words = [testedProgram, "keeper", "--home", host.home];
  const service = spawn(process.execPath, words, { stdio: "ignore" });
  onTestFinished(() => void service.kill("SIGTERM"));
  const status = await vi.waitUntil(() => keeperStatus(host.home));
  expect(status?.runs).toEqual([]);
  expect(await run(host, "keeper")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("already holds"),
  });
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await keeperStatus(host.home)).toBeUndefined();
});
