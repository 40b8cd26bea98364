// Reads git's diffs: the list of changed files, and patches by file and hunk. Works on bytes, since neither names nor
// contents need be text; a latin1 string stands for bytes one to one.
import { createHash } from "node:crypto";
import type { ChangedFile, ChangeHunk } from "@holdfast/protocol";

/** A changed file with what git needs to find it again. */
export interface FileEntry {
  readonly file: ChangedFile;
  /** From the top of the working tree, as bytes. */
  readonly path: Buffer;
  readonly oldPath: Buffer | undefined;
  /** The object that it has now; zeros when it is gone. */
  readonly object: string;
}

/** One hunk of a patch, with its bytes. */
export interface PatchHunk {
  readonly shown: ChangeHunk;
  /** The whole hunk, from `@@` on, as latin1. */
  readonly raw: string;
}

/** The patch of one file. */
export interface FilePatch {
  /** Everything before the first hunk, as latin1. */
  readonly header: string;
  readonly hunks: readonly PatchHunk[];
  /** The whole patch, as latin1. */
  readonly raw: string;
}

const letters: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  C: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type-changed",
  U: "modified",
};

/** Reads the output of `--raw --numstat -z`: records of all files, then the counts of lines in the same order. */
export function readFileList(output: Buffer, prefix: string): readonly FileEntry[] {
  const fields = output.toString("latin1").split("\0");
  const entries: FileEntry[] = [];
  let at = 0;
  while (fields[at]?.startsWith(":") === true) {
    const [oldMode = "", newMode = "", , object = "", letter = ""] = (fields[at] ?? "").slice(1).split(" ");
    const isPair = letter.startsWith("R") || letter.startsWith("C");
    const first = fields[at + 1] ?? "";
    const second = isPair ? (fields[at + 2] ?? "") : undefined;
    at += isPair ? 3 : 2;
    entries.push(readRecord({ oldMode, newMode, object, letter, first, second }, prefix));
  }
  return entries.map((entry) => {
    const [additions = "", deletions = "", name = ""] = (fields[at] ?? "").split("\t");
    at += name === "" ? 3 : 1;
    const isBinary = additions === "-";
    const counts = isBinary
      ? ({ additions: 0, deletions: 0, isBinary: true } as const)
      : { additions: Number(additions), deletions: Number(deletions) };
    return { ...entry, file: { ...entry.file, ...counts } };
  });
}

interface RawRecord {
  readonly oldMode: string;
  readonly newMode: string;
  readonly object: string;
  readonly letter: string;
  readonly first: string;
  readonly second: string | undefined;
}

function readRecord(
  { oldMode, newMode, object, letter, first, second }: RawRecord,
  prefix: string,
): FileEntry {
  const status = letters[letter.slice(0, 1)] ?? "modified";
  const name = second ?? first;
  const wasRenamed = status === "renamed" && second !== undefined;
  const mode = status === "deleted" ? oldMode : newMode;
  const hasNewMode = oldMode !== newMode && status !== "added" && status !== "deleted";
  return {
    file: {
      path: shownPath(name, prefix),
      ...(wasRenamed && { oldPath: shownPath(first, prefix) }),
      status,
      kind: kindOf(mode),
      additions: 0,
      deletions: 0,
      ...(hasNewMode && { oldMode, newMode }),
    },
    path: Buffer.from(name, "latin1"),
    oldPath: wasRenamed ? Buffer.from(first, "latin1") : undefined,
    object,
  };
}

function kindOf(mode: string): ChangedFile["kind"] {
  if (mode === "160000") return "submodule";
  return mode === "120000" ? "symlink" : "file";
}

const strict = new TextDecoder("utf-8", { fatal: true });

/** A path below the session's folder; git's quoted form where it is no text, so that no two files share a name. */
export function shownPath(latin1: string, prefix: string): string {
  const start = Buffer.from(prefix).toString("latin1");
  const bytes = Buffer.from(latin1.startsWith(start) ? latin1.slice(start.length) : latin1, "latin1");
  try {
    const text = strict.decode(bytes);
    if (!text.startsWith('"')) return text;
  } catch {
    // Not UTF-8.
  }
  const quoted = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === "\\") return `\\${character}`;
    return byte >= 0x20 && byte < 0x7f ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${quoted.join("")}"`;
}

/** Splits the output of `-p` into files: contents cannot begin a line with `diff --git`. */
export function splitPatches(output: Buffer): readonly string[] {
  return splitAtLines(output.toString("latin1"), "diff --git ").slice(1);
}

/** Reads the patch of one file. */
export function readPatch(raw: string): FilePatch {
  const [header = "", ...hunks] = splitAtLines(raw, "@@ ");
  return { header, hunks: hunks.map(readHunk), raw };
}

/**
 * Splits a text before each line that begins with a mark; the first piece is what stands before all of them. Only a
 * line feed ends a line of git: for `^` in a regular expression a carriage return does, too, and files may have some.
 */
function splitAtLines(text: string, mark: string): readonly string[] {
  const starts = text.startsWith(mark) ? [0] : [];
  const line = `\n${mark}`;
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) starts.push(at + 1);
  return [text.slice(0, starts[0]), ...starts.map((start, index) => text.slice(start, starts[index + 1]))];
}

function readHunk(raw: string): PatchHunk {
  const end = raw.indexOf("\n") + 1;
  const [, oldStart = "0", oldLines = "1", newStart = "0", newLines = "1", heading = ""] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)/.exec(raw.slice(0, end)) ?? [];
  const body = raw.slice(end);
  // The side that does not move names it: hunks keep their ids when others are reverted.
  const id = createHash("sha256").update(`${oldStart},${oldLines}\n${body}`, "latin1").digest("hex");
  return {
    shown: {
      id: id.slice(0, 16),
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      heading: textOf(heading),
      text: textOf(body),
    },
    raw,
  };
}

function textOf(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
