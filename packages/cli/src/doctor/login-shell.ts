// Examines the login shell, whose environment agents and terminals get.
import { userInfo } from "node:os";
import path from "node:path";
import { findProgram, installCommand } from "./find-program.ts";
import { note, ok, type Verdict } from "./finding.ts";
import { INTEGRATED_SHELLS } from "./shells.ts";
import type { Surroundings } from "./surroundings.ts";

/** Shells that can be asked for the environment that they set up. */
const askable = new Set(["bash", "zsh", "fish", "sh", "dash", "ksh", "mksh"]);

/** A profile that takes this long is cut off at four seconds on a slow day. */
const slowProfileMs = 3500;

/** Whether the login shell is one that Holdfast knows. */
export async function examineLoginShell({
  environment,
  keeper,
}: Pick<Surroundings, "environment" | "keeper">): Promise<Verdict> {
  const shell = environment["SHELL"] ?? userInfo().shell ?? "/bin/sh";
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
      `${shell} ${what}: agents get the environment of the host instead of yours, and terminals tell nothing of commands`,
      cure,
    );
  }
  const began = performance.now();
  await keeper.buildEnvironment({ audience: "person", hasScreen: false });
  const tookMs = Math.round(performance.now() - began);
  if (tookMs > slowProfileMs) {
    return note(`${shell} takes ${tookMs} ms to start; after 4000 ms its environment is done without`, {
      remedy: "See what in your profile takes so long.",
      command: `time ${shell} -i -l -c exit`,
    });
  }
  if (INTEGRATED_SHELLS.some((each) => each === name)) {
    return ok(`${shell}, which tells of its commands (${tookMs} ms to start)`);
  }
  return note(
    `${shell} has no integration: terminals work, but tell nothing of commands and exit codes`,
    cure,
  );
}
