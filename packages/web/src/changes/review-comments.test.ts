// The message that comments on lines become.
import { expect, it } from "vitest";
import { reviewMessage } from "./review-comments.ts";

it("[Z843] is one message with path, line and code of each comment, by file and line", () => {
  const comment = { id: "1", side: "new", code: "  x();", text: " Why? ", path: "b.ts", line: 9 } as const;
  expect(
    reviewMessage([
      comment,
      { ...comment, line: 2, side: "old" },
      { ...comment, path: "a.ts", line: 20, code: "", text: "Two\nlines" },
    ]),
  ).toBe(
    "Review of your changes, 3 comments:\n\n" +
      "a.ts:20\n> (empty line)\nTwo\nlines\n\n" +
      "b.ts:2 (removed line)\n>   x();\nWhy?\n\n" +
      "b.ts:9\n>   x();\nWhy?",
  );
});
