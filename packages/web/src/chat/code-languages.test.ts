// Which code is coloured.
import { describe, expect, it } from "vitest";
import { codeLanguage } from "./code-languages.ts";

describe("[Z9] the language of code", () => {
  it.each([
    ["typescript", "typescript"],
    ["TS", "typescript"],
    [" sh ", "bash"],
    ["js {1,3}", "javascript"],
    ["python,ignore", "python"],
  ])("[Z9] is known by %j", (info, language) => {
    expect(codeLanguage(info)).toBe(language);
  });

  it.each(["", "klingon", "constructor", "__proto__"])("[Z9] is not known by %j", (info) => {
    expect(codeLanguage(info)).toBeUndefined();
  });
});
