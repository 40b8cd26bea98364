// Examines the shells that can tell of their commands: which of them are installed.
import { findProgram, installCommand } from "./find-program.ts";
import { note, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

/** Shells that can tell where their commands begin and end. */
export const INTEGRATED_SHELLS = ["bash", "zsh", "fish"] as const;

/** Which of the shells that tell of their commands are installed. */
export async function examineShells({ environment }: Pick<Surroundings, "environment">): Promise<Verdict> {
  const found = INTEGRATED_SHELLS.filter((name) => findProgram(name, environment) !== undefined);
  const missing = INTEGRATED_SHELLS.filter((name) => !found.includes(name));
  if (found.length === 0) {
    return note(
      "none of bash, zsh and fish is installed: terminals tell nothing of commands and exit codes",
      {
        command: installCommand("bash"),
      },
    );
  }
  const rest = missing.length === 0 ? "" : `; not installed: ${missing.join(", ")}`;
  return ok(`integration for ${found.join(", ")}${rest}`);
}
