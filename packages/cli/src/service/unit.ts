// The systemd unit of the host: the text, and where a user's units lie (C80).
import { homedir } from "node:os";
import path from "node:path";

/** The name of the unit. */
export const UNIT_NAME = "holdfast.service";

/**
 * How the service lives, for a user's unit and for the machine's alike. A drain takes up to 20 s, and only the host
 * itself is told to begin it: its children are ended by the host. Wrong settings and a port that is taken do not get
 * better by trying again. The group that is delegated lets the kernel hold process trees together. What an agent
 * loses to the kernel for want of memory is no reason to stop the host.
 */
const life = [
  "Type=exec",
  "Restart=on-failure",
  "RestartSec=2",
  "RestartPreventExitStatus=2 3",
  "KillMode=mixed",
  "TimeoutStopSec=30",
  "Delegate=yes",
  "OOMPolicy=continue",
] as const;

/**
 * The unit for the user who runs it. There is no more hardening in it: in a user's own manager each such setting also
 * sets NoNewPrivileges, and a person's terminals could not use sudo any more.
 */
export function userUnit(command: readonly string[]): string {
  return [
    "# Runs Holdfast for one user; made by `holdfast service install`.",
    "[Unit]",
    "Description=Holdfast, a host for coding agents",
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

/** The file of the user's unit. */
export function unitPath(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: named = "", HOME: home = "" } = environment;
  // The specification has relative paths ignored.
  const folder = path.isAbsolute(named) ? named : path.join(home === "" ? homedir() : home, ".config");
  return path.join(folder, "systemd", "user", UNIT_NAME);
}

/** A word of ExecStart: systemd reads quotes and backslashes as C does, and `%` and `$` as its own. */
function quoteForSystemd(word: string): string {
  const literal = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w./@%$+=:,-]+$/.test(literal)) return literal;
  return `"${literal.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`)}"`;
}
