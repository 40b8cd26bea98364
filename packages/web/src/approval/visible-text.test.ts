// Characters that would hide what a command does.
import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test("[Z600] what hides or reorders text is shown by its code; newlines and tabs stay", () => {
  expect(visibleText("a\u202Eb\u200Bc\u001B[2J\n\td")).toBe(String.raw`a\u202eb\u200bc\u001b[2J` + "\n\td");
  expect(visibleText("rm -rf 'ünïcode'")).toBe("rm -rf 'ünïcode'");
});
