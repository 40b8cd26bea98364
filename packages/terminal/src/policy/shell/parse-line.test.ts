// The shell parser: what it knows of a line, what it refuses, and real bash as its oracle.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guardLeaks } from "../../testing/leaks.ts";
import { shellLines } from "../../testing/shell-lines.ts";
import { ShellOracle } from "../../testing/shell-oracle.ts";
import { checkLine } from "../../testing/shell-property.ts";
import { parseShellLine } from "./parse-line.ts";

guardLeaks();

const home = "/home/me";

/** Words by value; an unknown one as its source in angle brackets. */
function commandsOf(line: string): string[][] {
  const { commands, problems } = parseShellLine(line, { home });
  expect({ line, problems }).toEqual({ line, problems: [] });
  return commands.map(({ words }) => words.map(({ value, source }) => value ?? `<${source}>`));
}

describe("[T685] simple commands", () => {
  it.each<[string, string[][]]>([
    ["a b  c", [["a", "b", "c"]]],
    ["a 'b c' \"d e\" f\\ g h''i", [["a", "b c", "d e", "f g", "hi"]]],
    [`a $'x\\ty\\x41\\'' "q\\"\\$\\\\z"`, [["a", "x\tyA'", 'q"$\\z']]],
    ["a && b || c; d | e & f\ng # h\n", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]],
    ["(a; { b; }) 2>&1", [["a"], ["b"]]],
    ["if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    [
      "for x in 1 2; do a; done; while b; do c; done; until d; do e; done",
      [["a"], ["b"], ["c"], ["d"], ["e"]],
    ],
    ["case x in (a|b) c;; *) d;; esac", [["c"], ["d"]]],
    ["! a; time -p b | c", [["a"], ["b"], ["c"]]],
    ["[[ -f a && b == c* ]] && d; ((1+2)); e", [["d"], ["e"]]],
    ["A=1 B+=2 a C=3", [["a", "C=3"]]],
    ["a \\\n b c\\\nd", [["a", "b", "cd"]]],
    ["a ~ ~/x x~ '~'", [["a", home, `${home}/x`, "x~", "~"]]],
    ["a <<'E' b\n$(c)\nE\nd", [["a", "b"], ["d"]]],
    ["a <<-E\n\tx\n\tE\nb", [["a"], ["b"]]],
    [
      'a $X "$X" *.c {1,2} $((1+2)) ~u x=~',
      [["a", "<$X>", '<"$X">', "<*.c>", "<{1,2}>", "<$((1+2))>", "<~u>", "<x=~>"]],
    ],
    ["a 3>&-b <&- c", [["a", "b", "c"]]],
    ["a {} { } [ a#b", [["a", "{}", "{", "}", "[", "a#b"]]],
  ])("[T685] %s", (line, expected) => {
    expect(commandsOf(line)).toEqual(expected);
  });

  it("[T685] redirections name their files and directions", () => {
    const { commands } = parseShellLine("a <i >o 2>>e >|c &>b <>rw 2>&1 <&- >&f <<<w >$X");
    expect(commands[0]?.redirections.map(({ direction, target }) => [direction, target.value])).toEqual([
      ["read", "i"],
      ["write", "o"],
      ["write", "e"],
      ["write", "c"],
      ["write", "b"],
      ["write", "rw"],
      ["write", "f"],
      ["write", undefined],
    ]);
  });

  it("[T685] an unknown word says how many arguments it becomes and how they begin", () => {
    const { commands } = parseShellLine('a "p$X" $X src/*.c -{x,y} "$@"');
    const [, ...args] = commands[0]?.words ?? [];
    expect(args.map(({ prefix, count }) => [prefix, count])).toEqual([
      ["p", "one"],
      ["", "any"],
      ["src/", "some"],
      ["-", "some"],
      ["", "any"],
    ]);
  });

  it("[T685] `cd` before `&&` moves the commands after it; otherwise their folder is unknown", () => {
    const folders = (line: string): unknown[] =>
      parseShellLine(line).commands.map((command) => command.folders);
    expect(folders("cd a && b && cd c && d")).toEqual([[], ["a"], ["a"], ["a", "c"]]);
    expect(folders("cd a; b")).toEqual([[], undefined]);
    expect(folders("cd a || b && c")).toEqual([[], undefined, undefined]);
    expect(folders("(cd a && b) && c")).toEqual([[], ["a"], []]);
    expect(folders("cd a | b; c")).toEqual([[], [], []]);
    expect(folders("for x in 1 2; do b; cd a; done")).toEqual([undefined, undefined]);
  });
});

describe("[T686] what is not certain is a problem", () => {
  it.each([
    ["a $(b)", "command substitution"],
    ["a `b`", "command substitution"],
    ["a <(b)", "process substitution"],
    ["a <<E\n$(b)\nE", "substitution in a here-document"],
    ["f() { a; }; f", "defines a function"],
    ["a $((x+1))", "arithmetic with variables"],
    ["a ${!x}", "${!x} evaluates a value"],
    ["a ${x@P}", "${x@P} evaluates a value"],
    ["[[ $x -eq 1 ]]", "-eq evaluates a value"],
    ["a 'b", "single quote without an end"],
    ['a "b', "double quote without an end"],
    ["a; ; b", 'unexpected ";"'],
    ["a &\\\n& b", "line continuation after an operator"],
    ["a ${ b; }", "parameter expansion"],
    ["A=(1 2)", "array assignment"],
    ["a[0]=1", "array element"],
    ["coproc a", "coproc is not understood"],
    ["a {fd}>f", "descriptor in a variable"],
    ["((x=1))", "arithmetic command or nested subshell"],
    ["a <<E", "here-document without a body"],
    ["a @(b|c)", 'unexpected "("'],
    [`${"(".repeat(40)}a`, "arithmetic command or nested subshell"],
    [`${"( ".repeat(40)}a`, "nesting is too deep"],
    ["a".repeat(65_537), "longer than 65536 characters"],
  ])("[T686] %s", (line, reason) => {
    expect(parseShellLine(line).problems.map((problem) => problem.reason)).toContain(reason);
  });

  it("[T686] for `sh`, whatever dash and bash read differently is a problem", () => {
    for (const line of [
      "a $'b'",
      'a $"b"',
      "a &>f",
      "[[ a ]]",
      "a <<<b",
      "a |& b",
      "a <(b)",
      "function f { a; }",
    ]) {
      expect({ line, problems: parseShellLine(line, { dialect: "sh" }).problems }).not.toEqual({
        line,
        problems: [],
      });
    }
    expect(parseShellLine("time a", { dialect: "sh" }).commands[0]?.words[0]?.value).toBe("time");
  });

  it("[T686] commands inside a substitution are found too", () => {
    const { commands } = parseShellLine('a "$(b `c`)" <(d)');
    expect(new Set(commands.map(({ words }) => words[0]?.value))).toEqual(new Set(["a", "b", "c", "d"]));
  });

  it("[T686] any text is parsed in linear time, without a crash", () => {
    for (const text of [
      "(",
      "$(",
      "{",
      "'",
      "`",
      "a\\\n",
      "<<a\n",
      "${",
      "[[ ",
      "{a,",
      "if ",
      "case a in ",
      "a{}}",
      "\\`",
    ]) {
      const startedMs = performance.now();
      parseShellLine(text.repeat(Math.floor(60_000 / text.length)));
      expect(performance.now() - startedMs).toBeLessThan(4000);
    }
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => void parseShellLine(text)),
    );
  });
});

describe("[T687] bash as the oracle", () => {
  it("[T687] whatever bash executes or writes was predicted, or the line is a problem", async () => {
    const oracle = new ShellOracle();
    const numRuns = process.env["HOLDFAST_LONG"] === "1" ? 20_000 : 100;
    try {
      await fc.assert(
        fc.asyncProperty(shellLines, async (line) => void (await checkLine(oracle, line))),
        { numRuns },
      );
    } finally {
      oracle.close();
    }
  });
});
