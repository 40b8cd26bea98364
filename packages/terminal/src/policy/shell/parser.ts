// The grammar of shell lines: lists, pipelines, compound commands and simple commands, in one pass without backtracking.
import { FolderState } from "./folder-state.ts";
import { HereDocuments } from "./here-document.ts";
import { readCondition } from "./condition.ts";
import { isDescriptor, readRedirection } from "./redirection.ts";
import type { Assignment, Redirection, ShellProblem, ShellWord, SimpleCommand } from "./shell-line.ts";
import { bashWords, inWord, reservedWords } from "./reserved-words.ts";
import { isMeta, ShellSyntaxError, Source } from "./source.ts";
import { Tokens } from "./tokens.ts";
import { type ReadWord, type WordGrammar, WordReader } from "./word-reader.ts";

/** Where a parser puts what it finds; shared by those of nested texts. */
export interface Findings {
  readonly commands: SimpleCommand[];
  readonly problems: ShellProblem[];
  readonly variables: Set<string>;
}

/** The settings of a parse. */
export interface ParserOptions extends Pick<WordGrammar, "dialect" | "home"> {
  readonly depth: number;
}

/** Deeper nesting is refused, so that no line exhausts the stack. */
const maxDepth = 32;

const name = /^[A-Za-z_]\w*$/;
const constantCommand = /\(\([\d+\-*/%<>=!&|^~?:,\s]*\)\)/y;

export class Parser {
  readonly #source: Source;
  readonly #findings: Findings;
  readonly #options: ParserOptions;
  readonly #tokens: Tokens;
  readonly #words: WordReader;
  readonly #documents: HereDocuments;
  readonly #folder = new FolderState();
  #depth: number;

  constructor(text: string, findings: Findings, options: ParserOptions) {
    this.#source = new Source(text);
    this.#findings = findings;
    this.#options = options;
    this.#depth = options.depth;
    const report = (kind: ShellProblem["kind"], reason: string, at: number): void =>
      void findings.problems.push({ kind, reason, at });
    this.#documents = new HereDocuments(this.#source, (at) =>
      report("substitution", "substitution in a here-document", at),
    );
    this.#tokens = new Tokens(this.#source, this.#documents);
    this.#words = new WordReader(this.#source, {
      dialect: options.dialect,
      home: options.home,
      report,
      readSubstitution: () => this.#folder.inSubshell(() => this.#readParenthesized()),
      readNested: (nested) => this.#readNested(nested),
      setVariable: (variable) => void findings.variables.add(variable),
    });
  }

  /** Reads the whole text; what is not understood becomes a problem. */
  readAll(): void {
    try {
      this.#readList();
      if (!this.#source.isAtEnd) throw this.#tokens.unexpected();
      this.#documents.expectNone();
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      this.#report("syntax", error.message, error.at);
    }
  }

  #readNested(text: string): void {
    const options = { ...this.#options, depth: this.#depth + 1 };
    if (options.depth > maxDepth) throw this.#source.error("nesting is too deep");
    const nested = new Parser(text, this.#findings, options);
    nested.#folder.forget();
    nested.readAll();
  }

  /** A list up to a closing parenthesis, a word that cannot begin a command, or the end. */
  #readList(): number {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw this.#source.error("nesting is too deep");
    let count = 0;
    for (;;) {
      this.#tokens.skipLines();
      if (this.#tokens.endsList()) break;
      this.#readAndOr();
      count += 1;
      this.#source.skipBlanks();
      if (this.#source.startsWith(";;") || this.#source.startsWith(";&")) break;
      const isSeparated = this.#tokens.takeAny(["&", ";"]) || this.#source.peek() === "\n";
      if (!isSeparated) break;
    }
    this.#depth -= 1;
    return count;
  }

  #readAndOr(): void {
    const source = this.#source;
    const folder = this.#folder.begin();
    for (let isAfterOr = false; ;) {
      this.#readPipeline(isAfterOr);
      source.skipBlanks();
      const isAnd = source.take("&&");
      const isOr = !isAnd && source.startsWith("||") && source.take("||");
      if (!isAnd && !isOr) break;
      isAfterOr ||= isOr;
      this.#folder.connect(isAnd && !isAfterOr);
      this.#tokens.skipLines();
    }
    const isBackground = source.peek() === "&" && source.peek(1) !== ">";
    this.#folder.end(folder, isBackground);
  }

  #readPipeline(isAfterOr: boolean): void {
    const source = this.#source;
    let isPlain = !isAfterOr;
    for (
      let word = this.#tokens.peekReserved();
      word === "!" || word === "time";
      word = this.#tokens.peekReserved()
    ) {
      // Where `time` is a program, it is a command like others.
      if (word === "time" && this.#options.dialect === "sh") break;
      source.at += word.length;
      const option = word === "time" ? source.match(/[ \t]+-p(?=[ \t])/y) : null;
      source.at += option?.[0].length ?? 0;
      source.skipBlanks();
      if (word === "time" && source.peek() === "-") throw source.error("option of time");
      if (isMeta(source.peek()) && !/[<>(]/.test(source.peek())) throw this.#tokens.unexpected();
      isPlain = false;
    }
    const before = this.#folder.begin();
    this.#readCommand();
    source.skipBlanks();
    let isPipe = false;
    while (source.peek() === "|" && source.peek(1) !== "|") {
      isPipe = true;
      source.take("|");
      if (source.peek() === "&") {
        if (this.#options.dialect === "sh") throw source.error("|& differs between shells");
        source.take("&");
      }
      this.#folder.reset(before);
      this.#tokens.skipLines();
      this.#readCommand();
      source.skipBlanks();
    }
    if (isPipe) this.#folder.reset(before);
    else if (!isPlain) this.#folder.blur(before);
  }

  #readCommand(): void {
    const source = this.#source;
    source.skipBlanks();
    if (source.peek() === "(") {
      this.#readSubshell();
      return this.#readRedirections();
    }
    const word = this.#tokens.peekReserved();
    if (word === undefined || (word === "time" && this.#options.dialect === "sh")) return this.#readSimple();
    if (bashWords.has(word) && this.#options.dialect === "sh") {
      throw source.error(`${word} differs between shells`);
    }
    source.at += word.length;
    const before = this.#folder.begin();
    this.#readCompound(word);
    this.#folder.blur(before);
    return this.#readRedirections();
  }

  #readCompound(word: string): void {
    switch (word) {
      case "{":
        this.#expectList();
        return this.#tokens.expect("}");
      case "if":
        return this.#readIf();
      case "while":
      case "until":
        return this.#inLoop(() => {
          this.#expectList();
          this.#readLoopBody();
        });
      case "for":
        return this.#inLoop(() => this.#readFor());
      case "case":
        return this.#readCase();
      case "[[":
        return readCondition(this.#source, this.#tokens, this.#words, (reason, at) =>
          this.#report("substitution", reason, at),
        );
      case "function":
        return this.#readFunction();
      default:
        throw this.#source.error(
          `${word} ${word === "select" || word === "coproc" ? "is not understood" : "is not expected here"}`,
        );
    }
  }

  #readIf(): void {
    this.#expectList();
    this.#tokens.expect("then");
    this.#expectList();
    while (this.#tokens.peekReserved() === "elif") {
      this.#tokens.expect("elif");
      this.#expectList();
      this.#tokens.expect("then");
      this.#expectList();
    }
    if (this.#tokens.peekReserved() === "else") {
      this.#tokens.expect("else");
      this.#expectList();
    }
    this.#tokens.expect("fi");
  }

  #readFor(): void {
    const source = this.#source;
    source.skipBlanks();
    const read = this.#words.read();
    if (read === undefined || !read.isBare || !name.test(read.word.value ?? "")) {
      throw source.error("loop variable");
    }
    this.#findings.variables.add(read.word.value ?? "");
    this.#tokens.skipLines();
    if (source.isAt(inWord)) {
      source.at += 2;
      this.#readWords();
    }
    source.skipBlanks();
    source.take(";");
    this.#readLoopBody();
  }

  #readLoopBody(): void {
    this.#tokens.skipLines();
    this.#tokens.expect("do");
    this.#expectList();
    this.#tokens.expect("done");
  }

  /** A second round starts where the first has gone, so nothing inside is certain after a `cd`. */
  #inLoop(read: () => void): void {
    const { commands } = this.#findings;
    const before = this.#folder.begin();
    const first = commands.length;
    read();
    if (!this.#folder.hasChangedSince(before)) return;
    for (let index = first; index < commands.length; index += 1) {
      const command = commands[index];
      if (command !== undefined) commands[index] = { ...command, folders: undefined };
    }
  }

  #readCase(): void {
    const source = this.#source;
    source.skipBlanks();
    if (this.#words.read() === undefined) throw this.#tokens.unexpected();
    this.#tokens.skipLines();
    if (!source.isAt(inWord)) throw this.#tokens.unexpected();
    source.at += 2;
    for (;;) {
      this.#tokens.skipLines();
      if (this.#tokens.peekReserved() === "esac") break;
      source.take("(");
      for (;;) {
        source.skipBlanks();
        if (this.#words.read() === undefined) throw this.#tokens.unexpected();
        source.skipBlanks();
        if (source.take(")")) break;
        if (source.startsWith("||") || !source.take("|")) throw this.#tokens.unexpected();
      }
      this.#readList();
      this.#tokens.skipLines();
      if (this.#tokens.peekReserved() === "esac") break;
      if (source.startsWith(";&") || source.startsWith(";;&")) this.#requireBash(";&");
      if (!this.#tokens.takeAny([";;&", ";;", ";&"])) throw this.#tokens.unexpected();
    }
    this.#tokens.expect("esac");
  }

  #readFunction(): void {
    const source = this.#source;
    const start = source.at;
    source.skipBlanks();
    if (this.#words.read() === undefined) throw this.#tokens.unexpected();
    source.skipBlanks();
    if (source.take("(")) {
      source.skipBlanks();
      if (!source.take(")")) throw this.#tokens.unexpected();
    }
    this.#readFunctionBody(start);
  }

  #readFunctionBody(start: number): void {
    this.#report("state", "defines a function", start);
    this.#tokens.skipLines();
    const word = this.#tokens.peekReserved();
    if (this.#source.peek() !== "(" && (word === undefined || word === "function")) {
      throw this.#tokens.unexpected();
    }
    this.#readCommand();
    this.#folder.forget();
  }

  #readSubshell(): void {
    const source = this.#source;
    if (source.peek(1) === "(") {
      const found = source.match(constantCommand);
      if (found === null || this.#options.dialect === "sh") {
        throw source.error("arithmetic command or nested subshell");
      }
      source.at += found[0].length;
      return;
    }
    source.take("(");
    this.#folder.inSubshell(() => this.#readParenthesized());
  }

  /** A list after its opening parenthesis, up to and including the closing one. */
  #readParenthesized(): void {
    this.#readList();
    this.#source.skipBlanks();
    this.#documents.expectNone();
    if (!this.#source.take(")")) throw this.#tokens.unexpected();
  }

  /** Those after a compound command. */
  #readRedirections(): void {
    const source = this.#source;
    const start = source.at;
    const redirections: Redirection[] = [];
    do {
      source.skipBlanks();
      const descriptor = source.at > start ? source.match(/\d+(?=[<>])/y)?.[0] : undefined;
      source.at += descriptor?.length ?? 0;
    } while (this.#readRedirection(redirections));
    if (redirections.length > 0) this.#add(start, [], [], redirections);
  }

  #readRedirection(redirections: Redirection[], descriptor?: ShellWord): boolean {
    const source = this.#source;
    const outcome = readRedirection(source, this.#words, this.#documents, this.#options.dialect, descriptor);
    if (outcome === undefined) return false;
    if (outcome.file !== undefined) redirections.push(outcome.file);
    return true;
  }

  #readSimple(): void {
    const source = this.#source;
    const start = source.at;
    const assignments: Assignment[] = [];
    const words: ShellWord[] = [];
    const redirections: Redirection[] = [];
    for (;;) {
      source.skipBlanks();
      if (this.#readRedirection(redirections)) continue;
      const wordStart = source.at;
      const read = this.#words.read();
      if (read === undefined) break;
      if (isDescriptor(source, read)) {
        if (!this.#readRedirection(redirections, read.word)) throw this.#tokens.unexpected();
        continue;
      }
      if (words.length === 0) {
        this.#checkFirst(read, assignments.length + redirections.length === 0, wordStart);
        if (read.assigns !== undefined) {
          if (source.peek() === "(") throw source.error("array assignment");
          assignments.push({ name: read.assigns });
          continue;
        }
        if (source.isAt(/[ \t]*\(/y)) {
          if (assignments.length + redirections.length > 0) throw this.#tokens.unexpected();
          return this.#readNamedFunction(wordStart);
        }
      }
      words.push(read.word);
    }
    if (words.length + assignments.length + redirections.length === 0) throw this.#tokens.unexpected();
    if (words.length === 0) {
      for (const { name: variable } of assignments) this.#findings.variables.add(variable);
    }
    this.#add(start, assignments, words, redirections);
    this.#folder.run(words, assignments.length > 0);
  }

  #checkFirst(read: ReadWord, isFirst: boolean, at: number): void {
    const { word, isBare } = read;
    if (isFirst && isBare && reservedWords.has(word.value ?? "")) {
      if (!(word.value === "time" && this.#options.dialect === "sh")) throw this.#tokens.unexpected(at);
    }
    if (/^[A-Za-z_]\w*\[/.test(word.source)) throw this.#source.error("array element", at);
  }

  #readNamedFunction(start: number): void {
    const source = this.#source;
    source.skipBlanks();
    source.take("(");
    source.skipBlanks();
    if (!source.take(")")) throw this.#tokens.unexpected();
    this.#readFunctionBody(start);
  }

  #readWords(): void {
    for (;;) {
      this.#source.skipBlanks();
      if (this.#words.read() === undefined) return;
    }
  }

  #add(
    start: number,
    assignments: readonly Assignment[],
    words: readonly ShellWord[],
    redirections: readonly Redirection[],
  ): void {
    const source = this.#source.text.slice(start, this.#source.at).trim();
    this.#findings.commands.push({ source, assignments, words, redirections, folders: this.#folder.current });
  }

  #expectList(): void {
    if (this.#readList() === 0) throw this.#tokens.unexpected();
  }

  #requireBash(token: string): void {
    if (this.#options.dialect === "sh") throw this.#source.error(`${token} differs between shells`);
  }

  #report(kind: ShellProblem["kind"], reason: string, at: number): void {
    this.#findings.problems.push({ kind, reason, at });
  }
}
