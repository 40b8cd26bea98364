// Patterns of paths as clients write them: `**`, `*`, `?`, `{a,b}`, or a plain path with everything below it.

/** Whether a path relative to what is watched fits one of the patterns. */
export function matcherOf(patterns: readonly string[]): (relativePath: string) => boolean {
  const expressions = patterns.map(expressionOf);
  return (relativePath) => expressions.some((each) => each.test(relativePath));
}

function expressionOf(pattern: string): RegExp {
  const plain = pattern.replace(/^\.?\//, "").replace(/\/$/, "");
  const source = plain
    .split(/(\*\*\/|\/\*\*$|\*\*|\*|\?|\{[^{}]*\})/)
    .map(sourceOf)
    .join("");
  // A pattern that fits a folder fits everything below it.
  return new RegExp(`^${source}(?:/.*)?$`, "s");
}

function sourceOf(piece: string): string {
  switch (piece) {
    case "**/":
      return "(?:.*/)?";
    case "/**":
      return "(?:/.*)?";
    case "**":
      return ".*";
    case "*":
      return "[^/]*";
    case "?":
      return "[^/]";
    default: {
      const isChoice = piece.startsWith("{") && piece.endsWith("}");
      if (!isChoice) return escape(piece);
      return `(?:${piece.slice(1, -1).split(",").map(escape).join("|")})`;
    }
  }
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
