// The paths that a command may touch, as its arguments read, and whether they match patterns.
import { type Pattern, pathPattern } from "./glob.ts";
import { MAYBE, NO, YES, type Match } from "./match.ts";
import type { ShellWord } from "./shell/shell-line.ts";

/** A path that is known, a folder below which it lies, or nothing known about it. */
export type TouchedPath =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "below"; readonly folder: string }
  | { readonly kind: "unknown" };

const unknown: TouchedPath = { kind: "unknown" };

/** Joins and normalizes by text alone: symbolic links are not followed. */
export function resolvePath(folder: string | undefined, path: string): string | undefined {
  if (!path.startsWith("/") && folder === undefined) return undefined;
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Every way in which a word could name a file. */
export function pathsOfWord(word: ShellWord, folder: string | undefined): TouchedPath[] {
  const { value } = word;
  if (value === undefined) return [pathOfPattern(word, folder)];
  return namesIn(value).map((name) => {
    const path = resolvePath(folder, name);
    return path === undefined ? unknown : { kind: "path", path };
  });
}

/** `a`, `--file=a`, `of=a`, `-fa`: the word, and what may be a path in it. */
function namesIn(value: string): string[] {
  const names: string[] = [];
  const isOption = value.startsWith("-") && value !== "-";
  if (!isOption) names.push(value);
  const equals = value.indexOf("=");
  if (equals !== -1) names.push(value.slice(equals + 1));
  if (isOption && !value.startsWith("--") && /[/~]|\.\./.test(value)) names.push(value.slice(2));
  return names;
}

/** A pattern of file names stays below the folder that stands before it, unless it climbs out by `..`. */
function pathOfPattern({ source, prefix, count }: ShellWord, folder: string | undefined): TouchedPath {
  const isClimbing = source.includes("..") || /(?:^|\/)\.[^/]*$/.test(prefix);
  if (count !== "some" || isClimbing || prefix.startsWith("-") || prefix.includes("=")) return unknown;
  const slash = prefix.lastIndexOf("/");
  const below = resolvePath(folder, slash === 0 ? "/" : prefix.slice(0, Math.max(slash, 0)));
  return below === undefined ? unknown : { kind: "below", folder: below };
}

/** Patterns of paths: whole folders, and others. */
export interface PathPatterns {
  /** Folders of the patterns that end in `/**` and have no other wildcard. */
  readonly trees: readonly string[];
  readonly expressions: readonly Pattern[];
}

/** Compiles absolute patterns. */
export function compilePaths(texts: readonly string[]): PathPatterns {
  const trees: string[] = [];
  const expressions: Pattern[] = [];
  for (const text of texts) {
    const tree = text.endsWith("/**") ? text.slice(0, -"/**".length) : undefined;
    if (tree === undefined || /[*?[]/.test(tree)) expressions.push(pathPattern(text));
    else trees.push(tree === "" ? "/" : tree);
  }
  return { trees, expressions };
}

/** Whether the path matches any of the patterns. */
export function matchPath({ expressions, trees }: PathPatterns, touched: TouchedPath): Match {
  switch (touched.kind) {
    case "path":
      return trees.some((tree) => isInside(touched.path, tree)) ||
        expressions.some((expression) => expression.test(touched.path))
        ? YES
        : NO;
    case "below":
      return trees.some((tree) => isInside(touched.folder, tree)) ? YES : MAYBE;
    case "unknown":
      return MAYBE;
  }
}

/** Whether a path is a folder or lies below it; `/a` does not hold `/ab`. */
function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
