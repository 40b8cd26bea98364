// Completions as the host sends them, and what becomes of the text.
import { describe, expect, it } from "vitest";
import { canComplete, insert, readCompletions, stillNamed } from "./completion.ts";

describe("[Z30] a completion", () => {
  it.each([
    ["/", 1, true],
    ["/wri", 4, true],
    ["/write a", 8, false],
    ["look at @sr", 11, true],
    ["look at @sr", 5, false],
    ["me@example", 10, false],
    ["", 0, false],
  ])("[Z30] in %j at %d is looked for: %s", (text, caret, isWanted) => {
    expect(canComplete(text, caret)).toBe(isWanted);
  });

  it("[Z30] replaces what was written of it and nothing else", () => {
    const completion = { insertText: "@src/main.ts", rangeStart: 8, rangeEnd: 11, label: "src/main.ts" };
    expect(insert("look at @sr please", completion)).toEqual({
      text: "look at @src/main.ts please",
      caret: 20,
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
