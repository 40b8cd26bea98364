// Serving: takes the home and starts its host, or finds that one is running already.
import type { Log, Redactor } from "@holdfast/core";
import type { Config } from "@holdfast/protocol";
import { loadConfig } from "./config-file.ts";
import { findHome, openHome } from "./home.ts";
import { removeHostFile, waitForHost, writeHostFile } from "./host-file.ts";
import { chooseAddress, explainListenError } from "./listen.ts";
import { acquireLock, type HomeLock, type LockHolder } from "./lock.ts";
import type { ReadyHost } from "./ready.ts";
import { openToken, readToken } from "./token.ts";

/** What the arguments of `serve` ask for. */
export interface ServeOptions {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

/** What a host is started with. */
export interface HostParts {
  readonly home: string;
  readonly config: Config;
  readonly token: string;
  readonly log: Log;
  /** Knows what the log shall not say. */
  readonly redactor: Redactor;
}

/** A host that listens. `close` drains it. */
export interface ListeningHost {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a host that listens; whoever wires the program says how. */
export type StartHost = (parts: HostParts) => Promise<ListeningHost>;

/** What serving needs of the world around it. */
export interface ServeSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly startHost: StartHost;
  /** Has something done when the process ends undrained; it must be synchronous. */
  readonly atExit: (cleanUp: () => void) => void;
}

/** What came of it: this process serves until it is closed, or another one already does. */
export type ServeOutcome =
  | { readonly kind: "serving"; readonly ready: ReadyHost; close(): Promise<void> }
  | { readonly kind: "already-running"; readonly ready: ReadyHost };

/** Starts the host of a home, unless it has one. */
export async function serve(options: ServeOptions, around: ServeSurroundings): Promise<ServeOutcome> {
  const home = findHome(options.home, around.environment);
  openHome(home, around.log);
  for (;;) {
    const attempt = await acquireLock(home);
    if (attempt.kind === "held") return serveHome(home, attempt.lock, options, around);
    const found = await waitForHost(home, attempt.holder);
    if (found !== undefined) {
      const ready = { url: found.url, token: readToken(home), home, otherPid: found.pid };
      return { kind: "already-running", ready };
    }
  }
}

async function serveHome(
  home: string,
  lock: HomeLock,
  options: ServeOptions,
  around: ServeSurroundings,
): Promise<ServeOutcome> {
  let hasLeft = false;
  const leave = (): void => {
    // Once only: after the first time, host.json may be that of the next host.
    if (hasLeft) return;
    hasLeft = true;
    removeHostFile(home);
    lock.release();
  };
  around.atExit(leave);
  try {
    // A host that was killed leaves its own behind.
    removeHostFile(home);
    const started = await startHost(home, lock.holder, options, around);
    return {
      kind: "serving",
      ready: started.ready,
      async close(): Promise<void> {
        // First, so that a second start waits for the lock and is not sent to a host that is going.
        removeHostFile(home);
        await started.close().finally(leave);
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

async function startHost(
  home: string,
  holder: LockHolder,
  options: ServeOptions,
  { log, redactor, startHost: start }: ServeSurroundings,
): Promise<{ ready: ReadyHost; close(): Promise<void> }> {
  const fileConfig = loadConfig(home, options.config);
  const config: Config = { ...fileConfig, listen: chooseAddress(fileConfig, options) };
  const token = openToken(home, log);
  redactor.add(token);
  let host: ListeningHost | undefined;
  try {
    const started = await start({ home, config, token, log, redactor });
    host = started;
    writeHostFile(home, holder, started.url);
    return { ready: { url: started.url, token, home }, close: () => started.close() };
  } catch (error) {
    await host?.close();
    throw explainListenError(error, config.listen);
  }
}
