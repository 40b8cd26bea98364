// Checks of what runs commands: Node, pseudo-terminals, the login shell and shells with integration.
import path from "node:path";
import { accountShell } from "@holdfast/terminal/shell-integration";
import { messageOf } from "../command-error.ts";
import { findProgram, installCommand } from "./find-program.ts";
import { fix, note, ok, type CheckResult } from "./finding.ts";
import { probe, type Machine } from "./machine.ts";

/** The oldest Node that Holdfast runs on. */
const floor = { major: 20, minor: 19 } as const;

export async function examineNode({ nodeVersion }: Pick<Machine, "nodeVersion">): Promise<CheckResult> {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  if (major > floor.major || (major === floor.major && minor >= floor.minor)) return ok(`v${nodeVersion}`);
  return fix(`v${nodeVersion} is too old: Holdfast needs ${floor.major}.${floor.minor} or newer`, {
    remedy: "Install a newer Node from https://nodejs.org, or with a version manager.",
    command: "nvm install --lts",
  });
}

/** Succeeds only where its input is a terminal, and says which. */
const script = "test -t 0 && tty && stty size";

export async function examinePty({
  processPort,
  platform,
}: Pick<Machine, "processPort" | "platform">): Promise<CheckResult> {
  if (platform === "win32") {
    return note("pseudo-terminals are not supported on Windows; commands on pipes are");
  }
  try {
    const { output, exitCode } = await probe(processPort, {
      kind: "tty",
      command: "/bin/sh",
      args: ["-c", script],
    });
    const [device = "", size = ""] = output.split(/\r?\n/);
    if (exitCode === 0) {
      return ok(`opened ${device} (${size.split(" ").toReversed().join("×")}) and ran a command in it`);
    }
    return broken(`a command in a terminal failed: ${output}`);
  } catch (error) {
    return broken(`no terminal can be opened: ${messageOf(error)}`);
  }
}

function broken(summary: string): CheckResult {
  return fix(summary, {
    remedy: "The native part comes as an optional package, which an install may have left out.",
    command: "npm install -g holdfast --include=optional",
  });
}

/** Shells that can be asked for the environment that they set up. */
const askable = new Set(["bash", "zsh", "fish", "sh", "dash", "ksh", "mksh"]);

/** A profile that takes this long is cut off at four seconds on a slow day. */
const slowProfileMs = 3500;

export async function examineLoginShell({
  environment,
  processPort,
}: Pick<Machine, "environment" | "processPort">): Promise<CheckResult> {
  const shell = environment["SHELL"] ?? accountShell();
  const name = path.basename(shell);
  const better = INTEGRATED_SHELLS.map((each) => findProgram(each, environment)).find(
    (file) => file !== undefined,
  );
  const cure =
    better === undefined
      ? { remedy: "Install bash, and make it your login shell.", command: installCommand("bash") }
      : { remedy: `For one host alone: SHELL=${better} holdfast serve`, command: `chsh -s ${better}` };
  if (findProgram(shell, environment) === undefined || !askable.has(name)) {
    const what = askable.has(name) ? "is not there" : "is not known";
    return note(
      `${shell} ${what}: agents get the host's environment instead of yours, and terminals do not report commands`,
      cure,
    );
  }
  const began = performance.now();
  await processPort.buildEnvironment({ audience: "person", hasScreen: false });
  const tookMs = Math.round(performance.now() - began);
  if (tookMs > slowProfileMs) {
    return note(
      `${shell} takes ${tookMs} ms to start; the host waits at most 4000 ms, then uses its own environment`,
      {
        remedy: "Check what in your profile takes so long.",
        command: `time ${shell} -i -l -c exit`,
      },
    );
  }
  if (INTEGRATED_SHELLS.some((each) => each === name)) {
    return ok(`${shell}, reports its commands (${tookMs} ms to start)`);
  }
  return note(`${shell} has no integration: terminals work, but do not report commands and exit codes`, cure);
}

/** Shells whose integration marks where commands begin and end. */
const INTEGRATED_SHELLS = ["bash", "zsh", "fish"] as const;

export async function examineShells({ environment }: Pick<Machine, "environment">): Promise<CheckResult> {
  const found = INTEGRATED_SHELLS.filter((name) => findProgram(name, environment) !== undefined);
  const missing = INTEGRATED_SHELLS.filter((name) => !found.includes(name));
  if (found.length === 0) {
    return note("none of bash, zsh and fish is installed: terminals do not report commands and exit codes", {
      command: installCommand("bash"),
    });
  }
  const rest = missing.length === 0 ? "" : `; not installed: ${missing.join(", ")}`;
  return ok(`integration for ${found.join(", ")}${rest}`);
}
