// systemd of the user: the unit of the host and where it lies, and calls of systemctl (C80).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import { CommandError, systemCode } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const elsewhere =
  "Have another service manager run `holdfast serve`, which stops on SIGTERM; `holdfast service install --print` shows the unit.";
const timeoutMs = 45_000;

interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function requireSystemd(): Promise<void> {
  // Its exit code is the state of the system; what counts is that it answers at all.
  const { stdout, stderr } = await ask("is-system-running");
  if (stdout.trim() !== "" && stdout.trim() !== "offline") return;
  throw new CommandError(
    "SYSTEMD_NOT_RUNNING",
    `systemd does not run for you here: ${stderr.trim() || "it is offline"}.`,
    {
      exitCode: EXIT_CODES.declined,
      remedy: `If the machine runs systemd, run \`sudo loginctl enable-linger "$USER"\` and log in again. ${elsewhere}`,
    },
  );
}

/** Has systemctl do something; a refusal is an error in its words. */
export async function systemctl(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ask(...words);
  if (exitCode === 0) return stdout;
  throw new CommandError(
    "SYSTEMD_REFUSED",
    `systemctl --user ${words.join(" ")} failed: ${stderr.trim() || stdout.trim()}`,
    {
      exitCode: EXIT_CODES.declined,
      remedy: "`journalctl --user -u holdfast -n 20` shows the log of the service.",
    },
  );
}

async function ask(...words: readonly string[]): Promise<Answer> {
  const child = spawn("systemctl", ["--user", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
    timeout: timeoutMs,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  try {
    const [exitCode] = (await once(child, "close")) as [number | null];
    return { exitCode: exitCode ?? EXIT_CODES.fault, stdout, stderr };
  } catch (error) {
    const why = systemCode(error) === "ENOENT" ? "there is no systemctl" : String(error);
    throw new CommandError("SYSTEMD_MISSING", `This machine has no systemd: ${why}.`, {
      exitCode: EXIT_CODES.declined,
      remedy: elsewhere,
      cause: error,
    });
  }
}

export const UNIT_NAME = "holdfast.service";

/** The unit of the keeper: what it holds must not end with the host's. */
export const KEEPER_UNIT_NAME = "holdfast-keeper.service";

/** The process of the service; 0 when it does not run. */
export async function mainPid(): Promise<number> {
  const { exitCode, stdout } = await ask("show", UNIT_NAME, "--property=MainPID", "--value");
  return exitCode === 0 ? Number(stdout.trim()) : 0;
}

export async function restartService(): Promise<void> {
  await systemctl("restart", UNIT_NAME);
}

/**
 * Lifecycle of the service, for a user's unit and for the machine's alike. A drain lasts at most 20 s, and only the host
 * itself gets the signal: it ends its children. Wrong settings and a port that is taken do not get
 * better by trying again. The group that is delegated lets the kernel hold process trees together. What an agent
 * loses to the kernel for want of memory is no reason to stop the host.
 */
const life = [
  "Type=exec",
  "Restart=on-failure",
  "RestartSec=2",
  "RestartPreventExitStatus=2 3 10",
  "KillMode=mixed",
  "TimeoutStopSec=30",
  "Delegate=yes",
  "OOMPolicy=continue",
] as const;

/**
 * Lifecycle of the keeper. It is started before the host and stays when the host is stopped or restarted; stopping it
 * ends agents and terminals. A keeper that died is started again by the host's next restart, or by the host itself.
 */
const keeperLife = [
  "Type=exec",
  "KillMode=mixed",
  "TimeoutStopSec=30",
  "Delegate=yes",
  "OOMPolicy=continue",
] as const;

/** The unit of the keeper for the user who runs it; hosts start it, nothing else does. */
export function userKeeperUnit(command: readonly string[]): string {
  return [
    "# Holds the agents and terminals of Holdfast while the host restarts; made by `holdfast service install`.",
    "[Unit]",
    "Description=Holdfast keeper, which holds agents and terminals",
    "",
    "[Service]",
    `ExecStart=${command.map(quoteForSystemd).join(" ")}`,
    ...keeperLife,
    "",
  ].join("\n");
}

/**
 * The unit for the user who runs it. There is no more hardening in it: in a user's own manager each such setting also
 * sets NoNewPrivileges, and a person's terminals could not use sudo any more.
 */
export function userUnit(command: readonly string[]): string {
  return [
    "# Runs Holdfast for one user; made by `holdfast service install`.",
    "[Unit]",
    "Description=Holdfast, a host for coding agents",
    `Wants=${KEEPER_UNIT_NAME}`,
    `After=${KEEPER_UNIT_NAME}`,
    "StartLimitIntervalSec=60",
    "StartLimitBurst=5",
    "",
    "[Service]",
    `ExecStart=${command.map(quoteForSystemd).join(" ")}`,
    ...life,
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

export function unitPath(
  environment: Readonly<Record<string, string | undefined>>,
  name: string = UNIT_NAME,
): string {
  const { XDG_CONFIG_HOME: named = "", HOME: home = "" } = environment;
  // The specification has relative paths ignored.
  const folder = path.isAbsolute(named) ? named : path.join(home === "" ? homedir() : home, ".config");
  return path.join(folder, "systemd", "user", name);
}

/** A word of ExecStart: systemd reads quotes and backslashes as C does, and `%` and `$` as its own. */
function quoteForSystemd(word: string): string {
  const literal = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w./@%$+=:,-]+$/.test(literal)) return literal;
  return `"${literal.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`)}"`;
}
