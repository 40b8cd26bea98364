// Comparison of the rules in SPEC.md with the rule ids in titles of tests and in comments.
import { commentsOf, stringsOf, type SourceFile } from "./source-file.ts";

/** An id in a comment. Numbers start at 1, so `C0` and `G0` are names of control characters and character sets. */
const citation = /(?<![\w+.#&-])[A-Z][1-9]\d*\b/g;

/** Where SPEC.md and the tests disagree; each list is empty when they agree. */
export interface SpecFaults {
  /** Rules that no test names. */
  readonly unproven: string[];
  /** Ids in titles and comments that SPEC.md does not define, with the file. */
  readonly unknown: string[];
  /** Rules defined more than once. */
  readonly repeated: string[];
}

/**
 * Finds every disagreement between the text of SPEC.md and the tests, and the ids in comments of `sources` that
 * SPEC.md does not define. Cases that are data name their rule in a field.
 */
export function specFaults(
  spec: string,
  tests: readonly SourceFile[],
  cases: readonly SourceFile[] = [],
  sources: readonly SourceFile[] = [],
): SpecFaults {
  const rules = [...spec.matchAll(/^(?:- )?\*\*([A-Z]+\d+)\*\*/gm)].map(([, id = ""]) => id);
  const defined = new Set(rules);
  const named = new Set<string>();
  const unknown = new Set<string>();
  for (const test of tests) {
    for (const id of stringsOf(test).flatMap(ruleIds)) {
      named.add(id);
      if (!defined.has(id)) unknown.add(`${id} in ${test.path}`);
    }
  }
  for (const file of cases) {
    for (const [, id = ""] of file.text.matchAll(/"rule": "([A-Z]+\d+)"/g)) {
      named.add(id);
      if (!defined.has(id)) unknown.add(`${id} in ${file.path}`);
    }
  }
  for (const file of sources) {
    for (const [id] of commentsOf(file).flatMap((comment) => [...comment.matchAll(citation)])) {
      if (!defined.has(id)) unknown.add(`${id} in ${file.path}`);
    }
  }
  return {
    unproven: [...defined].filter((id) => !named.has(id)),
    unknown: [...unknown],
    repeated: rules.filter((id, index) => rules.indexOf(id) !== index),
  };
}

/** The ids a title begins with: `[T1] …`, `[T1][T2] …` or `[T1, T2] …`. */
function ruleIds(title: string): string[] {
  const [head = ""] = /^(\[[A-Z]+\d+(, ?[A-Z]+\d+)*\] ?)+/.exec(title) ?? [];
  return head.match(/[A-Z]+\d+/g) ?? [];
}
