// host.json: where the host of a home listens, for other programs and for a second start (C7).
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findHolder, isStillHeld, type LockHolder } from "./lock.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { StartError } from "../command-error.ts";
import { replaceFile } from "./whole-file.ts";

/** What host.json says; never the token. */
export interface HostFile extends StartedWith {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: string;
}

/** Options of a host that the next one takes over; absent where they came from the configuration. */
export interface StartedWith {
  /** The address that it listens on; its URL may have another, which clients can reach. */
  readonly host?: string | undefined;
  readonly config?: string | undefined;
  readonly keeper?: boolean | undefined;
}

export const HOST_FILE = "host.json";

/** How long a second start waits for a host that is starting or stopping: a drain may take most of it. */
const startTimeoutMs = 25_000;
const pollMs = 25;

export function writeHostFile(
  home: string,
  { pid, startedAt }: LockHolder,
  url: string,
  { host, config, keeper }: StartedWith = {},
): void {
  const content: HostFile = { url, pid, startedAt, host, config, keeper };
  replaceFile(fileIn(home), `${JSON.stringify(content)}\n`);
}

/** Takes host.json away; there may be none. */
export function removeHostFile(home: string): void {
  rmSync(fileIn(home), { force: true });
}

/** Waits until the holder of the lock says where it listens; undefined when it has gone instead. */
export async function waitForHost(home: string, holder: LockHolder): Promise<HostFile | undefined> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const said = readHostFile(home);
    // One that a killed host left behind names another pid or moment.
    if (said?.pid === holder.pid && said.startedAt === holder.startedAt) return said;
    if (!isStillHeld(home, holder)) return undefined;
    await delay(pollMs);
  }
  throw new StartError(
    EXIT_CODES.fault,
    `Another host (process ${holder.pid}) uses the home ${home}, but its address is not known. ` +
      "Wait for it, end it, or choose another home with --home.",
  );
}

/** The host that runs in a home; undefined when there is none. One that is just starting or stopping is waited for. */
export async function findRunningHost(home: string): Promise<HostFile | undefined> {
  const holder = findHolder(home);
  return holder === undefined ? undefined : waitForHost(home, holder);
}

/** What host.json says; undefined where it is not there. */
export function readHostFile(home: string): HostFile | undefined {
  try {
    const file = JSON.parse(readFileSync(fileIn(home), "utf8")) as Partial<HostFile>;
    const { url, pid, startedAt, host, config, keeper } = file;
    return url === undefined || pid === undefined || startedAt === undefined
      ? undefined
      : { url, pid, startedAt, host, config, keeper };
  } catch {
    // Not there yet, or not ours to understand: the wait continues.
    return undefined;
  }
}

function fileIn(home: string): string {
  return path.join(home, HOST_FILE);
}
