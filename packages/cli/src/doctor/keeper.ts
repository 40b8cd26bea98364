// The check of the keeper: whether it answers, which version it has, and what it holds.
import { messageOf } from "../command-error.ts";
import { readKeeper } from "../link/keeper-link.ts";
import { findHolder } from "../serve/lock.ts";
import { VERSION } from "../version.ts";
import { fix, note, ok, type CheckResult } from "./finding.ts";
import type { Machine } from "./machine.ts";
import { count } from "../plural.ts";

export async function examineKeeper({
  home,
  config,
}: Pick<Machine, "home" | "config">): Promise<CheckResult> {
  let keeper;
  try {
    keeper = await readKeeper(home);
  } catch (error) {
    return fix(`does not respond: ${messageOf(error)}`, {
      remedy: "Ending it ends agents and terminals; its log is keeper.log in the home.",
      command: "holdfast stop --all",
    });
  }
  if (keeper === undefined) {
    if (!config.keeper.enabled) return note("is switched off: agents and terminals end with the host");
    return ok("does not run; the host starts it");
  }
  const { pid, version, runs } = keeper;
  const holds = `process ${pid} holds ${count(runs.length, "run")}`;
  if (version !== VERSION) {
    return note(
      `${holds}; it has version ${version}, this program ${VERSION}. It works, and is replaced once it holds nothing`,
    );
  }
  if (runs.length > 0 && findHolder(home) === undefined) {
    return note(`${holds} of a host that is gone`, { command: "holdfast serve" });
  }
  return ok(holds);
}
