// Rows of a diff, in both layouts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChangedFile, ChangeHunk } from "./changes.ts";
import { type DiffRow, diffRows, sideText } from "./diff-rows.ts";

const file: ChangedFile = { path: "a.ts", status: "modified", kind: "file", additions: 2, deletions: 1 };

function hunk(text: string, oldStart = 1, newStart = 1): ChangeHunk {
  return { id: `${oldStart} ${text}`, oldStart, newStart, heading: "", text };
}

function rowsOf(layout: "unified" | "split", ...hunks: ChangeHunk[]): DiffRow[] {
  return diffRows([file], new Map([[file.path, { file, hunks }]]), layout, new Set());
}

/** Numbers and text of both sides of each line. */
function shown(rows: readonly DiffRow[]): string[] {
  return rows.flatMap((row) =>
    row.kind === "line"
      ? [
          `${row.old?.number ?? ""}|${row.new?.number ?? ""}|${row.change}|${row.old?.text ?? ""}|${row.new?.text ?? ""}`,
        ]
      : [],
  );
}

describe("[Z840] rows of a diff", () => {
  it("[Z840] number each side from the hunk's start, and pair lines side by side", () => {
    const change = hunk(" a\n-b\n+B\n+C\n d\n", 10, 12);
    expect(shown(rowsOf("unified", change))).toEqual([
      "10|12|none|a|a",
      "11||removed|b|",
      "|13|added||B",
      "|14|added||C",
      "12|15|none|d|d",
    ]);
    expect(shown(rowsOf("split", change))).toEqual([
      "10|12|none|a|a",
      "11|13|both|b|B",
      "|14|added||C",
      "12|15|none|d|d",
    ]);
  });

  it("[Z840] say that a file ends without a newline, and keep lines that look like signs", () => {
    const rows = rowsOf("unified", hunk("--- x\n++++ y\n\\ No newline at end of file\n"));
    expect(shown(rows)).toEqual(["1||removed|-- x|", "|1|added||+++ y"]);
    expect(rows.map((row) => row.kind === "line" && row.hasNoLineEnd)).toEqual([false, false, false, true]);
  });

  it("[Z840] give every line of a hunk once to each side, in any order of signs", () => {
    const line = fc.tuple(fc.constantFrom(" ", "+", "-"), fc.stringMatching(/^[a-z+\\ -]{0,6}$/));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 30 }),
        fc.constantFrom("unified" as const, "split" as const),
        (lines, layout) => {
          const change = hunk(lines.map(([sign, text]) => `${sign}${text}\n`).join(""));
          const rows = rowsOf(layout, change);
          for (const [side, sign] of [
            ["old", "+"],
            ["new", "-"],
          ] as const) {
            const expected = lines.filter(([each]) => each !== sign).map(([, text]) => text);
            const found = rows.flatMap((row) => (row.kind === "line" ? (row[side]?.text ?? []) : []));
            expect(found.toSorted()).toEqual(expected.toSorted());
            expect(sideText(change, side)).toBe(expected.join("\n"));
          }
          expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
        },
      ),
    );
  });

  it("[Z840] fold a file, and say what a file without lines is", () => {
    const folded = diffRows([file], new Map(), "unified", new Set(["a.ts"]));
    expect(folded.map(({ kind }) => kind)).toEqual(["file"]);
    const notes = [
      { ...file, isBinary: true as const },
      { ...file, status: "renamed" as const, oldPath: "b.ts" },
      { ...file, oldMode: "100644", newMode: "100755" },
    ].map(
      (each) => diffRows([each], new Map([[each.path, { file: each, hunks: [] }]]), "unified", new Set())[1],
    );
    expect(notes.map((row) => row?.kind === "note" && row.text)).toEqual([
      "Binary file.",
      "Renamed from b.ts without a change.",
      "Mode changed from 100644 to 100755.",
    ]);
  });

  it("[Z983] say that the mode changed, above the lines that changed and any other note", () => {
    const modes = { oldMode: "100644", newMode: "100755" };
    const changed = [hunk(" a\n-b\n+B\n")];
    const kindsOf = (each: ChangedFile, hunks: readonly ChangeHunk[]): readonly string[] =>
      diffRows([each], new Map([[each.path, { file: each, hunks }]]), "unified", new Set()).map((row) =>
        row.kind === "note" ? row.text : row.kind,
      );
    const said = "Mode changed from 100644 to 100755.";
    expect(kindsOf({ ...file, ...modes }, changed)).toEqual(["file", said, "hunk", "line", "line", "line"]);
    expect(kindsOf({ ...file, ...modes }, [])).toEqual(["file", said]);
    expect(kindsOf({ ...file, ...modes, isBinary: true }, [])).toEqual(["file", said, "Binary file."]);
    expect(kindsOf({ ...file, ...modes, status: "renamed", oldPath: "b.ts" }, [])).toEqual([
      "file",
      said,
      "Renamed from b.ts without a change.",
    ]);
    expect(kindsOf(file, changed)).toEqual(["file", "hunk", "line", "line", "line"]);
  });

  it("[Z980] offer to load a diff only where the host gives it alone", () => {
    const large = { ...file, additions: 30_000, deletions: 0 };
    const notes = [{ isTooLarge: true, canReadAlone: true } as const, { isTooLarge: true } as const].map(
      (more) =>
        diffRows(
          [large],
          new Map([[large.path, { file: large, hunks: [], ...more }]]),
          "unified",
          new Set(),
        )[1],
    );
    expect(notes).toMatchObject([
      { text: "This diff is large.", canLoad: true },
      { text: "This diff is too large to show: 30,000 lines.", canLoad: false },
    ]);
  });
});
