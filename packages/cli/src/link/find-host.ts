// Search for the host that a command speaks to: the named one, the one of its home, or one started in the background (C15).
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHome, fullDiskCode, makeHome } from "../serve/home.ts";
import { findRunningHost, type HostFile, readHostFile } from "../serve/host-file.ts";
import { readToken } from "../serve/token.ts";
import { openOwnFile } from "../serve/whole-file.ts";
import type { HostPlace } from "./host-link.ts";

export interface HostChoice {
  /** `--url`, for a host elsewhere. */
  readonly url?: string | undefined;
  readonly home?: string | undefined;
}

export interface HostSearch {
  readonly choice: HostChoice;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly console: Console;
  /** Whether a host is started when none runs. */
  readonly mayStart: boolean;
  /** Whether it may be started in a home that was named and does not exist. */
  readonly mayMakeHome?: boolean;
  /** The file of this very program. */
  readonly programPath: string;
}

/** The host that was asked for; one that had to be started keeps running. */
export async function findHost(search: HostSearch): Promise<HostPlace> {
  const { choice, environment, console, mayStart, mayMakeHome = true, programPath } = search;
  const home = findHome(choice.home, environment);
  const url = choice.url ?? given(environment["HOLDFAST_URL"]);
  if (url !== undefined) return remotePlace(url, home, environment);
  const token = given(environment["HOLDFAST_TOKEN"]);
  const waiting = console.progress("Waiting for the host to start or stop");
  const running = await findRunningHost(home).finally(() => waiting.close());
  if (running !== undefined) return { url: running.url, token: token ?? readToken(home) };
  if (!mayStart) {
    throw new CommandError("HOST_NOT_RUNNING", `No host runs in ${home}.`, {
      exitCode: EXIT_CODES.unreachable,
      remedy: "Start one with `holdfast serve`, or name another with --home or --url.",
    });
  }
  if (!mayMakeHome) requireNamedHome(choice, environment);
  const progress = console.progress("Starting a host");
  try {
    requireWritable(home, environment);
    const started = await startInBackground(home, programPath);
    progress.close();
    console.note(`No host was running, so one was started: ${started.url} (\`holdfast stop\` ends it).`);
    return { url: started.url, token: token ?? started.token };
  } finally {
    progress.close();
  }
}

/** Whether the host of a search is that of a home on this machine, which a command may start. */
export function isOwnHost({ choice, environment, mayStart }: HostSearch): boolean {
  return mayStart && (choice.url ?? given(environment["HOLDFAST_URL"])) === undefined;
}

/**
 * The host of a home again: the one that runs by now, else one that is started if the last one crashed. A host that
 * was stopped has removed host.json, and somebody wanted that (C863).
 */
export async function reviveHost({
  choice,
  environment,
  programPath,
}: HostSearch): Promise<{ place: HostPlace; isNew: boolean } | undefined> {
  const home = findHome(choice.home, environment);
  const running = await findRunningHost(home);
  const token = given(environment["HOLDFAST_TOKEN"]);
  if (running !== undefined) {
    return { place: { url: running.url, token: token ?? readToken(home) }, isNew: false };
  }
  if (readHostFile(home) === undefined) return undefined;
  const started = await startInBackground(home, programPath);
  return { place: { url: started.url, token: token ?? started.token }, isNew: true };
}

/** The named host. It may be the one of the home, whose token is there (C886). */
function remotePlace(named: string, home: string, environment: HostSearch["environment"]): HostPlace {
  const url = readUrl(named);
  const ownToken = (): string | undefined => (readHostFile(home)?.url === url ? readToken(home) : undefined);
  const token = given(environment["HOLDFAST_TOKEN"]) ?? ownToken();
  if (token !== undefined) return { url, token };
  throw new CommandError("TOKEN_MISSING", `There is no token for ${url}.`, {
    exitCode: EXIT_CODES.refused,
    remedy: "Set HOLDFAST_TOKEN to its token, or to a key made there with `holdfast keys create`.",
  });
}

function readUrl(text: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === "http:" || url.protocol === "https:") return url.href.replace(/\/+$/, "");
  } catch {
    // Said below, together with addresses of other kinds.
  }
  throw new CommandError("WRONG_ARGUMENTS", `"${text}" is not the address of a host.`, {
    exitCode: EXIT_CODES.setup,
    remedy: "An address looks like http://127.0.0.1:4747.",
  });
}

/** An empty variable is one that was left empty. */
function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** The name of the file in the home that holds what such a host logs. */
const logFile = "host.log";

const lastLinesShown = 5;

/**
 * Starts the host of a home in another process; done when it listens. One that crashed left host.json behind: its
 * clients know its address, so that is tried first, with its other options (C833). Nobody chose the default port, so
 * where another program has it, any free one will do (C226).
 */
async function startInBackground(home: string, programPath: string): Promise<HostPlace> {
  const crashed = readHostFile(home);
  const options = crashed === undefined ? [] : optionsOf(crashed);
  const start = (...port: string[]): Promise<HostPlace> =>
    startHostProcess(home, programPath, [...options, ...port]);
  try {
    if (crashed !== undefined) return await start(...portOf(crashed));
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  try {
    return await start();
  } catch (error) {
    if (!isTaken(error) || !(await hasDefaultPort(home))) throw error;
    return start("--port", "0");
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof CommandError && error.exitCode === EXIT_CODES.address;
}

function portOf({ url }: HostFile): string[] {
  if (!URL.canParse(url)) return [];
  const { port, protocol } = new URL(url);
  return ["--port", port === "" ? String(protocol === "https:" ? 443 : 80) : port];
}

/** The options that a host was started with. */
function optionsOf({ host, config, keeper }: HostFile): string[] {
  return [
    ...(host === undefined ? [] : ["--host", host]),
    ...(config === undefined ? [] : ["--config", config]),
    ...(keeper === false ? ["--no-keeper"] : []),
  ];
}

async function hasDefaultPort(home: string): Promise<boolean> {
  // Only now: the configuration's schema is much code, which no other command needs.
  const { defaultConfig, loadConfig } = await import("../serve/config-file.ts");
  return loadConfig(home, undefined).listen.port === defaultConfig().listen.port;
}

/** There is nothing to read in a home that does not exist, and its name may be misspelt (C876). */
export function requireNamedHome({ home: option }: HostChoice, environment: HostSearch["environment"]): void {
  const isNamed = (option ?? given(environment["HOLDFAST_HOME"])) !== undefined;
  const home = findHome(option, environment);
  // The home is hidden from commands of agents, and another error says so (C640).
  const isAgents = environment["HOLDFAST_TERMINAL"] !== undefined;
  if (!isNamed || isAgents || existsSync(home)) return;
  throw new CommandError("HOME_NOT_FOUND", `The home ${home} does not exist.`, {
    exitCode: EXIT_CODES.setup,
    remedy: `Check the name, or start a host there with \`holdfast serve --home ${home}\`.`,
  });
}

/** Makes the home if it is missing. In an agent's sandbox it is hidden and cannot be written to (C640). */
function requireWritable(home: string, environment: HostSearch["environment"]): void {
  try {
    makeHome(home);
    accessSync(home, constants.W_OK);
  } catch (error) {
    if (fullDiskCode(error) !== undefined) throw noSpaceToStart(home, error);
    const isAgents = environment["HOLDFAST_TERMINAL"] !== undefined;
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      "HOME_NOT_WRITABLE",
      `No host runs in ${home}, which cannot be written to (${code}).`,
      {
        exitCode: EXIT_CODES.setup,
        remedy: isAgents
          ? "Agents and their commands cannot see the host's home. Use your own terminal."
          : "Make the folder writable, or name another with --home.",
      },
    );
  }
}

/** More than a host writes to its log to say why it does not start. */
const probeBytes = 64 * 1024;

/** The error of a home without space for a host; its log has no reason then, because it is on the same disk (C862). */
function findFullDisk(home: string): CommandError | undefined {
  const file = path.join(home, `space.${randomUUID()}`);
  try {
    writeFileSync(file, Buffer.alloc(probeBytes), { flag: "wx", mode: 0o600 });
    return undefined;
  } catch (error) {
    return fullDiskCode(error) === undefined ? undefined : noSpaceToStart(home, error);
  } finally {
    rmSync(file, { force: true });
  }
}

function noSpaceToStart(home: string, error: unknown): CommandError {
  return new CommandError(
    "NO_SPACE_LEFT",
    `The host did not start: there is no space left on the disk of its home ${home} (${fullDiskCode(error)}).`,
    {
      exitCode: EXIT_CODES.setup,
      remedy: "Free space there, or name a home on another disk with --home.",
      cause: error,
    },
  );
}

/** A host in a separate process. */
export interface StartedHost extends HostPlace {
  readonly pid: number;
}

/** Starts a host in another process, which outlives this one; done when it listens. */
export async function startHostProcess(
  home: string,
  programPath: string,
  options: readonly string[] = [],
): Promise<StartedHost> {
  const logPath = path.join(home, logFile);
  const log = openLog(home, logPath);
  const before = fstatSync(log).size;
  const words = [...process.execArgv, programPath, "serve", "--json", "--home", home, ...options];
  const child = spawn(process.execPath, words, {
    // The host outlives this folder's interest: it must not keep it from being unmounted.
    cwd: home,
    detached: true,
    stdio: ["ignore", "pipe", log],
  });
  closeSync(log);
  const { stdout } = child;
  if (stdout === null) throw new TypeError("The pipe that was asked for is not there.");
  const lines = createInterface({ input: stdout });
  const ended = once(child, "exit").then(() => undefined);
  const ready = once(lines, "line").then(([line]) => line as string);
  const line = await Promise.race([ready, ended]);
  lines.close();
  stdout.destroy();
  child.unref();
  if (line !== undefined) {
    return { url: (JSON.parse(line) as HostPlace).url, token: readToken(home), pid: child.pid ?? 0 };
  }
  const { exitCode, signalCode } = child;
  if (exitCode !== EXIT_CODES.address) {
    const full = findFullDisk(home);
    if (full !== undefined) throw full;
  }
  const end = signalCode ?? `exit code ${exitCode}`;
  const reason = lastLines(logPath, before) ?? `  It ended (${end}) and wrote nothing to its log.`;
  throw new CommandError("HOST_DID_NOT_START", `The host did not start:\n${reason}`, {
    exitCode: exitCode ?? EXIT_CODES.fault,
    remedy: `The full log is ${logPath}; \`holdfast doctor\` looks for the cause.`,
  });
}

function openLog(home: string, file: string): number {
  try {
    return openOwnFile(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  } catch (error) {
    throw fullDiskCode(error) === undefined ? error : noSpaceToStart(home, error);
  }
}

/** The last lines after an offset, if there are any: those before it are of earlier hosts. */
function lastLines(file: string, offsetBytes: number): string | undefined {
  const text = readFileSync(file).subarray(offsetBytes).toString().trimEnd();
  if (text === "") return undefined;
  return text
    .split("\n")
    .slice(-lastLinesShown)
    .map((line) => `  ${messageOf(line)}`)
    .join("\n");
}

/** A line of the log is JSON with a message; anything else was not written by the log. */
function messageOf(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === "string" ? message : line;
  } catch {
    return line;
  }
}
