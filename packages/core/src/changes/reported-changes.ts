// The changes that an agent reported, for folders outside of repositories: the edits of its tool calls.
import { createHash } from "node:crypto";
import path from "node:path";
import { type ActiveTurn, type ToolCall, type Turn, turnParts } from "@holdfast/ahp";
import { type ChangeHunk, type ChangeList, type FileDiff, HostError, LIMITS } from "@holdfast/protocol";

/** An edit that a tool call reported. */
interface Edit {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Turns = readonly (Turn | ActiveTurn)[];

/** The edits that turns report, or one of them, by its place from 1 or its id. */
export function reportedDiffs(turns: Turns, folder: string, turn?: string): FileDiff[] {
  const diffs = new Map<string, FileDiff>();
  for (const edit of turnsOf(turns, turn).flatMap(editsOf)) {
    const shown = shownPath(edit.path, folder);
    diffs.set(shown, addEdit(diffs.get(shown), shown, edit));
  }
  return [...diffs.values()];
}

export function listReported(turns: Turns, folder: string, turn?: string): ChangeList {
  const all = reportedDiffs(turns, folder, turn).map(({ file }) => file);
  const files = all.slice(0, LIMITS.changedFiles);
  const count = (key: "additions" | "deletions"): number => all.reduce((sum, file) => sum + file[key], 0);
  return {
    source: "agent",
    folder,
    turns: turns.map((_, index) => index + 1),
    summary: { files: all.length, additions: count("additions"), deletions: count("deletions") },
    files,
    omitted: [],
    // Commands may have changed more than was reported.
    isComplete: false,
  };
}

/** Stands for what was reported of each file. */
export function reportedVersions(turns: Turns, folder: string, turn?: string): ReadonlyMap<string, string> {
  const diffs = reportedDiffs(turns, folder, turn);
  return new Map(
    diffs.map(({ file, hunks }) => {
      const ids = hunks.map(({ id }) => id).join(" ");
      return [file.path, createHash("sha256").update(`${file.status} ${ids}`).digest("hex").slice(0, 40)];
    }),
  );
}

/** The text of a file before the first edit that was reported, or after the last; undefined where none was. */
export function reportedText(
  turns: Turns,
  folder: string,
  wanted: {
    readonly turn?: string | undefined;
    readonly path: string;
    readonly side: "before" | "after";
  },
): string | undefined {
  const edits = turnsOf(turns, wanted.turn)
    .flatMap(editsOf)
    .filter((edit) => shownPath(edit.path, folder) === wanted.path);
  return wanted.side === "before" ? edits[0]?.before : edits.at(-1)?.after;
}

function turnsOf(turns: Turns, turn: string | undefined): Turns {
  if (turn === undefined) return turns;
  const wanted = turns.filter(({ id }, index) => id === turn || `${index + 1}` === turn);
  if (wanted.length === 0) throw new HostError("NOT_FOUND", `There is no turn ${turn}.`);
  return wanted;
}

function editsOf(turn: Turn | ActiveTurn): Edit[] {
  return turnParts(turn).flatMap((part) => (part.kind === "toolCall" ? editsOfCall(part.toolCall) : []));
}

function editsOfCall({ status, content, toolKind, locations }: ToolCall): Edit[] {
  if (status !== "completed" && status !== "running") return [];
  const edits = content.flatMap((part): Edit[] => {
    if (part.type !== "fileEdit") return [];
    const { before, after } = part;
    const file = part.path;
    return [{ path: file, before: textOf(before), after: textOf(after) ?? "" }];
  });
  if (edits.length > 0) return edits;
  const isChange = toolKind === "edit" || toolKind === "delete" || toolKind === "move";
  if (!isChange) return [];
  return locations.map(({ path: file }) => ({
    path: file,
    before: toolKind === "edit" ? "" : undefined,
    after: toolKind === "edit" ? "" : undefined,
  }));
}

function textOf(content: { readonly kind: string; readonly text?: string } | undefined): string | undefined {
  return content?.kind === "text" ? content.text : undefined;
}

function addEdit(known: FileDiff | undefined, shown: string, { before, after }: Edit): FileDiff {
  const hunk = before === undefined && after === undefined ? undefined : hunkOf(before ?? "", after ?? "");
  const wasAdded = known === undefined ? before === undefined : known.file.status === "added";
  const status = after === undefined ? "deleted" : wasAdded ? "added" : "modified";
  const { additions = 0, deletions = 0 } = known?.file ?? {};
  return {
    file: {
      path: shown,
      status,
      kind: "file",
      additions: additions + (hunk?.newLines ?? 0),
      deletions: deletions + (hunk?.oldLines ?? 0),
    },
    hunks: [...(known?.hunks ?? []), ...(hunk === undefined || hunk.text === "" ? [] : [hunk])],
  };
}

/** One hunk without the lines that both have at their beginning and end. */
function hunkOf(before: string, after: string): ChangeHunk {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const text = [...removed.map((line) => `-${line}\n`), ...added.map((line) => `+${line}\n`)].join("");
  return {
    id: createHash("sha256").update(`${start}\n${text}`).digest("hex").slice(0, 16),
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    heading: "",
    text,
  };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Relative to the session's folder where it lies in it. */
function shownPath(file: string, folder: string): string {
  const relative = path.relative(folder, path.resolve(folder, file));
  return relative === "" || relative.startsWith("..") ? file : relative;
}
