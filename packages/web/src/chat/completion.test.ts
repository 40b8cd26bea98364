// Completions as the host sends them, and what becomes of the text.
import { describe, expect, it } from "vitest";
import { completableFrom, insert, readCompletions, stillNamed } from "./completion.ts";

describe("[Z30] a completion", () => {
  it.each([
    ["/", 1, 0],
    ["/wri", 4, 0],
    ["/write a", 8, undefined],
    ["a /b", 4, undefined],
    ["look at @sr", 11, 8],
    ["look at @sr", 5, undefined],
    ["@sr/a", 5, 0],
    ["me@example", 10, undefined],
    ["", 0, undefined],
  ])("[Z30] in %j at %d is looked for from %s on", (text, caret, start) => {
    expect(completableFrom(text, caret)).toBe(start);
  });

  it("[Z30] replaces what was written of it and nothing else", () => {
    const completion = { insertText: "@src/main.ts", rangeStart: 8, rangeEnd: 11, label: "src/main.ts" };
    expect(insert("look at @sr please", completion)).toEqual({
      text: "look at @src/main.ts please",
      caret: 20,
    });
  });

  it.each([
    ["@a.ts", "@a.ts "],
    ["@src/", "@src/"],
    ["/fix ", "/fix "],
  ])("[Z30] %j at the end of the text leaves %j", (insertText, left) => {
    expect(insert("@", { insertText, rangeStart: 0, rangeEnd: 1, label: "" })).toEqual({
      text: left,
      caret: left.length,
    });
  });

  it("[Z30] with a file sends the file along, as long as the text names it", () => {
    const [completion] = readCompletions([
      {
        insertText: "@a.ts",
        rangeStart: 0,
        rangeEnd: 2,
        attachment: { type: "resource", label: "a.ts", uri: "file:///p/a.ts" },
      },
      { insertText: 3 },
    ]);
    const attachments = completion?.attachment === undefined ? [] : [completion.attachment];
    expect(attachments).toEqual([{ type: "resource", label: "a.ts", uri: "file:///p/a.ts" }]);
    expect(stillNamed(attachments, "see @a.ts")).toEqual(attachments);
    expect(stillNamed(attachments, "see nothing")).toEqual([]);
  });
});
