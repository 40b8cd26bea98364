// Compares the rules of SPEC.md with the rule ids in the titles of tests.
import { stringsOf, type SourceFile } from "./source-file.ts";

/** Where SPEC.md and the tests disagree; each list is empty when they agree. */
export interface SpecFaults {
  /** Rules that no test names. */
  readonly unproven: string[];
  /** Ids in titles that SPEC.md does not define, with the file. */
  readonly unknown: string[];
  /** Rules defined more than once. */
  readonly repeated: string[];
}

/** Finds every disagreement between the text of SPEC.md and the tests; cases that are data name their rule in a field. */
export function specFaults(
  spec: string,
  tests: readonly SourceFile[],
  cases: readonly SourceFile[] = [],
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
