// Patterns of words and of paths, matched in time proportional to the text, whatever it contains.

/** Something that a text can be tested against. */
export interface Pattern {
  test(text: string): boolean;
}

/** A character, a set of characters, any character, or a run of characters; `*` of a path stops at a slash. */
type Token =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "set"; readonly characters: string; readonly isNegated: boolean }
  | { readonly kind: "any" | "run" | "segment" };

/** Matches a whole word: `*` any characters, `?` one, `[…]` one of a set, `[!…]` one that is not in it. */
export function wordPattern(pattern: string): Pattern {
  if (!/[*?[]/.test(pattern)) return { test: (text) => text === pattern };
  return matcher(tokensOf(pattern, () => "run"));
}

/** Matches an absolute path: `*` within a segment, `**` any depth, also none, and `/a/**` also `/a` itself. */
export function pathPattern(pattern: string): Pattern {
  const whole = matcher(tokensOf(pattern, (stars) => (stars === "*" ? "segment" : "run")));
  if (!pattern.endsWith("/**")) return whole;
  const folder = pathPattern(pattern.slice(0, -"/**".length) || "/");
  return { test: (path) => whole.test(path) || folder.test(path) };
}

/** The characters before the first wildcard. */
export function literalPrefix(pattern: string): string {
  return /^[^*?[]*/.exec(pattern)?.[0] ?? "";
}

/** How many characters of a pattern stand for themselves. */
export function literalLength(pattern: string): number {
  return pattern.replaceAll(/\[!?[^\]]+\]|[*?]/g, "").length;
}

function tokensOf(pattern: string, runOf: (stars: string) => "run" | "segment"): Token[] {
  return [...pattern.matchAll(/\*+|\?|\[(!?)([^\]]+)\]|[^]/gu)].map(([text, negation, characters]): Token => {
    if (text.startsWith("*")) return { kind: runOf(text) };
    if (text === "?") return { kind: "any" };
    if (characters !== undefined) return { kind: "set", characters, isNegated: negation === "!" };
    return { kind: "character", character: text };
  });
}

/** Follows all ways to match at once, so that no text makes it try them one after the other. */
function matcher(tokens: readonly Token[]): Pattern {
  const isRun = tokens.map(({ kind }) => kind === "run" || kind === "segment");
  const isFolders = tokens.map(
    ({ kind }, index) => kind === "run" && isSlash(tokens[index - 1]) && isSlash(tokens[index + 1]),
  );
  return {
    test(text) {
      let active = reach(isRun, [true]);
      for (const character of text) {
        const next: boolean[] = [];
        let isAlive = false;
        for (const [index, token] of tokens.entries()) {
          if (active[index] !== true || !accepts(token, character)) continue;
          next[isRun[index] === true ? index : index + 1] = true;
          // No folders at all: the slash before them is also the one after them.
          if (isFolders[index + 1] === true) next[index + 3] = true;
          isAlive = true;
        }
        if (!isAlive) return false;
        active = reach(isRun, next);
      }
      return active[tokens.length] === true;
    },
  };
}

/** A run may be empty, so whatever leads to it also leads to what follows. */
function reach(isRun: readonly boolean[], states: boolean[]): boolean[] {
  for (let index = 0; index < isRun.length; index += 1) {
    if (states[index] === true && isRun[index] === true) states[index + 1] = true;
  }
  return states;
}

function isSlash(token: Token | undefined): boolean {
  return token?.kind === "character" && token.character === "/";
}

function accepts(token: Token, character: string): boolean {
  switch (token.kind) {
    case "character":
      return token.character === character;
    case "set":
      return token.characters.includes(character) !== token.isNegated;
    case "segment":
      return character !== "/";
    case "any":
    case "run":
      return true;
  }
}
