// `holdfast ps`: the keeper of a home, the runs that it holds, and processes that no run owns any more (C724).
import type { Command } from "commander";
import { tableLines } from "../console.ts";
import { type KeeperStatus, readKeeper } from "../link/keeper-link.ts";
import { safeText } from "../safe-text.ts";
import { findHome } from "../serve/home.ts";
import { findHolder } from "../serve/lock.ts";
import { shortName } from "../short-name.ts";
import { ageWord } from "../time.ts";
import { type CommandContext, localCommand, type Runner } from "./command.ts";

export function addPs(program: Command, run: Runner): void {
  localCommand(program, "ps", "list the processes that the keeper holds, and those without an owner").action(
    run(list),
  );
}

/** One held run, as far as the host's notes on it can be read. */
interface ListedRun {
  readonly kind: string;
  readonly pid: number;
  readonly state: "running" | "exited";
  readonly what: string;
  readonly session: string | null;
  readonly marker: string | undefined;
}

async function list({ console, environment, home: option }: CommandContext): Promise<void> {
  const home = findHome(option, environment);
  const keeper = await readKeeper(home);
  const host = findHolder(home);
  const runs = (keeper?.runs ?? []).map(describeRun);
  // The children of a host without a keeper are its own.
  const isOwned = host !== undefined && keeper === undefined;
  const unowned = isOwned ? [] : await findUnowned(home, runs);
  if (console.json) {
    const { runs: _runs, sandboxes = [], ...status } = keeper ?? {};
    return console.printJson({
      home,
      host: host?.pid ?? null,
      keeper: keeper === undefined ? null : { ...status, sandboxes: sandboxes.length },
      runs: runs.map(({ marker: _marker, ...each }) => each),
      unowned,
    });
  }
  await console.print(describeKeeper(keeper, host?.pid));
  const columns = ["PID", "KIND", "STATE", "SESSION", "WHAT"].map((heading) => ({ heading }));
  const rows = [
    ...runs.map((each) => [`${each.pid}`, each.kind, each.state, each.session ?? "-", each.what]),
    ...unowned.map(({ pid, command }) => [`${pid}`, "-", "no owner", "-", safeText(command)]),
  ];
  if (rows.length > 0) for (const line of tableLines(columns, rows, console.paint)) await console.print(line);
  if (unowned.length > 0 && host === undefined) console.note("`holdfast stop --all` ends what runs.");
}

async function findUnowned(
  home: string,
  runs: readonly ListedRun[],
): Promise<{ readonly pid: number; readonly command: string }[]> {
  // Only now: it brings the code of the host with it.
  const { findMarkedProcesses } = await import("../link/marked-processes.ts");
  const owned = new Set(runs.map(({ marker }) => marker));
  return findMarkedProcesses(home)
    .filter(({ marker }) => !owned.has(marker))
    .map(({ pid, command }) => ({ pid, command }));
}

function describeKeeper(keeper: KeeperStatus | undefined, hostPid: number | undefined): string {
  const host = hostPid === undefined ? "No host runs." : `Host: process ${hostPid}.`;
  if (keeper === undefined) return `${host} No keeper runs.`;
  const { pid, version, startedAtMs, memoryBytes, runs, epoch } = keeper;
  const age = ageWord(new Date(startedAtMs).toISOString(), Date.now());
  const held = `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${Math.ceil(memoryBytes / 1024)} KiB of output`;
  return `${host} Keeper: process ${pid}, version ${version}, for ${age}, host number ${epoch}; holds ${held}.`;
}

function describeRun({ kind, pid, hasExited, tag }: KeeperStatus["runs"][number]): ListedRun {
  const note = readTag(tag);
  const what = note.kind === "agent" ? "agent" : (note.plan?.title ?? "command of the host");
  const terminal = note.uri === undefined ? "" : ` (${shortName(lastPart(note.uri))})`;
  return {
    kind,
    pid,
    state: hasExited ? "exited" : "running",
    what: safeText(`${what}${terminal}`),
    session: note.session === undefined ? null : shortName(lastPart(note.session)),
    marker: note.marker,
  };
}

/** The host's notes on a run; those of another version may have anything. */
interface RunNote {
  readonly kind?: string;
  readonly uri?: string;
  readonly session?: string;
  readonly marker?: string;
  readonly plan?: { readonly title?: string };
}

function readTag(tag: string | undefined): RunNote {
  try {
    const note: unknown = JSON.parse(tag ?? "{}");
    return typeof note === "object" && note !== null ? note : {};
  } catch {
    // Not a note of a host that we know.
    return {};
  }
}

/** The id at the end of a URI. */
function lastPart(uri: string): string {
  return uri.replace(/^.*[/:]/, "");
}
