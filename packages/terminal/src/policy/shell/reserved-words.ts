// The words that begin and end compound commands.

/** A reserved word at the cursor, followed by something that ends a word. */
export const reserved =
  /(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|coproc|time|[{}!]|\[\[)(?=[ \t\n;&|<>()]|$)/y;

export const reservedWords: ReadonlySet<string> = new Set(
  "if then elif else fi do done case esac while until for select function coproc time { } ! [[".split(" "),
);

/** Those that other shells do not reserve. */
export const bashWords: ReadonlySet<string> = new Set(["function", "select", "coproc", "[["]);

/** Those that cannot begin a command. */
export const endingWords: ReadonlySet<string> = new Set([
  "then",
  "elif",
  "else",
  "fi",
  "do",
  "done",
  "esac",
  "}",
]);

/** `in` of `for` and `case`. */
export const inWord = /in(?=[ \t\n;&|<>()]|$)/y;
