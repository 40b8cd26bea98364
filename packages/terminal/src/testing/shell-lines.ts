// Random shell lines of harmless words: from a grammar, and the same with characters changed.
import fc from "fast-check";

/** Programs are `a` and `b`, files are in the current folder: nothing in a line reaches further. */
const words = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("a", "b", "ab", "f1", "d/x", "-n", "x=y", "--f=a", "12", "[", "{}", "}", "in"),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "'a b'",
      '"a b"',
      "a\\ b",
      "''",
      '""',
      "a''b",
      "'a'\"b\"",
      "\\a",
      "\\$X",
      '"\\$X"',
      "a#b",
      "'#'",
      '"\\\\"',
      "\\'",
      "$'a\\tb'",
      "$'\\x61'",
      "$'\\141b'",
      "$'\\u0061'",
      "$'\\''",
      '"a\\b"',
      "a\\\nb",
      '"a\\\nb"',
      "$",
      '"$"',
      "a$",
      "~",
      "~/a",
      "a~b",
      "x=~/a",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "$X",
      '"$X"',
      "${X}",
      '"${X:-a}"',
      "$E",
      '"$E"',
      "$@",
      '"$@"',
      "a$X",
      '"a$X b"',
      "${#X}",
      "$((1+2))",
      "$#",
      "$?",
      "${X%b}",
      "*",
      "a*",
      "?1",
      "[ab]b",
      "{a,b}",
      "a{1,2}b",
      "{a..c}",
      "d/*",
      "{,a}",
      "f{1}",
      "{a,$X}",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "$(a)",
      "`b a`",
      '"$(a b)"',
      "$(a `b`)",
      "<(a)",
      "$((X+1))",
      "${X:1}",
      "${!X}",
      '$"a"',
    ),
  },
);

const redirections = fc.constantFrom(
  ">f1",
  "> d/x",
  ">>ab",
  "2>f1",
  "2>&1",
  ">&2",
  "</dev/null",
  "<f1",
  "&>f1",
  ">|f1",
  "<>f1",
  ">'a b'",
  ">$X",
  "> a*",
  "<<<a",
  ">&f1",
  "3>&-",
);
const heads = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom("a", "b", "'a'", "\\b", '"b"') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "command a",
      "env a",
      "env X=1 b",
      "nice a",
      "nohup b",
      "timeout 5 a",
      "exec a",
      "builtin eval a",
      "eval a b",
      "eval 'a; b'",
      "sh -c 'a b; b'",
      "bash -c 'a $0' b",
      "bash -ec 'a && b'",
      "sh -c 'a \"$X\"'",
      "xargs a",
      "time a",
      "! a",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "cd d",
      "cd",
      "cd $X",
      "true",
      "false",
      "echo",
      "$X",
      "X=b",
      "export X=b",
      "set -e;",
      "test",
      "[",
      ":",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "alias a=b;",
      "hash -p d a;",
      "unset X;",
      "read X;",
      "X=1 a",
      "X=b Y=c b",
      "PATH=d a",
      "shopt -s nullglob;",
      "set -f;",
      "printf -v X b;",
      "IFS=a;",
    ),
  },
);

const simple = fc
  .tuple(heads, fc.array(words, { maxLength: 3 }), fc.array(redirections, { maxLength: 1 }))
  .map(([head, args, files]) => [head, ...args, ...files].join(" "));

const { line } = fc.letrec<{ line: string; command: string }>((tie) => ({
  command: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 8, arbitrary: simple },
    { weight: 1, arbitrary: tie("line").map((list) => `( ${list} )`) },
    { weight: 1, arbitrary: tie("line").map((list) => `{ ${list}; }`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie("line"), tie("line"), tie("line"))
        .map(([test, yes, no]) => `if ${test}; then ${yes}; else ${no}; fi`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(words, tie("line")).map(([word, list]) => `for X in ${word} b; do ${list}; done`),
    },
    { weight: 1, arbitrary: tie("line").map((list) => `while false; do ${list}; done`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(words, tie("line"))
        .map(([word, list]) => `case ${word} in a|b) ${list};; *) b;; esac`),
    },
    { weight: 1, arbitrary: fc.tuple(words, words).map(([one, other]) => `[[ ${one} == ${other} ]]`) },
    { weight: 1, arbitrary: simple.map((text) => `${text} <<EOF\na $X\nEOF\n`) },
    { weight: 1, arbitrary: simple.map((text) => `${text} <<-'E'\n\t$(b)\n\tE\n`) },
  ),
  line: fc
    .tuple(
      tie("command"),
      fc.array(
        fc.tuple(fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " & ", " |& ", " # c\n"), tie("command")),
        { maxLength: 2, depthIdentifier: "list" },
      ),
    )
    .map(([first, rest]) => [first, ...rest.flat()].join("")),
}));

const marks = "'\"\\$`;&|<>(){}[]*?~#! \n=,.ab/1-".split("");

/** A place, and what is done there. */
const edits = fc.array(
  fc.tuple(fc.nat(1000), fc.constantFrom("insert", "delete", "swap"), fc.constantFrom(...marks)),
  { maxLength: 3 },
);

/** Lines as a grammar makes them, and with up to three characters changed. */
export const shellLines: fc.Arbitrary<string> = fc
  .tuple(line, fc.oneof(fc.constant([]), edits))
  .map(([text, changes]) => {
    let changed = text;
    for (const [place, kind, mark] of changes) {
      const at = place % (changed.length + 1);
      if (kind === "insert") changed = changed.slice(0, at) + mark + changed.slice(at);
      else if (kind === "delete") changed = changed.slice(0, at) + changed.slice(at + 1);
      else {
        changed = changed.slice(0, at) + changed.charAt(at + 1) + changed.charAt(at) + changed.slice(at + 2);
      }
    }
    return changed;
  });
