// Reads one word: quotes, escapes, tilde, patterns, braces and expansions, as bash and POSIX shells do.
import { readAnsiQuote } from "./ansi-quote.ts";
import type { ShellDialect, ShellProblem, ShellWord } from "./shell-line.ts";
import { isMeta, type Source } from "./source.ts";
import { WordBuilder } from "./word-builder.ts";

/** The grammar around a word, as the word needs it. */
export interface WordGrammar {
  readonly dialect: ShellDialect;
  /** The directory that `~` stands for. */
  readonly home: string | undefined;
  report(kind: ShellProblem["kind"], reason: string, at: number): void;
  /** Reads a list up to and including its closing parenthesis. */
  readSubstitution(): void;
  /** Reads a list that stands in its own text, as between backquotes. */
  readNested(text: string): void;
  setVariable(name: string): void;
}

/** A word, and how it was written. */
export interface ReadWord {
  readonly word: ShellWord;
  /** Without quotes, escapes and expansions: only such a word can be reserved. */
  readonly isBare: boolean;
  /** The name that it assigns to, if it stands before a command. */
  readonly assigns: string | undefined;
}

const parameter =
  /\$\{([#!]?)([A-Za-z_]\w*|\d+|[@*#?$!-])((?:\[(?:\d+|[@*])\])?)((?:[^}'"`\\(){$]|\$(?=[\w@*#?!-]))*)\}/y;
const simpleParameter = /\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y;
const constantArithmetic = /\$\(\([\d+\-*/%<>=!&|^~?:,\s]*\)\)/y;
const namedArithmetic = /\$\(\([\w$+\-*/%<>=!&|^~?:,\s]*\)\)/y;
const assignment = /^([A-Za-z_]\w*)\+?=/;

/** Reads a word at the cursor; undefined if none begins there. */
export class WordReader {
  readonly #source: Source;
  readonly #grammar: WordGrammar;

  constructor(source: Source, grammar: WordGrammar) {
    this.#source = source;
    this.#grammar = grammar;
  }

  read(): ReadWord | undefined {
    const source = this.#source;
    const start = source.at;
    const builder = new WordBuilder();
    while (this.#readPiece(builder, start));
    if (source.at === start) return undefined;
    const word = builder.build(source.text.slice(start, source.at));
    const name = assignment.exec(builder.text);
    const isAssignment = name !== null && name[0].length <= builder.bareLength;
    return { word, isBare: builder.isBare, assigns: isAssignment ? name[1] : undefined };
  }

  /** Reads the next piece; false at the end of the word. */
  #readPiece(builder: WordBuilder, start: number): boolean {
    const source = this.#source;
    const character = source.peek();
    if ((character === "<" || character === ">") && source.peek(1) === "(") {
      this.#readProcess(builder);
      return true;
    }
    if (isMeta(character)) return false;
    if (source.isContinuation()) source.at += 2;
    else if (character === "\\") this.#readEscape(builder);
    else if (character === "'") this.#readSingle(builder);
    else if (character === '"') this.#readDouble(builder);
    else if (character === "$") this.#readDollar(builder, false);
    else if (character === "`") this.#readBackquotes(builder, false);
    else this.#readPlain(builder, character, start);
    return true;
  }

  #readPlain(builder: WordBuilder, character: string, start: number): void {
    const source = this.#source;
    if (character === "\0") throw source.error("NUL character");
    if (character === "~" && this.#isTilde(builder, start)) return this.#readTilde(builder, start);
    source.at += 1;
    if (character === "{") return builder.openBrace();
    if (character === "}") return builder.closeBrace();
    const isTest = character === "[" && source.at === start + 1 && isMeta(source.peek());
    if (character === "*" || character === "?" || (character === "[" && !isTest)) {
      builder.addUnknown("some", "file name pattern");
    }
    return builder.add(character);
  }

  #isTilde(builder: WordBuilder, start: number): boolean {
    return this.#source.at === start || ["=", ":"].includes(builder.text.at(-1) ?? "");
  }

  #readTilde(builder: WordBuilder, start: number): void {
    const source = this.#source;
    const { home } = this.#grammar;
    const next = source.peek(1);
    const isHome = source.at === start && (isMeta(next) || next === "/");
    source.at += 1;
    if (!isHome || home === undefined || home === "") return builder.addUnknown("one", "tilde");
    builder.quote();
    return builder.add(home === "/" && next === "/" ? "" : home);
  }

  #readEscape(builder: WordBuilder): void {
    const source = this.#source;
    const next = source.peek(1);
    if (next === "" || next === "\0") throw source.error("backslash at the end");
    builder.quote();
    builder.add(next);
    source.at += 2;
  }

  #readSingle(builder: WordBuilder): void {
    const source = this.#source;
    const end = source.text.indexOf("'", source.at + 1);
    if (end === -1) throw source.error("single quote without an end");
    const text = source.text.slice(source.at + 1, end);
    if (text.includes("\0")) throw source.error("NUL character");
    builder.quote();
    builder.add(text);
    source.at = end + 1;
  }

  #readDouble(builder: WordBuilder): void {
    const source = this.#source;
    const opening = source.at;
    source.at += 1;
    builder.quote();
    for (;;) {
      const character = source.peek();
      if (character === "" || character === "\0") throw source.error("double quote without an end", opening);
      if (character === '"') break;
      if (source.isContinuation()) source.at += 2;
      else if (character === "\\" && /[$`"\\]/.test(source.peek(1))) {
        builder.add(source.peek(1));
        source.at += 2;
      } else if (character === "$") this.#readDollar(builder, true);
      else if (character === "`") this.#readBackquotes(builder, true);
      else {
        builder.add(character);
        source.at += 1;
      }
    }
    source.at += 1;
  }

  #readDollar(builder: WordBuilder, isQuoted: boolean): void {
    const source = this.#source;
    const next = source.peek(1);
    if (source.isContinuation(1)) throw source.error("line continuation inside an expansion");
    if (next === "(") return this.#readParenthesis(builder, isQuoted);
    if (next === "{") return this.#readParameter(builder, isQuoted);
    if (next === "[") throw source.error("old arithmetic expansion");
    if (next === "'" && !isQuoted) return this.#readAnsi(builder);
    if (next === '"' && !isQuoted) {
      if (this.#grammar.dialect === "sh") throw source.error('$"…" differs between shells');
      source.at += 1;
      this.#readDouble(builder);
      return builder.addUnknown("one", "translated string");
    }
    const found = source.match(simpleParameter);
    source.at += found === null ? 1 : found[0].length;
    if (found === null) {
      builder.quote();
      return builder.add("$");
    }
    const isOne = isQuoted && found[0] !== "$@";
    return builder.addUnknown(isOne ? "one" : "any", `value of ${found[0]}`);
  }

  #readAnsi(builder: WordBuilder): void {
    const source = this.#source;
    if (this.#grammar.dialect === "sh") throw source.error("$'…' differs between shells");
    const { text, length } = readAnsiQuote(source);
    source.at += length;
    builder.quote();
    if (text === undefined) builder.addUnknown("one", "escaped bytes");
    else builder.add(text);
  }

  /** `$(…)` and `$((…))`. A variable in arithmetic may hold an array subscript with a command in it. */
  #readParenthesis(builder: WordBuilder, isQuoted: boolean): void {
    const source = this.#source;
    const start = source.at;
    const count = isQuoted ? "one" : "any";
    if (source.isContinuation(2)) throw source.error("line continuation inside an expansion");
    if (source.peek(2) === "(") {
      const found = source.match(constantArithmetic) ?? source.match(namedArithmetic);
      if (found === null) throw source.error("arithmetic expansion");
      if (/[A-Za-z_$]/.test(found[0].slice(1))) {
        this.#grammar.report("substitution", "arithmetic with variables", start);
      }
      source.at += found[0].length;
      return builder.addUnknown(count, "arithmetic");
    }
    source.at += 2;
    this.#grammar.report("substitution", "command substitution", start);
    this.#grammar.readSubstitution();
    return builder.addUnknown(count, "command substitution");
  }

  #readParameter(builder: WordBuilder, isQuoted: boolean): void {
    const source = this.#source;
    const found = source.match(parameter);
    if (found === null) throw source.error("parameter expansion");
    const [all, mark = "", name = "", subscript = "", operation = ""] = found;
    // Each of these evaluates the variable's value, which may hold a command.
    const isOffset = /^:(?![-=?+])/.test(operation) && !/^: *-?\d+(?: *: *-?\d+)? *$/.test(operation);
    if ((mark === "!" && name !== "!") || operation.startsWith("@") || isOffset) {
      this.#grammar.report("substitution", `${all} evaluates a value`, source.at);
    }
    if (/^:?=/.test(operation)) this.#grammar.setVariable(name);
    source.at += all.length;
    const isOne = isQuoted && name !== "@" && subscript === "" && mark !== "!" && !operation.includes("@");
    builder.addUnknown(isOne ? "one" : "any", `value of ${all}`);
  }

  #readBackquotes(builder: WordBuilder, isQuoted: boolean): void {
    const source = this.#source;
    const start = source.at;
    let text = "";
    source.at += 1;
    while (source.peek() !== "`") {
      const next = source.peek(1);
      if (source.isAtEnd) throw source.error("backquote without an end", start);
      const isEscape = source.peek() === "\\" && (/[\\$`]/.test(next) || (isQuoted && next === '"'));
      text += isEscape ? next : source.peek();
      source.at += isEscape ? 2 : 1;
    }
    source.at += 1;
    this.#grammar.report("substitution", "command substitution", start);
    this.#grammar.readNested(text);
    builder.addUnknown(isQuoted ? "one" : "any", "command substitution");
  }

  #readProcess(builder: WordBuilder): void {
    const source = this.#source;
    if (this.#grammar.dialect === "sh") throw source.error("process substitution differs between shells");
    this.#grammar.report("substitution", "process substitution", source.at);
    source.at += 2;
    this.#grammar.readSubstitution();
    builder.addUnknown("one", "process substitution");
  }
}
