// `holdfast restart`: a new host replaces the running one, whose agents and terminals keep running (C721).
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { startHostProcess } from "../link/find-host.ts";
import { findHome } from "../serve/home.ts";
import { readHostFile, waitForHost } from "../serve/host-file.ts";
import { findHolder, type LockHolder } from "../serve/lock.ts";
import { mainPid, restartService, unitPath } from "../service/systemd.ts";
import { localCommand, type CommandContext, type Runner } from "./command.ts";

export function addRestart(program: Command, run: Runner): void {
  localCommand(
    program,
    "restart",
    "replace the host with a new one, of the same or another version; agents and terminals keep running",
  ).action(run(restart));
}

async function restart({ console, environment, home: option, programPath }: CommandContext): Promise<void> {
  const home = findHome(option, environment);
  const holder = findHolder(home);
  if (holder === undefined) {
    throw new CommandError("HOST_NOT_RUNNING", `No host runs in ${home}.`, {
      exitCode: EXIT_CODES.unreachable,
      remedy: "Start one with `holdfast serve`.",
    });
  }
  const progress = console.progress("Replacing the host");
  try {
    const isService = existsSync(unitPath(environment)) && (await mainPid()) === holder.pid;
    if (isService) await checkNext(home);
    const { url, pid } = await (isService
      ? restartByService(home, holder)
      : startHostProcess(home, programPath, ["--take-over"]));
    progress.close();
    if (console.json) return await console.printJson({ url, pid, replaced: holder.pid });
    console.note(`A new host runs at ${url} (process ${pid}, before: ${holder.pid}).`);
  } finally {
    progress.close();
  }
}

/** systemd stops the host before it starts the next one, which must be able to start (C895). */
async function checkNext(home: string): Promise<void> {
  // It has the code of the host, which other hosts are started without.
  const { checkSetup } = await import("../serve/serve.ts");
  const { host, config } = readHostFile(home) ?? {};
  checkSetup(home, { host, config });
}

const pollMs = 25;
/** A drain takes at most 20 s, and a start with a large database a few more. */
const serviceTimeoutMs = 45_000;

/** A host that systemd watches must be started by it. */
async function restartByService(
  home: string,
  before: LockHolder,
): Promise<{ readonly url: string; readonly pid: number }> {
  await restartService();
  const deadline = performance.now() + serviceTimeoutMs;
  while (performance.now() < deadline) {
    const holder = findHolder(home);
    const started =
      holder === undefined || holder.id === before.id ? undefined : await waitForHost(home, holder);
    if (started !== undefined) return started;
    await delay(pollMs);
  }
  throw new CommandError("HOST_DID_NOT_START", "The service was restarted, but no host listens yet.", {
    exitCode: EXIT_CODES.fault,
    remedy: "`journalctl --user -u holdfast -n 20` shows its log.",
  });
}
