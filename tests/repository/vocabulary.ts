// Words that plain ones replaced, how often each is still in the repository, and the check that keeps them from returning.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root, type SourceFile } from "./source-file.ts";

/** A word or phrase that new text must not use. */
export interface OldWord {
  readonly pattern: RegExp;
  /** The plain words for it. */
  readonly instead: string;
  /** Occurrences that are left. Only ever lowered. */
  readonly count: number;
}

/** How far a recorded count may exceed the actual one before it must be lowered. */
const slack = 10;

/** Matched in lower case, with names split into their words: `toldShare` is "told share". */
const oldWords: Readonly<Record<string, OldWord>> = {
  tell: {
    pattern: /\b(?:tell(?:s|ing|ers?)?|told)\b/g,
    instead: "publish, notify, send, report",
    count: 31,
  },
  "take up": {
    pattern: /\btak(?:es?|en|ing) (?:\w+ )?up\b(?! to\b)/g,
    instead: "resume, reconnect",
    count: 3,
  },
  mend: { pattern: /\bmend(?:s|ed|ing)?\b/g, instead: "fix", count: 0 },
  anew: { pattern: /\banew\b/g, instead: "again", count: 2 },
  whoever: { pattern: /\bwhoever\b/g, instead: "clients that …, anyone who …", count: 2 },
  "who without a noun": {
    pattern: /\b(?:for|of|and|to|by) who [a-z]+s\b/g,
    instead: "clients that …, anyone who …",
    count: 0,
  },
  figures: { pattern: /\bfigures?\b/g, instead: "stats, metrics, measurements", count: 5 },
  patience: { pattern: /\bpatience\b/g, instead: "timeouts", count: 8 },
  deed: { pattern: /\bdeeds?\b/g, instead: "actions", count: 0 },
  desk: { pattern: /\bdesks?\b/g, instead: "a name after what it serves", count: 0 },
  judge: { pattern: /\bjudg(?:e[sd]?|ing|ements?)\b/g, instead: "validate, check", count: 0 },
  verdict: { pattern: /\bverdicts?\b/g, instead: "decision", count: 15 },
  surroundings: { pattern: /\bsurroundings\b/g, instead: "platform", count: 0 },
  belonging: { pattern: /\bbelonging\b/g, instead: "owner", count: 0 },
  kinded: { pattern: /\bkinded\b/g, instead: "by kind", count: 0 },
  outlet: { pattern: /\boutlets?\b/g, instead: "socket writer", count: 0 },
  overhear: { pattern: /\boverhear\w*/g, instead: "tap", count: 0 },
  asleep: { pattern: /\b(?:asleep|resting)\b/g, instead: "idle", count: 0 },
  "let go": { pattern: /\blet(?:s|ting)? go\b/g, instead: "release, remove, unload", count: 3 },
  "go on": { pattern: /\bgo(?:es|ing)? on\b/g, instead: "continue", count: 20 },
  "of its own": { pattern: /\bof (?:its|their|our|your) own\b/g, instead: "own, separate", count: 7 },
  "by itself": { pattern: /\bby (?:itself|themselves)\b/g, instead: "automatically", count: 0 },
  "all the same": { pattern: /\ball the same\b/g, instead: "anyway, nevertheless", count: 2 },
  "is to be": {
    pattern: /\b(?:is|are|was) to be (?:had|found|seen|told|made)\b/g,
    instead: "is available through",
    count: 0,
  },
  breath: { pattern: /\bbreath\b/g, instead: "in the same tick", count: 0 },
  "turn of the loop": { pattern: /\bturns? of (?:the|its) (?:event )?loop\b/g, instead: "tick", count: 3 },
  "there and back": { pattern: /\bthere and back\b/g, instead: "latency, round trip", count: 1 },
  unasked: { pattern: /\bunasked\b/g, instead: "without approval", count: 9 },
  rooms: { pattern: /\b(?:rooms|house|three walks)\b/g, instead: "packages", count: 0 },
};

/** Matched as written, since only the spelling sets them apart from ordinary words. */
const oldSpellings: Readonly<Record<string, OldWord>> = {
  "…Tools for dependencies": { pattern: /\b[A-Z]\w+Tools\b/g, instead: "…Deps", count: 0 },
  "…Means": { pattern: /\b\w+Means\b/g, instead: "backend", count: 0 },
  "a comment that starts with What": {
    pattern: /(?:\/\*\*|\/\/) What (?:an?|the|its|all|it)\b/g,
    instead: "a noun",
    count: 0,
  },
};

/** The text of every tracked document, source and script; undefined outside a git checkout. */
export function readTrackedTexts(): SourceFile[] | undefined {
  if (!existsSync(path.join(root, ".git"))) return undefined;
  return execFileSync("git", ["-C", root, "ls-files", "-z"], { encoding: "utf8" })
    .split("\0")
    .filter((file) => /\.(?:md|tsx?|mjs|jsonc?|css|html|sh|bash|fish)$/.test(file))
    .filter((file) => !/(?:^|\/)(?:fixtures\/|package-lock\.json|CHANGELOG\.md)/.test(file))
    .filter((file) => file !== "tests/repository/vocabulary.ts" && existsSync(path.join(root, file)))
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), "utf8") }));
}

/** One sentence for each word that is used more often than recorded, and for each recorded count that is too high. */
export function vocabularyFaults(
  files: readonly SourceFile[],
  words: Readonly<Record<string, OldWord>> = oldWords,
  spellings: Readonly<Record<string, OldWord>> = oldSpellings,
): string[] {
  const asWritten = files.map(({ path: filePath, text }) => `${filePath}\n${text}`).join("\n");
  return [...countFaults(plain(asWritten), words), ...countFaults(asWritten, spellings)];
}

function countFaults(text: string, words: Readonly<Record<string, OldWord>>): string[] {
  return Object.entries(words).flatMap(([name, { pattern, instead, count }]) => {
    const actual = text.match(pattern)?.length ?? 0;
    if (actual > count) return [`"${name}": ${actual} occurrences, ${count} allowed; write: ${instead}`];
    if (actual < count - slack) return [`"${name}": lower its count from ${count} to ${actual}`];
    return [];
  });
}

/** Lower case, with `camelCase`, `snake_case` and `kebab-case` names split. */
function plain(text: string): string {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
}
