// Editor of a line that a person types, or of a text of several lines that is pasted (C30, C510, C887).
import process from "node:process";
import { createInterface, type Interface, type Key } from "node:readline";
import type { Console } from "./console.ts";
import { restoreEditorAtEnd } from "./raw-input.ts";

export type Line =
  /** Several lines, where they were pasted. */
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-D, or the end of the input. */
  | { readonly kind: "end" }
  /** Ctrl-C twice, or somebody else ended the wait. */
  | { readonly kind: "left" };

interface LineRequest {
  readonly prompt: string;
  /** The newest first, as readline has it; what is typed is added to it. */
  readonly history?: string[];
  readonly signal?: AbortSignal;
  /** Takes Ctrl-C in place of clearing the line. */
  readonly onInterrupt?: () => void;
}

const historyLength = 500;

/** Before the last line of a text whose other lines were pasted. */
export const CONTINUATION_PROMPT = "… ";

/** Makes the terminal mark where pasted text begins and ends; a terminal that cannot do that ignores both. */
const markPastes = "\u001B[?2004h";
const leavePastes = "\u001B[?2004l";

/** Asks for one line. Ctrl-C clears what is typed and says that once more leaves; then it leaves. */
export function readLine(console: Console, request: LineRequest): Promise<Line> {
  return new LineEditor(console, request).read();
}

class LineEditor {
  readonly #console: Console;
  readonly #request: LineRequest;
  readonly #editor: Interface;
  /** Complete lines before the one that is edited. */
  #above: string[] = [];
  /** Between the terminal's marks of a pasted text. */
  #isPasting = false;
  #settling: NodeJS.Immediate | undefined;
  #hasWarned = false;
  #resolve: ((line: Line) => void) | undefined;
  #undoRestore = (): void => {};
  readonly #leave = (): void => this.#settle({ kind: "left" });
  readonly #unmark = (): void => void this.#console.streams.stderr.write(leavePastes);
  readonly #look = (_text: string | undefined, key: Key): void => this.#lookAt(key);

  constructor(console: Console, request: LineRequest) {
    const { stdin, stderr } = console.streams;
    this.#console = console;
    this.#request = request;
    this.#editor = createInterface({
      input: stdin,
      output: stderr,
      terminal: true,
      history: [...(request.history ?? [])],
      historySize: historyLength,
      removeHistoryDuplicates: true,
    });
  }

  read(): Promise<Line> {
    const { prompt, signal } = this.#request;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      signal?.addEventListener("abort", this.#leave);
      // Before readline, which stops the process at Ctrl-Z.
      this.#console.streams.stdin.prependListener("keypress", this.#look);
      process.once("exit", this.#unmark);
      this.#editor
        .on("line", (text) => this.#take(text))
        .on("close", () => this.#settle(this.#settling === undefined ? { kind: "end" } : this.#text()))
        .on("SIGINT", () => this.#interrupt())
        .on("SIGCONT", () => this.#edit());
      this.#undoRestore = restoreEditorAtEnd(this.#console.streams.stdin, this.#editor, this.#unmark);
      this.#editor.setPrompt(prompt);
      this.#edit();
      if (signal?.aborted === true) this.#leave();
    });
  }

  /** Draws the line. Readline pauses its input after Ctrl-Z and `fg`, and leaves it to its user to resume (C510). */
  #edit(): void {
    this.#console.streams.stderr.write(markPastes);
    this.#editor.prompt(true);
  }

  #lookAt({ name, ctrl }: Key): void {
    if (name === "paste-start") this.#isPasting = true;
    if (name === "paste-end") {
      this.#isPasting = false;
      this.#decide();
    }
    if (ctrl === true && name === "z") this.#unmark();
  }

  #take(text: string): void {
    this.#above.push(text);
    // What was pasted on a terminal that does not mark it comes at once, and readline is in the middle of it.
    if (!this.#isPasting) this.#settling ??= setImmediate(() => this.#decide());
  }

  /** Enter after the last line ends the text; anything else behind a line end is edited on. */
  #decide(): void {
    const isEntered = this.#settling !== undefined;
    this.#settling = undefined;
    if (this.#isPasting || this.#above.length === 0) return;
    if (isEntered && this.#editor.line === "") return this.#settle(this.#text());
    this.#editor.setPrompt(CONTINUATION_PROMPT);
    this.#editor.prompt(true);
  }

  #text(): Line {
    return { kind: "line", text: this.#above.join("\n") };
  }

  #interrupt(): void {
    const { onInterrupt, prompt } = this.#request;
    const { streams, notePaint } = this.#console;
    const isEmpty = this.#editor.line === "" && this.#above.length === 0;
    if (onInterrupt === undefined && isEmpty && this.#hasWarned) return this.#leave();
    streams.stderr.write("\n");
    if (onInterrupt !== undefined) return onInterrupt();
    this.#hasWarned = true;
    streams.stderr.write(`${notePaint.dim("Ctrl-C again, or Ctrl-D, leaves.")}\n`);
    this.#above = [];
    this.#isPasting = false;
    // From the end of the line to its start.
    this.#editor.write(null, { ctrl: true, name: "e" });
    this.#editor.write(null, { ctrl: true, name: "u" });
    this.#editor.setPrompt(prompt);
    this.#editor.prompt();
  }

  #settle(line: Line): void {
    const { signal, history } = this.#request;
    const { stdin, stderr } = this.#console.streams;
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    clearImmediate(this.#settling);
    signal?.removeEventListener("abort", this.#leave);
    stdin.off("keypress", this.#look);
    process.off("exit", this.#unmark);
    this.#undoRestore();
    this.#editor.close();
    this.#unmark();
    if (line.kind !== "line") stderr.write("\n");
    else if (history !== undefined) remember(line.text, history);
    resolve(line);
  }
}

/** Readline's own history would have each line of a pasted text. */
function remember(text: string, history: string[]): void {
  if (text.trim() === "") return;
  const others = history.filter((each) => each !== text);
  history.splice(0, history.length, text, ...others.slice(0, historyLength - 1));
}
