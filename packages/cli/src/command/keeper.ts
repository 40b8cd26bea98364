// `holdfast keeper`: runs the keeper of a home in the foreground, for service managers (C80).
import { runKeeper } from "@holdfast/terminal/keeper";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHome } from "../serve/home.ts";
import { VERSION } from "../version.ts";
import { localCommand, type Runner } from "./command.ts";

/** Exit code of a keeper that found another one for its home. */
const secondKeeperCode = 3;

export function addKeeper(program: Command, run: Runner): void {
  localCommand(
    program,
    "keeper",
    "run the process that holds agents and terminals, for a service; hosts start one themselves",
  ).action(
    run(async ({ environment, home: option }) => {
      const home = findHome(option, environment);
      const exitCode = await runKeeper(home, VERSION);
      if (exitCode !== secondKeeperCode) return exitCode;
      throw new CommandError("KEEPER_RUNNING", `A keeper already holds what runs in ${home}.`, {
        exitCode: EXIT_CODES.setup,
        remedy: "`holdfast ps` shows it; `holdfast stop --all` ends it with everything it holds.",
      });
    }),
  );
}
