// `holdfast stop`: ends the host of a home, with what runs in it or without, and waits until it is gone (C57, C722).
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import type { RunningWork } from "@holdfast/server";
import { type Command, Option } from "commander";
import { CommandError, systemCode } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { confirm } from "../keyboard.ts";
import { endKeeper, readKeeper, watchKeeper } from "../link/keeper-link.ts";
import { findHome } from "../serve/home.ts";
import { readHostFile, removeHostFile } from "../serve/host-file.ts";
import { findHolder, isStillHeld, type LockHolder } from "../serve/lock.ts";
import { requestStop } from "../serve/stop-request.ts";
import { readToken } from "../serve/token.ts";
import { type CommandContext, localCommand, type Runner, wholeNumber } from "./command.ts";
import { count } from "../plural.ts";

interface StopOptions {
  readonly timeout?: number;
  readonly keep?: boolean;
  readonly all?: boolean;
}

/** A little more than the longest drain. */
const defaultTimeoutSeconds = 25;
const pollMs = 25;
/** The count is only reported: a host that does not respond is ended too. */
const askTimeoutMs = 5000;
/** From SIGTERM to SIGKILL, for a host that did not end when it was asked to. */
const terminateMs = 3000;
const killGraceMs = 5000;

export function addStop(program: Command, run: Runner): void {
  localCommand(program, "stop", "stop the host; asks whether to end what runs in it")
    .option("--keep", "keep agents and terminals running, for the next host")
    .addOption(new Option("--all", "end agents and terminals as well").conflicts("keep"))
    .option(
      "--timeout <seconds>",
      `seconds to wait before the host is ended with SIGTERM and SIGKILL (default: ${defaultTimeoutSeconds})`,
      wholeNumber(1, 3600),
    )
    .action(run(stop));
}

async function stop(
  { console, environment, home: option }: CommandContext,
  options: StopOptions,
): Promise<void> {
  const { timeout = defaultTimeoutSeconds } = options;
  const home = findHome(option, environment);
  const holder = findHolder(home);
  if (holder === undefined) return stopKeeper(console, home, options);
  const running = await countRunning(home);
  const work = await chooseWork(console, options, running);
  console.note(`Asking the host of ${home} (process ${holder.pid}) to stop${describe(running, work)}.`);
  const whenKeeperGone = watchKeeper(home);
  const progress = console.progress("Waiting for the host to end");
  const report = (line: string): void => {
    progress.close();
    if (!console.json) console.warn(line);
  };
  let by: StopMethod;
  try {
    by = await end(home, holder, timeout * 1000, work, report);
  } finally {
    progress.close();
  }
  if (work === "end") {
    // A host that was killed could not end what it ran.
    await endKeeper(home);
    await whenKeeperGone();
  }
  const { pid } = holder;
  if (console.json) return console.printJson({ stopped: true, home, pid, by, work, ...running });
  return console.note(
    work === "end" || countOf(running) === 0
      ? "It has ended; its sessions are kept."
      : "It has ended; what ran in it keeps running, and the next host continues with it.",
  );
}

/** No host runs, but an earlier one may have left agents and terminals. */
async function stopKeeper(console: Console, home: string, { all = false }: StopOptions): Promise<void> {
  const held = await readKeeper(home);
  const runs = held?.runs.length ?? 0;
  const isEnded = all && held !== undefined && (await endKeeper(home));
  const left = runs > 0 ? { runs, ended: isEnded } : {};
  if (console.json) return console.printJson({ stopped: false, home, ...left });
  if (runs === 0) return console.note(`No host runs in ${home}.`);
  if (isEnded) return console.note(`No host runs in ${home}; ${wordsForRuns(runs)} of an earlier one ended.`);
  return console.warn(
    `No host runs in ${home}, but ${wordsForRuns(runs)} of an earlier one still ${runs === 1 ? "runs" : "run"}. ` +
      "`holdfast serve` continues them; `holdfast stop --all` ends them.",
  );
}

function wordsForRuns(runs: number): string {
  return count(runs, "agent or terminal", "agents and terminals");
}

/** Ends running work only on request. */
async function chooseWork(
  console: Console,
  { keep, all }: StopOptions,
  running: Running | undefined,
): Promise<RunningWork> {
  if (keep === true) return "keep";
  if (all === true || countOf(running) === 0) return "end";
  if (!console.canAsk) return "keep";
  const what = running === undefined ? "what runs in it" : wordsFor(running);
  const rest = countOf(running) === undefined || countOf(running) === 1 ? "it" : "them";
  return (await confirm(
    console,
    `End ${what} as well? Otherwise the next host continues with ${rest}.`,
    false,
  ))
    ? "end"
    : "keep";
}

interface Running {
  readonly sessions: number;
  readonly terminals: number;
}

/** Work that runs in the host; undefined if it does not respond. */
async function countRunning(home: string): Promise<Running | undefined> {
  try {
    const found = readHostFile(home);
    if (found === undefined) return undefined;
    const api = new Holdfast({ baseUrl: found.url, apiKey: readToken(home) });
    const [sessions, terminals] = await Promise.all([
      api.acpAgent.listSessions({ signal: AbortSignal.timeout(askTimeoutMs) }),
      api.terminals.list({ signal: AbortSignal.timeout(askTimeoutMs) }),
    ]);
    return {
      sessions: sessions.filter(({ state }) => state === "ready" || state === "initializing").length,
      terminals: terminals.filter(({ lifecycle }) => lifecycle.status === "running").length,
    };
  } catch {
    // It starts, drains or hangs. The number was only worth a word.
    return undefined;
  }
}

function describe(running: Running | undefined, work: RunningWork): string {
  if (running === undefined || countOf(running) === 0) return "";
  const words = wordsFor(running);
  return work === "end"
    ? `, which ends ${words}`
    : `; ${words} ${countOf(running) === 1 ? "keeps" : "keep"} running`;
}

/** How much runs; undefined when nobody knows. */
function countOf(running: Running | undefined): number | undefined {
  return running && running.sessions + running.terminals;
}

function wordsFor({ sessions, terminals }: Running): string {
  const counts = [
    ...(sessions === 0 ? [] : [count(sessions, "agent")]),
    ...(terminals === 0 ? [] : [count(terminals, "running terminal")]),
  ];
  return counts.join(" and ");
}

type StopMethod = "request" | "SIGTERM" | "SIGKILL";

/** Asks the host to stop, then makes it stop: each step only when the one before has not ended it (C57). */
async function end(
  home: string,
  holder: LockHolder,
  timeoutMs: number,
  work: RunningWork,
  report: (line: string) => void,
): Promise<StopMethod> {
  const { pid } = holder;
  const place = readHostFile(home);
  const isResponding = place && (await requestStop(place.url, readToken(home), work));
  if (isResponding && (await hasEnded(home, holder, timeoutMs))) return "request";
  report(reasonToTerminate(isResponding, timeoutMs));
  signal(home, holder, "SIGTERM");
  // A host without host.json starts or stops, and may be as busy as that needs.
  const isBusy = isResponding === undefined;
  if (await hasEnded(home, holder, isBusy ? timeoutMs : terminateMs)) return "SIGTERM";
  report(`It still runs. Sending SIGKILL, which ends process ${pid} at once.`);
  signal(home, holder, "SIGKILL");
  if (await hasEnded(home, holder, killGraceMs)) {
    // It could not remove it, and a host.json that is left behind is that of a crash (C863).
    if (findHolder(home) === undefined) removeHostFile(home);
    return "SIGKILL";
  }
  throw new CommandError("STOP_TIMED_OUT", `The host (process ${pid}) could not be ended, even by SIGKILL.`, {
    exitCode: EXIT_CODES.fault,
    remedy: "The kernel blocks it, perhaps because of a disk that does not respond. Inspect it with `ps`.",
  });
}

function reasonToTerminate(isResponding: boolean | undefined, timeoutMs: number): string {
  switch (isResponding) {
    case undefined:
      return "The host is starting or stopping; forcing it to stop.";
    case false:
      return "It does not respond. Sending SIGTERM.";
    case true:
      return `The host has not stopped after ${timeoutMs / 1000} s; forcing it to stop.`;
  }
}

function signal(home: string, holder: LockHolder, name: NodeJS.Signals): void {
  try {
    // Looked up again, so that no other process that got the number meanwhile is hit.
    if (isStillHeld(home, holder)) process.kill(holder.pid, name);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return;
    throw new CommandError(
      "STOP_NOT_ALLOWED",
      `The host is process ${holder.pid}, which you are not permitted to end.`,
      {
        exitCode: EXIT_CODES.refused,
        remedy: "Stop it as the user who started it.",
        cause: error,
      },
    );
  }
}

async function hasEnded(home: string, holder: LockHolder, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isStillHeld(home, holder)) {
    if (performance.now() > deadline) return false;
    await delay(pollMs);
  }
  return true;
}
