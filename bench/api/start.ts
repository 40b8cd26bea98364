// How long a host needs, with a long history in its database, until it takes work, and until it has listed its sessions.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, cpSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Isolated, askOnce } from "../terminal/isolated.ts";
import type { QuietMachine } from "../terminal/quiet.ts";
import { median } from "../terminal/statistics.ts";
import { callApi } from "./api-client.ts";
import type { HistoryProgram } from "./history-program.ts";
import type { HostProgram } from "./host-program.ts";
import { smallAgent } from "./measured-host.ts";
import type { ServedHostOptions } from "./served-host.ts";

const holdfastProgram = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

/** How much is measured. */
export interface StartSize {
  readonly sessions: number;
  readonly turns: number;
  readonly rounds: number;
}

/** What was measured. */
export interface StartStats {
  /** From the opening of the storage, in a process that is there, to the answer of `/readyz`. */
  readonly startMs: number;
  /** The same for the program, from the start of its process. */
  readonly programStartMs: number;
  /** The same in a new home. */
  readonly emptyProgramStartMs: number;
  readonly listSessionsMs: number;
  readonly databaseMiB: number;
}

/** How often each host is asked for its sessions. */
const listings = 20;
const databaseFile = "holdfast.db";

/** Fills a database, kills the host that did, and starts others on copies of what it left. */
export async function measureStart(
  folder: string,
  { sessions, turns, rounds }: StartSize,
  machine: QuietMachine,
): Promise<StartStats> {
  const left = path.join(folder, "left");
  mkdirSync(left, { mode: 0o700 });
  await askOnce<HistoryProgram, "fill">(new URL("history-program.ts", import.meta.url), "fill", {
    ...hostOptions(left),
    sessions,
    turns,
    busy: Math.ceil(sessions / 50),
  });
  const home = path.join(folder, "home");
  const starts: number[] = [];
  const programStarts: number[] = [];
  const emptyStarts: number[] = [];
  const lists: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // A start writes to its home, so each has a separate copy.
    copyHome(left, home);
    await machine.wait();
    const started = await startHost(home, sessions);
    starts.push(started.startMs);
    lists.push(...started.listsMs);
    copyHome(left, home);
    await machine.wait();
    programStarts.push(await startProgramMs(home));
    rmSync(home, { recursive: true });
    emptyStarts.push(await startProgramMs(home));
  }
  return {
    startMs: median(starts),
    programStartMs: median(programStarts),
    emptyProgramStartMs: median(emptyStarts),
    listSessionsMs: median(lists),
    databaseMiB: statSync(path.join(left, databaseFile)).size / 1024 / 1024,
  };
}

function hostOptions(folder: string): ServedHostOptions {
  return { folder, agent: smallAgent, idleSeconds: 0.1 };
}

function copyHome(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  // A dead host's data is on the disk; a fresh copy must not have to be written during the start.
  for (const name of readdirSync(to).filter((each) => each.startsWith(databaseFile))) {
    const file = openSync(path.join(to, name), "r+");
    fsyncSync(file);
    closeSync(file);
  }
}

async function startHost(
  home: string,
  sessions: number,
): Promise<{ readonly startMs: number; readonly listsMs: readonly number[] }> {
  const host = new Isolated<HostProgram>(new URL("host-program.ts", import.meta.url));
  try {
    // Answered when its code is loaded.
    await host.ask("rest", undefined);
    const startedMs = performance.now();
    const url = await host.ask("open", hostOptions(home));
    await waitUntilReady(url);
    const startMs = performance.now() - startedMs;
    const listsMs: number[] = [];
    for (let listing = 0; listing < listings; listing += 1) listsMs.push(await listMs(url, sessions));
    return { startMs, listsMs };
  } finally {
    await host.close();
  }
}

async function waitUntilReady(url: string): Promise<void> {
  const response = await fetch(`${url}/readyz`);
  if (!response.ok) throw new Error(`/readyz: ${response.status} ${await response.text()}`);
  await response.text();
}

async function listMs(url: string, expected: number): Promise<number> {
  const startedMs = performance.now();
  const response = await callApi(url, "GET", "/sessions");
  const { sessions } = (await response.json()) as { readonly sessions: readonly unknown[] };
  const tookMs = performance.now() - startedMs;
  if (sessions.length !== expected) throw new Error(`${sessions.length} of ${expected} sessions are listed`);
  return tookMs;
}

async function startProgramMs(home: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [holdfastProgram, "--port", "0", "--home", home, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line") as Promise<[string]>,
    exited.then((): [string] => ["{}"]),
  ]);
  const { url } = JSON.parse(line) as { readonly url?: string };
  if (url === undefined) throw new Error("The program ended before it was ready");
  await waitUntilReady(url);
  const tookMs = performance.now() - startedMs;
  child.kill("SIGKILL");
  await exited;
  return tookMs;
}
