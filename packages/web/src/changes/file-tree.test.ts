// The tree of changed files.
import { expect, it } from "vitest";
import type { ChangedFile } from "./changes.ts";
import { inTreeOrder, treeRows } from "./file-tree.ts";

const files = [
  "z.md",
  "src/a/deep/x.ts",
  "src/a/deep/y10.ts",
  "src/a/deep/y2.ts",
  "src/b.ts",
  "src/a/deep/in/q.ts",
].map((path): ChangedFile => ({ path, status: "modified", kind: "file", additions: 1, deletions: 0 }));

it("[Z841] has folders before files, joins folders with a single one in them, and orders numbers as numbers", () => {
  const rows = treeRows(files, new Set());
  expect(rows.map(({ depth, name }) => `${" ".repeat(depth)}${name}`)).toEqual([
    "src",
    " a/deep",
    "  in",
    "   q.ts",
    "  x.ts",
    "  y2.ts",
    "  y10.ts",
    " b.ts",
    "z.md",
  ]);
  expect(
    inTreeOrder(files)
      .map(({ path }) => path)
      .at(0),
  ).toBe("src/a/deep/in/q.ts");
});

it("[Z841] hides what is in a closed folder, and counts it", () => {
  const rows = treeRows(files, new Set(["src/"]));
  expect(rows.map(({ name }) => name)).toEqual(["src", "z.md"]);
  expect(rows[0]).toMatchObject({ kind: "folder", fileCount: 5, isOpen: false });
});
