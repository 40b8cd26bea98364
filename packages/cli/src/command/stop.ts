// `holdfast stop`: ends the host of a home and waits until it is gone (C57).
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import type { Command } from "commander";
import { CommandError, systemCode } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHome } from "../serve/home.ts";
import { readHostFile } from "../serve/host-file.ts";
import { findHolder, isStillHeld, type LockHolder } from "../serve/lock.ts";
import { readToken } from "../serve/token.ts";
import { localCommand, type Runner, wholeNumber } from "./command.ts";

interface StopOptions {
  readonly timeout?: number;
}

/** A little more than the longest drain. */
const defaultTimeoutSeconds = 25;
const pollMs = 25;
/** The count is only reported: a host that does not respond is ended too. */
const askTimeoutMs = 2000;
/** By default a second signal, or one to a host that hangs, ends it at once. */
const terminateMs = 3000;
const killGraceMs = 5000;

export function addStop(program: Command, run: Runner): void {
  localCommand(program, "stop", "stop the host; sessions are kept, running commands end")
    .option(
      "--timeout <seconds>",
      `how long it may take to stop before it is made to (default: ${defaultTimeoutSeconds})`,
      wholeNumber(1, 3600),
    )
    .action(
      run(
        async ({ console, environment, home: option }, { timeout = defaultTimeoutSeconds }: StopOptions) => {
          const home = findHome(option, environment);
          const holder = findHolder(home);
          if (holder === undefined) {
            if (console.json) return console.printJson({ stopped: false, home });
            return console.note(`No host runs in ${home}.`);
          }
          const running = await countRunning(home);
          console.note(`Asking the host of ${home} (process ${holder.pid}) to stop${describe(running)}.`);
          const progress = console.progress("Waiting for the host to end");
          const report = (line: string): void => {
            progress.close();
            if (!console.json) console.warn(line);
          };
          let by: StopMethod;
          try {
            by = await end(home, holder, timeout * 1000, report);
          } finally {
            progress.close();
          }
          const { pid } = holder;
          if (console.json) return console.printJson({ stopped: true, home, pid, by, ...running });
          return console.note("It has ended; its sessions are kept.");
        },
      ),
    );
}

interface Running {
  readonly sessions: number;
  readonly terminals: number;
}

/** Work that stopping the host would end; undefined when the host does not say. */
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

function describe(running: Running | undefined): string {
  if (running === undefined) return "";
  const { sessions, terminals } = running;
  return `, which ends ${count(sessions, "agent")} and ${count(terminals, "running terminal")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

type StopMethod = "request" | "SIGTERM" | "SIGKILL";

/** Asks the host to stop, then makes it stop: each step only when the one before has not ended it (C57). */
async function end(
  home: string,
  holder: LockHolder,
  timeoutMs: number,
  report: (line: string) => void,
): Promise<StopMethod> {
  const { pid } = holder;
  const isResponding = await requestStop(home);
  if (isResponding && (await hasEnded(home, holder, timeoutMs))) return "request";
  report(reasonToTerminate(isResponding, timeoutMs));
  signal(home, holder, "SIGTERM");
  // A host without host.json starts or stops, and may be as busy as that needs.
  const isBusy = isResponding === undefined;
  if (await hasEnded(home, holder, isBusy ? timeoutMs : terminateMs)) return "SIGTERM";
  report(`It still runs. Sending SIGKILL, which ends process ${pid} at once.`);
  signal(home, holder, "SIGKILL");
  if (await hasEnded(home, holder, killGraceMs)) return "SIGKILL";
  throw new CommandError("STOP_TIMED_OUT", `The host (process ${pid}) could not be ended, even by SIGKILL.`, {
    exitCode: EXIT_CODES.fault,
    remedy: "The system holds it, perhaps because of a disk that does not answer. Look at it with `ps`.",
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

/** Whether the host accepted the request; undefined when it does not listen. */
async function requestStop(home: string): Promise<boolean | undefined> {
  const place = readHostFile(home);
  if (place === undefined) return undefined;
  try {
    const { status } = await fetch(`${place.url}/admin/stop`, {
      method: "POST",
      headers: { "x-api-key": readToken(home) },
      signal: AbortSignal.timeout(askTimeoutMs),
    });
    return status === 202;
  } catch {
    // It hangs, or it ended just now: the next step finds out.
    return false;
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
      `The host is process ${holder.pid}, which may not be ended from here.`,
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
