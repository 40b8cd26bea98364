// `holdfast stop`: ends the host of a home and waits until it is gone (C57).
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHome } from "../serve/home.ts";
import { findRunningHost } from "../serve/host-file.ts";
import { findHolder, isStillHeld, type LockHolder } from "../serve/lock.ts";
import { systemCode } from "../serve/start-error.ts";
import { readToken } from "../serve/token.ts";
import { localCommand, wholeNumber, type Runner } from "./command.ts";

interface StopOptions {
  readonly timeout?: number;
}

/** A little more than the longest drain. */
const defaultTimeoutSeconds = 25;
const pollMs = 25;
/** What runs is only told: a host that does not answer is ended all the same. */
const askTimeoutMs = 2000;

/** Adds `stop`. */
export function addStop(program: Command, run: Runner): void {
  localCommand(program, "stop", "end the host; sessions are kept, what runs in them ends")
    .option(
      "--timeout <seconds>",
      `how long to wait for its end (default: ${defaultTimeoutSeconds})`,
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
          console.note(`Stopping the host of ${home} (process ${holder.pid})${describe(running)}.`);
          const progress = console.progress("Waiting for the host to end");
          try {
            await end(home, holder, timeout);
          } finally {
            progress.close();
          }
          if (console.json) return console.printJson({ stopped: true, home, pid: holder.pid, ...running });
          return console.note("It has ended; its sessions are kept.");
        },
      ),
    );
}

interface Running {
  readonly sessions: number;
  readonly terminals: number;
}

/** What the host's end would end; undefined when the host does not say. */
async function countRunning(home: string): Promise<Running | undefined> {
  try {
    const signal = AbortSignal.timeout(askTimeoutMs);
    const found = await Promise.race([findRunningHost(home), delay(askTimeoutMs, undefined, { ref: false })]);
    if (found === undefined) return undefined;
    const api = new Holdfast({ baseUrl: found.url, apiKey: readToken(home) });
    const [sessions, terminals] = await Promise.all([
      api.acpAgent.listSessions({ signal }),
      api.terminals.list({ signal }),
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

async function end(home: string, holder: LockHolder, timeoutSeconds: number): Promise<void> {
  const { pid } = holder;
  try {
    // Looked up again, so that no other process that got the number meanwhile is hit.
    if (isStillHeld(home, holder)) process.kill(pid, "SIGTERM");
  } catch (error) {
    if (systemCode(error) === "ESRCH") return;
    throw new CommandError(
      "STOP_NOT_ALLOWED",
      `The host is process ${pid}, which may not be ended from here.`,
      {
        exitCode: EXIT_CODES.refused,
        remedy: "Stop it as the user who started it.",
        cause: error,
      },
    );
  }
  const deadline = performance.now() + timeoutSeconds * 1000;
  while (isStillHeld(home, holder)) {
    if (performance.now() > deadline) {
      throw new CommandError(
        "STOP_TIMED_OUT",
        `The host (process ${pid}) still runs after ${timeoutSeconds} s.`,
        {
          exitCode: EXIT_CODES.fault,
          remedy: "`holdfast stop` once more ends it at once.",
        },
      );
    }
    await delay(pollMs);
  }
}
