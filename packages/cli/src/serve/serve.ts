// Serving: takes the home and starts its host, or finds that one is running already.
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Log, Redactor } from "@holdfast/core";
import { type Config, HostError, OPERATIONS } from "@holdfast/protocol";
import { ownNames, type RunningWork } from "@holdfast/server";
import { CommandError, StartError, systemCode } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { checkOwnAgents } from "./agents.ts";
import { loadConfig } from "./config-file.ts";
import { explainStorageStart } from "./database.ts";
import { mentionHangReport } from "./hang-report.ts";
import { explainHomeAccess, findHome, openHome } from "./home.ts";
import { type HostFile, removeHostFile, waitForHost, writeHostFile } from "./host-file.ts";
import { acquireLock, type HomeLock, isStillHeld, type LockHolder } from "./lock.ts";
import { policyPath, readRules } from "./policy-file.ts";
import { requestStop } from "./stop-request.ts";
import { openToken, readToken } from "./token.ts";

/** Set: the host's processes end with it, as with `--no-keeper`. */
const noKeeperVariable = "HOLDFAST_NO_KEEPER";

/** Options from the arguments of `serve`. */
export interface ServeOptions {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
  /** Begin with an empty database where the old one is damaged or missing. */
  readonly startEmpty?: boolean | undefined;
  /** Whether processes outlive the host (default), or are its own children. */
  readonly keeper?: boolean | undefined;
  /** Replace the host that runs in the home. */
  readonly takeOver?: boolean | undefined;
}

/** Options a host starts with. */
export interface HostParts {
  readonly home: string;
  readonly config: Config;
  /** The file that the configuration was read from, if it was named. */
  readonly configFile?: string | undefined;
  readonly token: string;
  readonly log: Log;
  /** Knows what the log shall not say. */
  readonly redactor: Redactor;
  /** Stops the host in an orderly way, as a signal does. */
  readonly onStopRequest: (work: RunningWork) => void;
  readonly startEmpty: boolean;
  readonly keeper: boolean;
  /** Whether the host before it closed the database in order, a moment ago. */
  readonly isTakenOver: boolean;
  /** Ends the host for a reason that it cannot recover from. */
  readonly onFatal: (error: StartError) => void;
}

/** A host that listens. `close` drains it, and keeps or ends what runs. */
export interface ListeningHost {
  readonly url: string;
  /** Makes an address that signs one browser in to the page, once. */
  signInUrl(): string;
  close(work: RunningWork): Promise<void>;
}

/** Starts a host that listens. */
export type StartHost = (parts: HostParts) => Promise<ListeningHost>;

/** A host that can be reached. */
export interface ReadyHost {
  readonly url: string;
  readonly home: string;
  /** Makes an address that signs one browser in, once; undefined where the host makes none. */
  readonly signInUrl: () => Promise<string | undefined>;
  /** The process it runs in, when that is not this one. */
  readonly otherPid?: number | undefined;
}

/** What serving needs of the world around it. */
export interface ServeContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly startHost: StartHost;
  readonly onStopRequest: (work: RunningWork) => void;
  /** Has something done when the process ends undrained; it must be synchronous. */
  readonly atExit: (cleanUp: () => void) => void;
  /** Ends the process for a reason that it cannot recover from. */
  readonly onFatal: (error: StartError) => void;
}

/** What came of it: this process serves until it is closed, or another one already does. */
export type ServeOutcome =
  | { readonly kind: "serving"; readonly ready: ReadyHost; close(work: RunningWork): Promise<void> }
  | { readonly kind: "already-running"; readonly ready: ReadyHost };

/** Starts the host of a home, unless it has one. */
export async function serve(options: ServeOptions, around: ServeContext): Promise<ServeOutcome> {
  const home = findHome(options.home, around.environment);
  try {
    return await serveIn(home, options, around);
  } catch (error) {
    throw explainStorageStart(error, home);
  }
}

async function serveIn(home: string, options: ServeOptions, around: ServeContext): Promise<ServeOutcome> {
  openHome(home, around.log);
  let before: HostFile | undefined;
  for (;;) {
    const attempt = await acquireLock(home).catch((error: unknown) => {
      throw explainHomeAccess(home, error);
    });
    if (attempt.kind === "held") {
      return serveHome(home, attempt.lock, sameOptions(options, before), around, before !== undefined);
    }
    const found = await waitForHost(home, attempt.holder);
    if (found !== undefined && options.takeOver === true) {
      before = found;
      checkSetup(home, sameOptions(options, found));
      await askToLeave(home, attempt.holder, found);
    } else if (found !== undefined) {
      const { url, pid } = found;
      warnOfIgnored(options, found, around.log);
      const ready = { url, home, otherPid: pid, signInUrl: () => askForSignIn(found, readToken(home)) };
      return { kind: "already-running", ready };
    }
  }
}

async function serveHome(
  home: string,
  lock: HomeLock,
  options: ServeOptions,
  around: ServeContext,
  isTakenOver: boolean,
): Promise<ServeOutcome> {
  let hasLeft = false;
  let isWritten = false;
  const leave = (): void => {
    // Once only: after the first time, host.json may be that of the next host.
    if (hasLeft) return;
    hasLeft = true;
    // One that a killed host left behind says that there was a database; it names no host that anybody would go to.
    if (isWritten) removeHostFile(home);
    lock.release();
  };
  around.atExit(leave);
  try {
    mentionHangReport(home, around.log);
    const started = await startHost(home, lock.holder, options, around, isTakenOver);
    isWritten = true;
    return {
      kind: "serving",
      ready: started.ready,
      async close(work): Promise<void> {
        // First, so that a second start waits for the lock and is not sent to a host that is going.
        removeHostFile(home);
        await started.close(work).finally(leave);
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
  { environment, log, redactor, startHost: start, onStopRequest, onFatal }: ServeContext,
  isTakenOver: boolean,
): Promise<{ ready: ReadyHost; close(work: RunningWork): Promise<void> }> {
  const config = configWith(home, options);
  const token = openToken(home, log);
  redactor.add(token);
  let host: ListeningHost | undefined;
  try {
    const startEmpty = options.startEmpty === true;
    const started = await start({
      home,
      config,
      configFile: options.config,
      token,
      log,
      redactor,
      onStopRequest,
      startEmpty,
      keeper: options.keeper !== false && !environment[noKeeperVariable] && config.keeper.enabled,
      isTakenOver,
      onFatal,
    });
    host = started;
    const configFile = options.config === undefined ? undefined : path.resolve(options.config);
    writeHostFile(home, holder, started.url, { ...options, config: configFile });
    const ready = { url: started.url, home, signInUrl: async () => started.signInUrl() };
    return { ready, close: (work) => started.close(work) };
  } catch (error) {
    await host?.close("keep");
    throw explainListenError(error, config.listen);
  }
}

/** The configuration, with what the arguments say instead. */
function configWith(home: string, options: ServeOptions): Config {
  const config = loadConfig(home, options.config);
  return { ...config, listen: chooseAddress(config, options) };
}

/**
 * Throws a `StartError` for a mistake in what a person sets a host up with. A host that is to be replaced is stopped
 * only after this: the next one would end with the mistake, and none would run (C895).
 */
export function checkSetup(home: string, options: ServeOptions): void {
  const config = configWith(home, options);
  checkOwnAgents(config);
  readRules(policyPath(home, config), config.policy !== undefined);
  try {
    ownNames(config.listen);
  } catch (error) {
    throw explainListenError(error, config.listen);
  }
}

/** How long a host may take to leave its home: a little more than the longest drain. */
const leaveMs = 25_000;
const leavePollMs = 5;

/** Has the running host stop and leave its agents and terminals to this one. */
async function askToLeave(home: string, holder: LockHolder, { url }: HostFile): Promise<void> {
  const isStopping = await requestStop(url, readToken(home), "keep");
  const deadline = performance.now() + (isStopping ? leaveMs : 0);
  while (isStillHeld(home, holder) && performance.now() < deadline) await delay(leavePollMs);
  if (!isStillHeld(home, holder)) return;
  throw new StartError(
    EXIT_CODES.fault,
    `The host of ${home} (process ${holder.pid}) does not stop. End it with: holdfast stop --keep`,
  );
}

/** The options of the host before, where the arguments name none: its clients come back to its address. */
function sameOptions(options: ServeOptions, before: HostFile | undefined): ServeOptions {
  if (before === undefined) return options;
  const { url, host, config, keeper } = before;
  const port = Number(new URL(url).port);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { port, host, config, keeper, ...Object.fromEntries(given) };
}

/** How long a running host may take to make a link. */
const linkTimeoutMs = 3000;

/** A link of a host that runs already; undefined where it makes none. One that does not respond is an error (C844). */
async function askForSignIn({ url, pid }: HostFile, token: string): Promise<string | undefined> {
  const { method, path: route } = OPERATIONS.createSignInLink;
  const headers = { "x-api-key": token };
  const signal = AbortSignal.timeout(linkTimeoutMs);
  try {
    const response = await fetch(url + route, { method, headers, signal });
    const answer = (await response.json()) as { readonly path?: unknown };
    return typeof answer.path === "string" ? url + answer.path : undefined;
  } catch (cause) {
    if (!signal.aborted) return undefined;
    throw new CommandError(
      "HOST_NOT_RESPONDING",
      `Holdfast is already running at ${url} (process ${pid}) and has not responded for ${linkTimeoutMs / 1000} s. End it with: holdfast stop`,
      { exitCode: EXIT_CODES.unreachable, cause },
    );
  }
}

/** Names the arguments that a host which runs already does not have (C844). */
function warnOfIgnored(options: ServeOptions, running: HostFile, log: Log): void {
  const { hostname, port } = new URL(running.url);
  const config = options.config === undefined ? undefined : path.resolve(options.config);
  const ignored = [
    ...(options.port === undefined || options.port === 0 || options.port === Number(port)
      ? []
      : [`--port ${options.port}`]),
    ...(options.host === undefined || options.host === (running.host ?? hostname)
      ? []
      : [`--host ${options.host}`]),
    ...(config === undefined || config === running.config ? [] : [`--config ${config}`]),
  ];
  if (ignored.length === 0) return;
  const verb = ignored.length === 1 ? "has" : "have";
  log(
    "warn",
    `${ignored.join(" and ")} ${verb} no effect: the host already runs at ${running.url}. Stop it first with \`holdfast stop --keep\`.`,
  );
}

export type ListenAddress = Config["listen"];

/** The address of the configuration, with what the arguments say instead. */
export function chooseAddress(
  { listen }: Config,
  { host = listen.host, port = listen.port }: { host?: string | undefined; port?: number | undefined },
): ListenAddress {
  return { ...listen, host, port };
}

/** Explains an error of listen() to a person; returns other errors unchanged. */
export function explainListenError(error: unknown, { host, port }: ListenAddress): Error {
  if (!(error instanceof Error)) return new Error("The host could not be started", { cause: error });
  if (error instanceof HostError && error.code === "HOST_NOT_ALLOWED") {
    return new StartError(EXIT_CODES.setup, error.message, { cause: error });
  }
  // The server wraps the system's error in another, which has a code too.
  const sentence =
    sentenceFor(systemCode(error.cause), host, port) ?? sentenceFor(systemCode(error), host, port);
  return sentence === undefined ? error : new StartError(EXIT_CODES.address, sentence, { cause: error });
}

function sentenceFor(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken by another program. Choose another with --port, or any free one with --port 0.`;
    case "EACCES":
      return `Port ${port} needs more privileges. Choose one above 1023, or any free one with --port 0.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `This machine has no address ${host} to listen on. Choose another with --host.`;
    default:
      return undefined;
  }
}
