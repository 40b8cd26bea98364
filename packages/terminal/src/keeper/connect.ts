// Finds the keeper of a home, or starts one.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TerminalError } from "../terminal-error.ts";
import type { SpawnerOptions } from "../process/spawner.ts";
import { FRAME } from "./frame.ts";
import { readKey } from "./key.ts";
import { findHolder } from "./lock.ts";
import { explainRefusal, KeeperLink, type LinkEvents, openLink } from "./keeper-link.ts";
import { KeeperPort } from "./keeper-port.ts";
import {
  EXIT_SECOND_KEEPER,
  type Hello,
  type KeeperSettings,
  type KeeperStatus,
  PROTOCOL_VERSION,
  type Refused,
  type Welcome,
} from "./message.ts";
import { checkSocket, findPlace, type KeeperPlace, RUN_FOLDER } from "./place.ts";

/** A keeper that does not listen by then will never. */
const startBoundMs = 15_000;
const lookAgainMs = 10;
/** The longest time from a keeper's last message to its end. */
const exitBoundMs = 3000;
const secondPauseMs = 300;

/** A host's wishes. */
export interface ConnectOptions extends KeeperSettings {
  /** The home whose keeper is wanted. */
  readonly home: string;
  readonly environment?: SpawnerOptions["environment"];
  /** Called when a run's sink throws. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** The host's port; takes over from the host before. Starts a keeper if none runs, also later when it dies. */
export async function connectKeeper(options: ConnectOptions): Promise<KeeperPort> {
  const { home, environment, onFault, ...settings } = options;
  const port = new KeeperPort({
    open: (events) => openOrStart(findPlace(home), settings, events),
    environment,
    onFault,
  });
  await port.connect();
  return port;
}

/** Runs a keeper in the foreground until it is ended by request or signal; resolves with its exit code. */
export async function runKeeper(home: string, version: string): Promise<number> {
  const settings: KeeperSettings = { version, idleMs: Number.MAX_SAFE_INTEGER };
  const words = [...nodeFlags, keeperProgram(), findPlace(home).home, JSON.stringify(settings)];
  const child = spawn(process.execPath, words, { cwd: "/", stdio: "inherit", env: keeperEnvironment() });
  // A service manager's TERM is for the keeper. Ctrl-C reaches both, and both ignore it.
  const pass = (): void => void child.kill("SIGTERM");
  const ignore = (): void => undefined;
  process.on("SIGTERM", pass).on("SIGINT", ignore).on("SIGHUP", ignore);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  } finally {
    process.off("SIGTERM", pass).off("SIGINT", ignore).off("SIGHUP", ignore);
  }
}

/** The report of a home's keeper on itself; undefined when none runs. Its host is not disturbed. */
export async function keeperStatus(home: string): Promise<KeeperStatus | undefined> {
  return (await ask(home, "status")) as KeeperStatus | undefined;
}

/**
 * Ends everything that the keeper of a home holds, and then the keeper, of whatever version; false when none runs.
 * Resolves when its process is gone.
 */
export async function endKeeper(home: string, graceMs?: number): Promise<boolean> {
  const whenGone = watchKeeper(home);
  const isEnded = (await ask(home, "end", graceMs)) !== undefined;
  if (isEnded) await whenGone();
  return isEnded;
}

/** Notes the process of a home's keeper; the function resolves when that process is gone, at the latest after a bound. */
export function watchKeeper(home: string): () => Promise<void> {
  const holder = existsSync(join(home, RUN_FOLDER)) ? findHolder(findPlace(home).lock) : undefined;
  return async () => {
    const deadlineMs = performance.now() + exitBoundMs;
    while (holder?.isAlive() === true && performance.now() < deadlineMs) await sleep(lookAgainMs);
  };
}

async function ask(home: string, purpose: "status" | "end", graceMs?: number): Promise<unknown> {
  // Looking changes nothing: a home that never had a keeper has no such folder.
  if (!existsSync(join(home, RUN_FOLDER))) return undefined;
  const place = findPlace(home);
  if (!checkSocket(place.socket)) return undefined;
  try {
    const { socket, type, payload } = await openLink(place.socket, { ...helloOf(place), purpose, graceMs });
    // The keeper closes it: after an end, when nothing of it is left.
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    if (type === FRAME.welcome) return payload ?? {};
    if (type === FRAME.refused) throw explainRefusal(payload as Refused & Partial<Welcome>);
    throw new TerminalError("keeper_version", `Unknown response ${type} of the keeper`);
  } catch (error) {
    if (isNobodyThere(error)) return undefined;
    throw error;
  }
}

function helloOf({ home, key }: KeeperPlace): Hello {
  return { protocol: PROTOCOL_VERSION, purpose: "host", home, pid: process.pid, key: readKey(key) };
}

/** The socket is missing, or that of a keeper that is dead or dying. */
function isNobodyThere(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE", "lost"].includes(code);
}

async function openOrStart(
  place: KeeperPlace,
  settings: KeeperSettings,
  events: LinkEvents,
): Promise<KeeperLink> {
  const deadlineMs = performance.now() + startBoundMs;
  let starting: StartingKeeper | undefined;
  try {
    for (;;) {
      const link = await tryOpen(place, events);
      if (link !== undefined) return link;
      if (performance.now() > deadlineMs) throw unavailable(`it did not answer in ${startBoundMs / 1000} s`);
      if (starting?.isSecond === true) {
        // The other one may have been about to end: then another is started.
        starting = undefined;
        await sleep(secondPauseMs);
        continue;
      }
      starting ??= new StartingKeeper(place, settings);
      starting.refuseIfFailed();
      await sleep(lookAgainMs);
    }
  } finally {
    starting?.leave();
  }
}

async function tryOpen(place: KeeperPlace, events: LinkEvents): Promise<KeeperLink | undefined> {
  if (!checkSocket(place.socket)) return undefined;
  try {
    return await KeeperLink.open(place.socket, helloOf(place), events);
  } catch (error) {
    if (isNobodyThere(error)) return undefined;
    throw error;
  }
}

/** A keeper from its start to its first answer. */
class StartingKeeper {
  readonly #child: ChildProcess;
  readonly #log: string;
  #failure: string | undefined;
  #isSecond = false;

  constructor(place: KeeperPlace, settings: KeeperSettings) {
    this.#log = place.log;
    const log = openSync(place.log, "a", 0o600);
    try {
      this.#child = spawn(
        process.execPath,
        [...nodeFlags, keeperProgram(), place.home, JSON.stringify(settings)],
        { detached: true, cwd: "/", stdio: ["ignore", log, log], env: keeperEnvironment() },
      );
    } finally {
      closeSync(log);
    }
    this.#child.once("error", (error) => (this.#failure = error.message));
    this.#child.once("exit", (code, signal) => {
      if (code === EXIT_SECOND_KEEPER) this.#isSecond = true;
      else this.#failure = `it ended with ${code ?? signal}`;
    });
  }

  /** It found another keeper: one that another host has just started, one whose socket was deleted, or one that ends. */
  get isSecond(): boolean {
    return this.#isSecond;
  }

  refuseIfFailed(): void {
    if (this.#failure !== undefined) throw unavailable(`${this.#failure}\n${lastLines(this.#log)}`.trim());
  }

  /** It continues without us. */
  leave(): void {
    this.#child.removeAllListeners();
    this.#child.on("error", () => {});
    this.#child.unref();
  }
}

/**
 * A small heap: held bytes lie outside of it. To wake threads for it costs more than to collect it alone: measured, a
 * flood takes 1.4 times the CPU without the last one.
 */
const nodeFlags = ["--max-old-space-size=64", "--max-semi-space-size=1", "--single-threaded-gc"];

/** Variables of the host that the keeper needs; commands get theirs with each request. */
const keptVariables =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_RUNTIME_DIR|HOLDFAST_SANDBOX_BACKENDS)$/;

function keeperEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => keptVariables.test(name));
  // An editor's own Node runs a script only with this variable.
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: "1" };
}

/** The compiled program, also when the host runs from source: Node 20 executes no TypeScript. */
function keeperProgram(): string {
  const isSource = import.meta.url.endsWith(".ts");
  const program = fileURLToPath(
    new URL(isSource ? "../../dist/keeper/main.js" : "./main.js", import.meta.url),
  );
  if (existsSync(program)) return program;
  throw unavailable(`${program} is missing; run npm run build`);
}

function lastLines(log: string): string {
  try {
    return readFileSync(log, "utf8").slice(-1000);
  } catch {
    // It wrote nothing.
    return "";
  }
}

function unavailable(reason: string): TerminalError {
  return new TerminalError("spawn_failed", `The keeper could not be started: ${reason}`);
}
