// A diff as a flat list of rows, so that only those in sight have to be drawn.
import type { DiffLayout } from "../chat/diff-layout.ts";
import type { ChangedFile, ChangeHunk, FileDiff } from "./changes.ts";

export type Side = "old" | "new";

/** One line of one side of a file. */
export interface DiffLine {
  readonly side: Side;
  /** From 1, in the file of its side. */
  readonly number: number;
  readonly text: string;
  /** Its place among the hunk's lines of that side, from 0. */
  readonly index: number;
}

export type DiffRow =
  | { readonly kind: "file"; readonly key: string; readonly file: ChangedFile; readonly isOpen: boolean }
  | {
      readonly kind: "hunk";
      readonly key: string;
      readonly file: ChangedFile;
      readonly hunk: ChangeHunk;
    }
  | {
      readonly kind: "line";
      readonly key: string;
      readonly file: ChangedFile;
      readonly hunk: ChangeHunk;
      /** Side by side both sides of a row; unified, a removed line has only the old one, an added one only the new one. */
      readonly old: DiffLine | undefined;
      readonly new: DiffLine | undefined;
      readonly change: "removed" | "added" | "both" | "none";
      readonly hasNoLineEnd: boolean;
    }
  | {
      readonly kind: "note";
      readonly key: string;
      readonly file: ChangedFile;
      readonly text: string;
      readonly canLoad: boolean;
    };

export type Layout = DiffLayout;

export type LineRow = Extract<DiffRow, { readonly kind: "line" }>;

/** The rows of all files; those in `closed` have only their heading. */
export function diffRows(
  files: readonly ChangedFile[],
  diffs: ReadonlyMap<string, FileDiff>,
  layout: Layout,
  closed: ReadonlySet<string>,
): DiffRow[] {
  return files.flatMap((file): DiffRow[] => {
    const isOpen = !closed.has(file.path);
    const head: DiffRow = { kind: "file", key: file.path, file, isOpen };
    return isOpen ? [head, ...contentRows(file, diffs.get(file.path), layout)] : [head];
  });
}

function contentRows(file: ChangedFile, diff: FileDiff | undefined, layout: Layout): readonly DiffRow[] {
  const modes = modeRows(file);
  const note = (text: string, canLoad = false): DiffRow[] => [
    ...modes,
    { kind: "note", key: `${file.path}\nnote`, file, text, canLoad },
  ];
  if (file.isBinary === true) return note("Binary file.");
  if (diff === undefined) return note("Not read yet.", true);
  if (diff.canReadAlone === true) return note("This diff is large.", true);
  if (diff.isTooLarge === true) return note(tooLargeText(file));
  if (diff.hunks.length === 0) {
    return modes.length > 0 && file.status === "modified" ? modes : note(emptyWords(file));
  }
  const rows = diff.hunks.flatMap((hunk) => hunkRows(file, hunk, layout));
  // A file that is all new or all gone has one hunk, whose heading would say nothing.
  const isWhole = (file.status === "added" || file.status === "deleted") && diff.hunks.length === 1;
  return isWhole ? rows.slice(1) : [...modes, ...rows];
}

/** The row that says how a file's mode changed, above everything else. */
function modeRows(file: ChangedFile): DiffRow[] {
  const { path, oldMode, newMode, status } = file;
  if (oldMode === undefined || newMode === undefined || status === "type-changed") return [];
  const text = `Mode changed from ${oldMode} to ${newMode}.`;
  return [{ kind: "note", key: `${path}\nmode`, file, text, canLoad: false }];
}

function tooLargeText({ additions, deletions }: ChangedFile): string {
  const lines = additions + deletions;
  return `This diff is too large to show: ${lines.toLocaleString("en")} ${lines === 1 ? "line" : "lines"}.`;
}

function emptyWords({ status, oldPath, kind }: ChangedFile): string {
  if (kind === "submodule") return "Another commit of the submodule.";
  if (status === "renamed") return `Renamed from ${oldPath ?? "another name"} without a change.`;
  if (status === "added") return "Empty file.";
  return status === "deleted" ? "The file was deleted." : "No line differs.";
}

const rowsOfHunks = new WeakMap<ChangeHunk, Map<Layout, readonly DiffRow[]>>();

/** The rows of a hunk, made once for each layout: rows that stay the same need not be drawn again. */
function hunkRows(file: ChangedFile, hunk: ChangeHunk, layout: Layout): readonly DiffRow[] {
  const known = rowsOfHunks.get(hunk) ?? new Map<Layout, readonly DiffRow[]>();
  rowsOfHunks.set(hunk, known);
  const made = known.get(layout) ?? makeHunkRows(file, hunk, layout);
  known.set(layout, made);
  return made;
}

function makeHunkRows(file: ChangedFile, hunk: ChangeHunk, layout: Layout): DiffRow[] {
  const key = `${file.path}\n${hunk.id}`;
  const rows: DiffRow[] = [{ kind: "hunk", key, file, hunk }];
  const lines = readLines(hunk);
  const add = (old: ReadLine | undefined, now: ReadLine | undefined, change: LineRow["change"]): void => {
    const hasNoLineEnd = (old ?? now)?.hasNoLineEnd === true || now?.hasNoLineEnd === true;
    rows.push({
      kind: "line",
      key: `${key}\n${rows.length}`,
      file,
      hunk,
      old: old?.old,
      new: now?.new,
      change,
      hasNoLineEnd,
    });
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line?.sign === " ") {
      add(line, line, "none");
      at += 1;
      continue;
    }
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    at += removed.length + added.length;
    if (removed.length + added.length === 0) break;
    if (layout === "unified") {
      for (const each of removed) add(each, undefined, "removed");
      for (const each of added) add(undefined, each, "added");
    } else {
      for (let pair = 0; pair < Math.max(removed.length, added.length); pair += 1) {
        const old = removed[pair];
        const now = added[pair];
        add(old, now, old === undefined ? "added" : now === undefined ? "removed" : "both");
      }
    }
  }
  return rows;
}

interface ReadLine {
  readonly sign: string;
  readonly old: DiffLine | undefined;
  readonly new: DiffLine | undefined;
  hasNoLineEnd: boolean;
}

function run(lines: readonly ReadLine[], from: number, sign: string): ReadLine[] {
  const found: ReadLine[] = [];
  for (let at = from; lines[at]?.sign === sign; at += 1) found.push(lines[at] as ReadLine);
  return found;
}

/** The lines of a hunk with their numbers; `\ No newline` belongs to the line before it. */
function readLines({ text, oldStart, newStart }: ChangeHunk): ReadLine[] {
  const lines: ReadLine[] = [];
  let oldIndex = 0;
  let newIndex = 0;
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  for (const each of all) {
    const sign = each.charAt(0);
    const content = each.slice(1);
    if (sign === "\\") {
      const last = lines.at(-1);
      if (last !== undefined) last.hasNoLineEnd = true;
      continue;
    }
    const old: DiffLine | undefined =
      sign === "+" ? undefined : { side: "old", number: oldStart + oldIndex, text: content, index: oldIndex };
    const now: DiffLine | undefined =
      sign === "-" ? undefined : { side: "new", number: newStart + newIndex, text: content, index: newIndex };
    if (old !== undefined) oldIndex += 1;
    if (now !== undefined) newIndex += 1;
    lines.push({ sign: sign === "+" || sign === "-" ? sign : " ", old, new: now, hasNoLineEnd: false });
  }
  return lines;
}

/** The text of one side of a hunk, to be coloured as a whole. */
export function sideText(hunk: ChangeHunk, side: Side): string {
  return readLines(hunk)
    .flatMap((line) => line[side]?.text ?? [])
    .join("\n");
}
