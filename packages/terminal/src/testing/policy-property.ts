// The property of every policy and every line: known words are decided as the reference does; unknown ones never too kindly.
import fc from "fast-check";
import { Policy } from "../policy/policy.ts";
import type { Rule } from "../policy/rule.ts";
import { type ConcretePart, referenceDecision } from "./policy-reference.ts";

interface Piece {
  readonly text: string;
  /** The arguments that it becomes for a value of the variable. */
  readonly becomes: (value: string) => readonly string[];
}

/** A policy and a line. */
export interface PolicyCase {
  readonly rules: readonly Rule[];
  readonly commands: readonly {
    readonly env: boolean;
    readonly program: string;
    readonly args: readonly Piece[];
    readonly out: string | undefined;
  }[];
  readonly separator: string;
  readonly isBelow: boolean;
}

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const rule: fc.Arbitrary<Rule> = fc.record({
  effect: fc.constantFrom("allow", "allow", "ask", "deny"),
  command: maybe(
    fc.constantFrom<string | string[]>(
      "a **",
      "a",
      "a x **",
      "* **",
      "** -f",
      "b ** -f **",
      "a* *",
      "a ** x ** -f **",
      ["a x", "b"],
      "b *x **",
      "a * * **",
      "**",
    ),
  ),
  with: fc.option(fc.constantFrom<string | string[]>("-f", "x*", ["*=*", "-*"]), { nil: undefined, freq: 5 }),
  paths: maybe(fc.constantFrom<string | string[]>("/w/**", "/w/d/*", ["/e/**", "/w/*"], "/**/x", "/w/d")),
  cwd: fc.option(fc.constantFrom("/w/**", "/w/d", "/w"), { nil: undefined, freq: 5 }),
  env: fc.option(fc.constantFrom("K", "K*", "Z"), { nil: undefined, freq: 5 }),
  agent: fc.option(fc.constantFrom("one", "t*"), { nil: undefined, freq: 5 }),
});

const literal = (text: string): Piece => ({ text, becomes: () => [text] });
const split = (text: string): string[] => text.split(" ").filter((part) => part !== "");
const unknown: readonly Piece[] = [
  { text: '"$V"', becomes: (value) => [value] },
  { text: "$V", becomes: split },
  { text: '"x$V"', becomes: (value) => [`x${value}`] },
  { text: "-$V", becomes: (value) => split(`-${value}`) },
];
const values = ["", "x", "-f", "/e/y", "x -f", "f", "../e"];

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...["x", "-f", "d/x", "/e/y", "../q", "a", "--k=/e/z", "d", "/w"].map(literal),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...unknown) },
);

/** Random policies with random lines. */
export const policyCases: fc.Arbitrary<PolicyCase> = fc.record({
  rules: fc.array(rule, { maxLength: 5 }),
  commands: fc.array(
    fc.record({
      env: fc.boolean(),
      program: fc.constantFrom("a", "b", "ab"),
      args: fc.array(piece, { maxLength: 4 }),
      out: fc.option(fc.constantFrom("d/o", "/e/o"), { nil: undefined, freq: 3 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  separator: fc.constantFrom("; ", " && ", " | ", " || "),
  isBelow: fc.boolean(),
});

/** Throws where the engine is kinder than the reference, or differs although every word is known. */
export function checkPolicy({ rules, commands, separator, isBelow }: PolicyCase): void {
  const cwd = isBelow ? "/w/d" : "/w";
  const line = commands
    .map(({ env, program, args, out }) =>
      [
        ...(env ? ["K=1"] : []),
        program,
        ...args.map(({ text }) => text),
        ...(out === undefined ? [] : [`> ${out}`]),
      ].join(" "),
    )
    .join(separator);
  const policy = new Policy({ source: "test", rules, otherwise: "ask" });
  const { effect } = policy.decide({ kind: "command", agent: "one", cwd, roots: ["/w"], run: { line } });
  const isKnown = commands.every(({ args }) => args.every((each) => !unknown.includes(each)));
  for (const value of isKnown ? [""] : values) {
    const parts = commands.flatMap(({ env, program, args, out }): ConcretePart[] => [
      {
        kind: "command",
        argv: [program, ...args.flatMap((each) => each.becomes(value))],
        cwd,
        env: env ? ["K"] : [],
      },
      ...(out === undefined
        ? []
        : [{ kind: "write" as const, path: out.startsWith("/") ? out : `${cwd}/${out}`, cwd }]),
    ]);
    const expected = referenceDecision(rules, parts, "one");
    const isWrong = isKnown ? effect !== expected : effect === "allow" && expected !== "allow";
    if (isWrong) {
      throw new Error(
        `${line} with V=${JSON.stringify(value)}: ${effect}, but the reference says ${expected}`,
      );
    }
  }
}
