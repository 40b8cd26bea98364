// Where a turn is shown: the answer, and beside it thoughts and lines about what happens, without tearing each other's lines (C21, C22).
import type { Console, Paint } from "../../console.ts";
import { safeLines } from "../../safe-text.ts";

/** What stands beside the answer: words for a person who is there, or a part of the result. */
type Beside = "words" | "result";

/** The place on the line where the next character would stand. */
type Place = "line-start" | "answer" | "thought";

export class Screen {
  /** Colours for what stands beside the answer. */
  readonly paint: Paint;
  readonly #console: Console;
  readonly #beside: Beside;
  #place: Place = "line-start";
  #answerPart: string | undefined;
  #thoughtPart: string | undefined;
  /** Whether the answer, as its reader gets it, stands at the start of a line. */
  #isAnswerAtStart = true;
  /** Whether lines stand between this and what the answer said before. */
  #isSetApart = false;
  /** Half of a line break, whose other half may come with the next piece. */
  #heldBack = "";
  /** Absent where the answer is shown in Markdown, as it came. */
  readonly #fences: FenceFilter | undefined;

  constructor(console: Console, beside: Beside, { isMarkdown = false }: { isMarkdown?: boolean } = {}) {
    this.#fences = isMarkdown ? undefined : new FenceFilter();
    this.#console = console;
    this.#beside = beside;
    this.paint = beside === "result" ? console.paint : console.notePaint;
  }

  /** Whether the answer keeps its code fences. */
  get isMarkdown(): boolean {
    return this.#fences === undefined;
  }

  /** Adds to the answer; parts of it are set apart by an empty line. */
  async answer(text: string, part: string | undefined): Promise<void> {
    await this.#leave("thought");
    if (this.#answerPart !== undefined && (part ?? "") !== this.#answerPart) await this.#endPart();
    const isNewPart = this.#answerPart !== undefined && part !== this.#answerPart && !this.#isSetApart;
    this.#isSetApart = false;
    const gap = this.#isAnswerAtStart ? "\n" : "\n\n";
    this.#answerPart = part ?? "";
    await this.#writeAnswer((isNewPart ? gap : "") + this.#shownAnswer(this.#fences?.push(text) ?? text));
  }

  /** Adds output of a command to the answer, which is no Markdown. */
  async output(text: string, part: string): Promise<void> {
    await this.#leave("thought");
    if (this.#answerPart !== undefined && part !== this.#answerPart) await this.#endPart();
    this.#answerPart = part;
    this.#isSetApart = false;
    await this.#writeAnswer(this.#shownAnswer(text));
  }

  async #writeAnswer(shown: string): Promise<void> {
    if (shown === "") return;
    await this.#console.write(shown);
    this.#isAnswerAtStart = shown.endsWith("\n");
    if (this.#sharesScreen) this.#place = this.#isAnswerAtStart ? "line-start" : "answer";
  }

  /** Text that the filter still holds back of a part that has ended. */
  async #endPart(): Promise<void> {
    const rest = this.#fences?.end() ?? "";
    if (rest !== "") await this.#writeAnswer(this.#shownAnswer(rest));
  }

  /** Adds to what the agent thinks. */
  async thought(text: string, part: string | undefined): Promise<void> {
    if (!this.#isBesideShown) return;
    await this.#leave(part === this.#thoughtPart ? "answer" : "any");
    this.#thoughtPart = part;
    const shown = safeLines(text);
    if (shown === "") return;
    await this.#writeBeside(this.paint.dim(shown));
    this.#place = shown.endsWith("\n") ? "line-start" : "thought";
  }

  /** A line about what happens; its text is safe already. */
  async line(text: string): Promise<void> {
    if (!this.#isBesideShown) return;
    await this.#leave("any");
    this.#thoughtPart = undefined;
    this.#isSetApart = this.#sharesScreen;
    await this.#writeBeside(`${text}\n`);
  }

  /** Ends the line that is being written, for what others write. */
  async pause(): Promise<void> {
    await this.#leave("any");
  }

  /** The answer is complete: its last line gets its newline, on a terminal and on a pipe. */
  async finish(): Promise<void> {
    await this.#endPart();
    await this.#leave("any");
    if (!this.#isAnswerAtStart) await this.#console.write("\n");
    this.#isAnswerAtStart = true;
    this.#answerPart = undefined;
    this.#thoughtPart = undefined;
    this.#heldBack = "";
  }

  get #isBesideShown(): boolean {
    return this.#beside === "result" || (!this.#console.json && this.#console.streams.stderr.isTTY);
  }

  /** Whether the answer stands on the same screen as what is beside it. */
  get #sharesScreen(): boolean {
    return this.#beside === "result" || this.#console.streams.stdout.isTTY;
  }

  async #leave(what: Place | "any"): Promise<void> {
    if (this.#place === "line-start" || (what !== "any" && what !== this.#place)) return;
    if (this.#place === "thought") await this.#writeBeside("\n");
    else {
      await this.#console.write("\n");
      this.#isAnswerAtStart = true;
    }
    this.#place = "line-start";
  }

  /** Output for a file or a program stays unchanged. */
  #shownAnswer(text: string): string {
    if (!this.#console.streams.stdout.isTTY) return text;
    const whole = this.#heldBack + text;
    this.#heldBack = whole.endsWith("\r") ? "\r" : "";
    return safeLines(whole.slice(0, whole.length - this.#heldBack.length));
  }

  async #writeBeside(text: string): Promise<void> {
    if (this.#beside === "result") await this.#console.write(text);
    else this.#console.streams.stderr.write(text);
  }
}

/** A line that may open or close a code block: three or more of its marks after at most three spaces. */
const fenceLine = /^ {0,3}(`{3,}|~{3,})([^`\n]*)$/;
/** The beginning of a line that may still become one. */
const possibleFence = /^ {0,3}(?:`{1,2}$|~{1,2}$|`{3,}[^`\n]*$|~{3,}[^\n]*$)?$/;
/** Longer than any language's name; a longer line is shown as it is. */
const maxHeldLength = 200;

export class FenceFilter {
  /** The beginning of a line of which nothing is shown yet. */
  #held = "";
  #isAtLineStart = true;
  /** What closes the block that is open. */
  #open: string | undefined;

  /** The part of the answer that can be shown now. */
  push(text: string): string {
    let shown = "";
    let rest = this.#held + text;
    this.#held = "";
    while (rest !== "") {
      const end = rest.indexOf("\n");
      const line = end === -1 ? rest : rest.slice(0, end);
      if (end === -1 && this.#isAtLineStart && possibleFence.test(line) && line.length < maxHeldLength) {
        this.#held = line;
        return shown;
      }
      const isFence = this.#isAtLineStart && end !== -1 && this.#takeFence(line);
      if (!isFence) shown += end === -1 ? line : rest.slice(0, end + 1);
      this.#isAtLineStart = end !== -1;
      rest = end === -1 ? "" : rest.slice(end + 1);
    }
    return shown;
  }

  /** What was held back, when the answer has ended. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    const isFence = this.#isAtLineStart && this.#takeFence(held);
    this.#isAtLineStart = true;
    this.#open = undefined;
    return isFence ? "" : held;
  }

  /** Whether a line opens a block, or closes the one that is open. */
  #takeFence(line: string): boolean {
    const [, marks = "", language = ""] = fenceLine.exec(line.replace(/\r$/, "")) ?? [];
    if (marks === "") return false;
    if (this.#open === undefined) {
      this.#open = marks;
      return true;
    }
    const closes = marks.startsWith(this.#open) && language.trim() === "";
    if (closes) this.#open = undefined;
    return closes;
  }
}
