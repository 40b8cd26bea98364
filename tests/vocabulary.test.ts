// Retired words do not return: names, comments, messages and documents of the repository.
import { describe, expect, it } from "vitest";
import { readTrackedTexts, vocabularyFaults, type OldWord } from "./repository/vocabulary.ts";

describe("[G500] the vocabulary", () => {
  it("[G500] uses no retired word more often than recorded, and the records are current", (context) => {
    const files = readTrackedTexts();
    if (files === undefined) return context.skip("this is not a git checkout");
    expect(files.length).toBeGreaterThan(0);
    expect(vocabularyFaults(files)).toEqual([]);
  });

  const text = "// Gizmos: one gizmo.\nconst gizmoShare = onGizmo(GIZMO_COUNT, 'a-gizmo');\n";
  const word = (pattern: RegExp, count: number): OldWord => ({ pattern, instead: "widget", count });

  it("[G500] finds a word in prose, in names of every style and in file names", () => {
    const files = [{ path: "packages/a/src/gizmo.ts", text }];
    expect(vocabularyFaults(files, { gizmo: word(/\bgizmo\b/g, 6) }, {})).toEqual([]);
    expect(vocabularyFaults(files, { gizmo: word(/\bgizmo\b/g, 5) }, {})).toEqual([
      `"gizmo": 6 occurrences, 5 allowed; write: widget`,
    ]);
    expect(vocabularyFaults(files, {}, { Gizmos: word(/\/\/ Gizmos\b/g, 0) })).toHaveLength(1);
  });

  it("[G500] asks for a lower count when more than 10 occurrences are gone", () => {
    const files = [{ path: "a.ts", text }];
    expect(vocabularyFaults(files, { gizmo: word(/\bgizmo\b/g, 15) }, {})).toEqual([]);
    expect(vocabularyFaults(files, { gizmo: word(/\bgizmo\b/g, 16) }, {})).toEqual([
      `"gizmo": lower its count from 16 to 5`,
    ]);
  });
});
