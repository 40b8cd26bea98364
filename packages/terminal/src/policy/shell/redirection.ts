// Reads one redirection: its operator, its target, and whether that is a file.
import type { HereDocuments } from "./here-document.ts";
import type { Redirection, ShellDialect, ShellWord } from "./shell-line.ts";
import { isMeta, type Source } from "./source.ts";
import type { ReadWord, WordReader } from "./word-reader.ts";

const operators = ["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">"] as const;
const bashOnly = new Set<string>(["&>>", "&>", "<<<"]);
const duplicates = /^(?:\d+-?|-)$/;

/** The redirection at the cursor, with the file that it opens; undefined if there is none. */
export function readRedirection(
  source: Source,
  words: WordReader,
  documents: HereDocuments,
  dialect: ShellDialect,
  descriptor: ShellWord | undefined,
): { readonly file: Redirection | undefined } | undefined {
  const next = source.peek();
  // A process substitution is a word.
  if ((next === "<" || next === ">") && source.peek(1) === "(") {
    if (descriptor !== undefined) throw source.error("process substitution after a descriptor");
    return undefined;
  }
  const operator = operators.find((each) => source.startsWith(each));
  if (operator === undefined) return undefined;
  if (dialect === "sh" && bashOnly.has(operator)) throw source.error(`${operator} differs between shells`);
  source.take(operator);
  if ((operator === "<&" || operator === ">&") && source.peek() === "-") {
    // In bash this is an operator, and what follows another word.
    source.take("-");
    if (dialect === "sh" && !isMeta(source.peek())) throw source.error(`${operator}- differs between shells`);
    return { file: undefined };
  }
  source.skipBlanks();
  const read = words.read();
  if (read === undefined) throw source.error("redirection without a target");
  const target = read.word;
  if (operator === "<<" || operator === "<<-") {
    documents.announce(target, read.isBare, operator === "<<-");
    return { file: undefined };
  }
  if (operator === "<<<") return { file: undefined };
  const isDuplicate = (operator === "<&" || operator === ">&") && duplicates.test(target.value ?? "");
  if (isDuplicate) return { file: undefined };
  const direction = operator === "<" || operator === "<&" ? "read" : "write";
  return { file: { direction, target } };
}

/** Digits directly before a redirection are its descriptor; `{name}` there would set a variable. */
export function isDescriptor(source: Source, { word, isBare }: ReadWord): boolean {
  if (!/[<>]/.test(source.peek()) || !isBare) return false;
  if (/^\{[A-Za-z_]\w*\}$/.test(word.value ?? "")) throw source.error("descriptor in a variable");
  if (!/^\d+$/.test(word.value ?? "")) return false;
  if (word.source !== word.value) throw source.error("line continuation inside a descriptor");
  return true;
}
