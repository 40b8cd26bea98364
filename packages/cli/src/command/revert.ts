// `holdfast revert`: undoes changes in a session's folder, by file or by hunk (C741).
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { hostCommand, type Runner } from "./command.ts";
import { resolveSession } from "./session-name.ts";
import { count } from "../plural.ts";

interface RevertOptions {
  readonly turn?: string;
  readonly hunk?: readonly string[];
}

export function addRevert(program: Command, run: Runner): void {
  hostCommand(program, "revert", "undo changes in a session's folder")
    .argument("<session>", "key of the session, or a prefix of its name")
    .argument("<path...>", "files, as `holdfast changes` lists them")
    .option("--turn <turn>", "undo only what this turn changed: its number, from 1")
    .option("--hunk <id...>", "only these hunks of one file, as `holdfast changes --diff` names them")
    .action(
      run(async ({ console, host }, word: string, paths: string[], { turn, hunk }: RevertOptions) => {
        if (hunk !== undefined && paths.length !== 1) {
          throw new CommandError("WRONG_ARGUMENTS", "--hunk needs exactly one path.", {
            exitCode: EXIT_CODES.setup,
            remedy: "Revert the hunks of each file separately.",
          });
        }
        const { api } = await host({ mayStart: false });
        const sessionKey = await resolveSession(api, word);
        const files = paths.map((path) => ({ path, ...(hunk !== undefined && { hunks: [...hunk] }) }));
        const summary = await api.changes.revert(sessionKey, files, { turn });
        if (console.json) return console.printJson({ session_key: sessionKey, summary });
        return console.print(`Reverted. ${count(summary.files, "file is", "files are")} still changed.`);
      }),
    );
}
