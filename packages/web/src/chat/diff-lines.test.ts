// Lines of differences, with their numbers and colours.
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinRuns } from "./code-runs.ts";
import { colouredLines, diffRows, pairRows } from "./diff-lines.ts";

const textOfLines = fc.array(fc.constantFrom("a", "b", "c", "", "long line"), { maxLength: 30 });

test("[Z807] lines have the numbers that they have in their files", () => {
  fc.assert(
    fc.property(textOfLines, textOfLines, (before, after) => {
      for (const row of diffRows(before.join("\n"), after.join("\n")) ?? []) {
        if (row.kind === "gap") continue;
        if (row.oldNumber !== undefined) expect(before[row.oldNumber - 1]).toBe(row.text);
        if (row.newNumber !== undefined) expect(after[row.newNumber - 1]).toBe(row.text);
      }
    }),
  );
});

test("[Z807] side by side has every line once, in order on its side", () => {
  fc.assert(
    fc.property(textOfLines, textOfLines, (before, after) => {
      const rows = diffRows(before.join("\n"), after.join("\n")) ?? [];
      const pairs = pairRows(rows).flatMap((row) => (row.kind === "pair" ? [row] : []));
      const lines = rows.flatMap((row) => (row.kind === "gap" ? [] : [row]));
      expect(pairs.flatMap(({ left }) => left ?? [])).toEqual(lines.filter(({ kind }) => kind !== "added"));
      expect(pairs.flatMap(({ right }) => right ?? [])).toEqual(
        lines.filter(({ kind }) => kind !== "removed"),
      );
    }),
  );
});

test("[Z807] coloured lines are the lines of the code", () => {
  const code = 'const a = "x";\n\nreturn a;';
  const pieces = [
    [{ content: "const", color: "red" }, { content: ' a = "x";' }],
    [],
    [{ content: "return", color: "red" }, { content: " a;" }],
  ];
  const lines = colouredLines(code, joinRuns(code, pieces, "black"));
  expect(lines.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(code);
  expect(lines[0]?.[0]).toEqual({ text: "const", colour: "red" });
});
