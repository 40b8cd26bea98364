// The keeper of a home, for commands that look at it or end it without a host.
import { endKeeper as end, type KeeperStatus, keeperStatus } from "@holdfast/terminal/keeper";
import { TerminalError } from "@holdfast/terminal/port";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";

export { type KeeperStatus, watchKeeper } from "@holdfast/terminal/keeper";

/** The keeper of a home and its runs; undefined when none runs. */
export function readKeeper(home: string): Promise<KeeperStatus | undefined> {
  return keeperStatus(home).catch(explain);
}

/** Ends everything that the keeper of a home holds, and the keeper; false when none runs. */
export function endKeeper(home: string): Promise<boolean> {
  return end(home).catch(explain);
}

function explain(error: unknown): never {
  if (!(error instanceof TerminalError)) throw error;
  throw new CommandError("KEEPER_NOT_RESPONDING", `The keeper did not respond: ${error.message}.`, {
    exitCode: EXIT_CODES.unreachable,
    remedy: "Its log is keeper.log in the home. `holdfast doctor` shows its process.",
    cause: error,
  });
}
