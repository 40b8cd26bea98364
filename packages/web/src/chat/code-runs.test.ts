// Pieces of coloured code, joined to runs.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinRuns, type CodeRuns } from "./code-runs.ts";

/** The runs of a text as they will be shown. */
function shown(code: string, { ends, colours, palette }: CodeRuns): [string, string | undefined][] {
  return [...ends].map((end, index) => [
    code.slice(ends[index - 1] ?? 0, end),
    palette[(colours[index] ?? 0) - 1],
  ]);
}

describe("[Z34] runs of coloured code", () => {
  it("[Z34] are joined within a line where their colour is the same or cannot be seen", () => {
    const code = "const a  = 1\n\n// b\n";
    const runs = joinRuns(
      code,
      [
        [
          { content: "const", color: "blue" },
          { content: " ", color: "black" },
          { content: "a", color: "black" },
          { content: "  " },
          { content: "= " },
          { content: "1", color: "red" },
        ],
        [],
        [{ content: "// b", color: "blue" }],
        [],
      ],
      "black",
    );
    expect(shown(code, runs)).toEqual([
      ["const ", "blue"],
      ["a  = ", undefined],
      ["1\n", "red"],
      ["\n", undefined],
      ["// b\n", "blue"],
      ["", undefined],
    ]);
  });

  it("[Z995] end where the lines of the code end, with one character or with two", () => {
    const property = fc.property(
      fc.array(fc.tuple(fc.constantFrom("", "a = 1;", "\r"), fc.constantFrom("\n", "\r\n"))),
      fc.constantFrom("", "last", "last\r"),
      (parts, last) => {
        const code = parts.flat().join("") + last;
        const lines = code.split(/\r?\n/);
        const runs = joinRuns(
          code,
          lines.map((content) => (content === "" ? [] : [{ content, color: "red" }])),
          "black",
        );
        expect(shown(code, runs).map(([text]) => text.replace(/\r?\n$/, ""))).toEqual(lines);
      },
    );
    fc.assert(property);
  });
});
