// `holdfast service`: the host as a service of the user's own systemd (C80).
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHome } from "../serve/home.ts";
import { findHolder } from "../serve/lock.ts";
import { nodeFlags } from "../serve/process-identity.ts";
import {
  KEEPER_UNIT_NAME,
  requireSystemd,
  systemctl,
  UNIT_NAME,
  unitPath,
  userKeeperUnit,
  userUnit,
} from "../service/systemd.ts";
import { type CommandContext, localCommand, type Runner } from "./command.ts";

interface InstallOptions {
  readonly start: boolean;
  readonly print?: boolean;
}

/** Adds `service install`, `service uninstall` and `service status`. */
export function addService(program: Command, run: Runner): void {
  const service = program.command("service").description("run the host as a systemd user service");
  localCommand(service, "install", "install the unit and start the host now and at each login")
    .option("--print", "print the unit and change nothing")
    .option("--no-start", "write the unit without starting it")
    .action(run(install));
  localCommand(service, "uninstall", "stop the service and remove its unit").action(run(uninstall));
  localCommand(service, "status", "show whether the service is installed, enabled and running").action(
    run(status),
  );
}

async function install(context: CommandContext, { start, print = false }: InstallOptions): Promise<void> {
  const { console, environment } = context;
  const unit = userUnit(programWords(context, "serve"));
  const keeperUnit = userKeeperUnit(programWords(context, "keeper"));
  if (print) {
    return console.json ? console.printJson({ unit, keeperUnit }) : console.write(`${unit}\n${keeperUnit}`);
  }
  if (start) await requireSystemd();
  const file = unitPath(environment);
  writeUnit(unitPath(environment, KEEPER_UNIT_NAME), keeperUnit);
  writeUnit(file, unit);
  if (context.programPath.includes(`${path.sep}_npx${path.sep}`)) {
    console.warn(
      "this program lies in the cache of npx, which npm may clear: `npm install -g holdfast` first",
    );
  }
  const holder = findHolder(findHome(context.home, environment));
  if (start && holder !== undefined) {
    console.warn(
      `a host already runs (process ${holder.pid}), so the service has nothing to do; after \`holdfast stop\`, \`systemctl --user start holdfast\` starts it`,
    );
  }
  if (start) {
    await systemctl("daemon-reload");
    await systemctl("enable", "--now", UNIT_NAME);
  }
  if (console.json) return console.printJson({ file, started: start });
  await console.print(start ? `The service is installed and runs: ${file}` : `The unit is written: ${file}`);
  if (!start) {
    console.note(
      `\`systemctl --user daemon-reload && systemctl --user enable --now ${UNIT_NAME}\` starts it.`,
    );
  }
  console.note('`loginctl enable-linger "$USER"` keeps it running while you are logged out.');
}

async function uninstall({ console, environment }: CommandContext): Promise<void> {
  const file = unitPath(environment);
  if (!existsSync(file)) throw notInstalled(file);
  // A unit that systemd does not answer for is removed too; then nothing runs by it.
  const stopped = await systemctl("disable", "--now", UNIT_NAME).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    console.warn(error.message);
    return undefined;
  });
  // The keeper ends with everything it holds.
  if (stopped !== undefined) await systemctl("stop", KEEPER_UNIT_NAME);
  rmSync(file);
  rmSync(unitPath(environment, KEEPER_UNIT_NAME), { force: true });
  if (stopped !== undefined) await systemctl("daemon-reload");
  if (console.json) return console.printJson({ file, stopped: stopped !== undefined });
  return console.print(`The service is removed: ${file}`);
}

async function status({ console, environment }: CommandContext): Promise<number> {
  const file = unitPath(environment);
  if (!existsSync(file)) throw notInstalled(file);
  const properties = await systemctl("show", UNIT_NAME, "--property=ActiveState,UnitFileState,MainPID");
  const facts = new Map(
    properties
      .trim()
      .split("\n")
      .map((line) => line.split("=", 2) as [string, string]),
  );
  const active = facts.get("ActiveState") ?? "unknown";
  const enabled = facts.get("UnitFileState") === "enabled";
  const pid = Number(facts.get("MainPID") ?? 0);
  if (console.json) await console.printJson({ file, active, enabled, pid: pid === 0 ? null : pid });
  else {
    const where = pid === 0 ? "" : ` (process ${pid})`;
    await console.print(
      `${active}${where}, ${enabled ? "starts at login" : "does not start at login"}: ${file}`,
    );
  }
  return active === "active" ? EXIT_CODES.done : EXIT_CODES.unreachable;
}

/** The words that start this very program again, as the host or as its keeper. */
function programWords({ programPath, home }: CommandContext, command: "serve" | "keeper"): string[] {
  const place = home === undefined ? [] : ["--home", path.resolve(home)];
  return [process.execPath, ...nodeFlags(), programPath, command, ...place];
}

function writeUnit(file: string, unit: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, unit, { mode: 0o644 });
  } catch (error) {
    throw new CommandError("UNIT_NOT_WRITTEN", `${file} cannot be written: ${(error as Error).message}`, {
      exitCode: EXIT_CODES.setup,
      remedy: "`holdfast service install --print` prints the unit, so that you can install it by hand.",
      cause: error,
    });
  }
}

function notInstalled(file: string): CommandError {
  return new CommandError("SERVICE_NOT_INSTALLED", `There is no service: ${file} does not exist.`, {
    exitCode: EXIT_CODES.missing,
    remedy: "`holdfast service install` installs it.",
  });
}
