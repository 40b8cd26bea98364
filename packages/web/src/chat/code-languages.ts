// Languages whose code is coloured, each in a separate file that is fetched on demand.
import type { LanguageInput } from "shiki/core";

const languages = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
} satisfies Record<string, LanguageInput>;

export type CodeLanguage = keyof typeof languages;

const otherNames: ReadonlyMap<string, CodeLanguage> = new Map([
  ["golang", "go"],
  ["h", "c"],
  ["js", "javascript"],
  ["jsonc", "json"],
  ["jsx", "tsx"],
  ["patch", "diff"],
  ["py", "python"],
  ["rs", "rust"],
  ["sh", "bash"],
  ["shell", "bash"],
  ["ts", "typescript"],
  ["yml", "yaml"],
  ["zsh", "bash"],
]);

/** The language that is meant by what stands after a fence; undefined where none is known by that name. */
export function codeLanguage(info: string): CodeLanguage | undefined {
  const [name = ""] = info
    .trim()
    .toLowerCase()
    .split(/[\s,{]/, 1);
  return isLanguage(name) ? name : otherNames.get(name);
}

export function grammarOf(language: CodeLanguage): LanguageInput {
  return languages[language];
}

function isLanguage(name: string): name is CodeLanguage {
  return Object.hasOwn(languages, name);
}
