// The processes of a home: what its keeper holds, and those that no run owns any more.
import type { ProcessList } from "@holdfast/protocol";
import { safeText } from "../safe-text.ts";
import type { KeeperStatus } from "./keeper-link.ts";

/** The list; the children of a host without a keeper are its own. */
export async function listProcesses(
  home: string,
  keeper: KeeperStatus | undefined,
  hasHost: boolean,
): Promise<ProcessList> {
  const notes = (keeper?.runs ?? []).map((run) => ({ run, note: readTag(run.tag) }));
  const isOwned = hasHost && keeper === undefined;
  const markers = new Set(notes.map(({ note }) => note.marker));
  return {
    ...(keeper !== undefined && { keeper: describeKeeper(keeper) }),
    runs: notes.map(({ run: { kind, pid, hasExited }, note }) => ({
      pid,
      kind,
      state: hasExited ? "exited" : "running",
      what: safeText(note.kind === "agent" ? "agent" : (note.plan?.title ?? "command of the host")),
      ...(note.session !== undefined && { session: note.session }),
      ...(note.uri !== undefined && { terminal: note.uri }),
    })),
    unowned: isOwned ? [] : await findUnowned(home, markers),
  };
}

function describeKeeper(keeper: KeeperStatus): NonNullable<ProcessList["keeper"]> {
  const { pid, version, startedAtMs, epoch, memoryBytes, residentBytes, sandboxes } = keeper;
  return {
    pid,
    version,
    startedAt: new Date(startedAtMs).toISOString(),
    hosts: epoch,
    heldBytes: memoryBytes,
    residentBytes,
    sandboxes: sandboxes.length,
  };
}

async function findUnowned(
  home: string,
  owned: ReadonlySet<string | undefined>,
): Promise<ProcessList["unowned"]> {
  // Only now: it brings the code of the host with it.
  const { findMarkedProcesses } = await import("./marked-processes.ts");
  return findMarkedProcesses(home)
    .filter(({ marker }) => !owned.has(marker))
    .map(({ pid, command }) => ({ pid, command: safeText(command) }));
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
