// `holdfast ps`: the keeper of a home, the runs that it holds, and processes that no run owns any more (C724).
import type { ProcessList } from "@holdfast/protocol";
import type { Command } from "commander";
import { tableLines } from "../console.ts";
import { requireNamedHome } from "../link/find-host.ts";
import { type KeeperStatus, readKeeper } from "../link/keeper-link.ts";
import { listProcesses } from "../link/process-list.ts";
import { safeText } from "../safe-text.ts";
import { findHome } from "../serve/home.ts";
import { findHolder } from "../serve/lock.ts";
import { shortName } from "../short-name.ts";
import { ageWord } from "../time.ts";
import { type CommandContext, localCommand, type Runner } from "./command.ts";
import { count } from "../plural.ts";

export function addPs(program: Command, run: Runner): void {
  localCommand(program, "ps", "list the processes that the keeper holds, and those without an owner").action(
    run(list),
  );
}

async function list({ console, environment, home: option }: CommandContext): Promise<void> {
  requireNamedHome({ home: option }, environment);
  const home = findHome(option, environment);
  const keeper = await readKeeper(home);
  const host = findHolder(home);
  const { runs, unowned } = await listProcesses(home, keeper, host !== undefined);
  const listed = runs.map(describeRun);
  if (console.json) {
    const { runs: _runs, sandboxes = [], ...status } = keeper ?? {};
    return console.printJson({
      home,
      host: host?.pid ?? null,
      keeper: keeper === undefined ? null : { ...status, sandboxes: sandboxes.length },
      runs: listed,
      unowned,
    });
  }
  await console.print(describeKeeper(keeper, host?.pid));
  const columns = ["PID", "KIND", "STATE", "SESSION", "WHAT"].map((heading) => ({ heading }));
  const rows = [
    ...listed.map((each) => [`${each.pid}`, each.kind, each.state, each.session ?? "-", each.what]),
    ...unowned.map(({ pid, command }) => [`${pid}`, "-", "no owner", "-", command]),
  ];
  if (rows.length > 0) for (const line of tableLines(columns, rows, console.paint)) await console.print(line);
  if (unowned.length > 0 && host === undefined) console.note("`holdfast stop --all` ends what runs.");
}

function describeKeeper(keeper: KeeperStatus | undefined, hostPid: number | undefined): string {
  const host = hostPid === undefined ? "No host runs." : `Host: process ${hostPid}.`;
  if (keeper === undefined) return `${host} No keeper runs.`;
  const { pid, version, startedAtMs, memoryBytes, runs, epoch } = keeper;
  const age = ageWord(new Date(startedAtMs).toISOString(), Date.now());
  const held = `${count(runs.length, "run")}, ${Math.ceil(memoryBytes / 1024)} KiB of output`;
  return `${host} Keeper: process ${pid}, version ${version}, for ${age}, serving its host number ${epoch} since it started; holds ${held}.`;
}

/** A run with short names, as people write them. */
function describeRun({ kind, pid, state, what, session, terminal }: ProcessList["runs"][number]): {
  readonly kind: string;
  readonly pid: number;
  readonly state: string;
  readonly what: string;
  readonly session: string | null;
} {
  const named = terminal === undefined ? what : `${what} (${shortName(lastPart(terminal))})`;
  return {
    kind,
    pid,
    state,
    what: safeText(named),
    session: session === undefined ? null : shortName(lastPart(session)),
  };
}

/** The id at the end of a URI. */
function lastPart(uri: string): string {
  return uri.replace(/^.*[/:]/, "");
}
