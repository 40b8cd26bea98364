// Where a turn is shown: the answer, and beside it thoughts and lines about what happens, without tearing each other's lines (C21, C22).
import type { Console } from "../../console.ts";
import type { Paint } from "../../paint.ts";
import { safeLines } from "../../safe-text.ts";

/** What stands beside the answer: words for a person who is there, or a part of the result. */
export type Beside = "words" | "result";

/** The place on the line where the next character would stand. */
type Place = "line-start" | "answer" | "thought";

/** Shows one conversation on one console. */
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

  constructor(console: Console, beside: Beside) {
    this.#console = console;
    this.#beside = beside;
    this.paint = beside === "result" ? console.paint : console.notePaint;
  }

  /** Adds to the answer; parts of it are set apart by an empty line. */
  async answer(text: string, part: string | undefined): Promise<void> {
    await this.#leave("thought");
    const isNewPart = this.#answerPart !== undefined && part !== this.#answerPart && !this.#isSetApart;
    this.#isSetApart = false;
    const gap = this.#isAnswerAtStart ? "\n" : "\n\n";
    this.#answerPart = part ?? "";
    const shown = (isNewPart ? gap : "") + this.#shownAnswer(text);
    if (shown === "") return;
    await this.#console.write(shown);
    this.#isAnswerAtStart = shown.endsWith("\n");
    if (this.#sharesScreen) this.#place = this.#isAnswerAtStart ? "line-start" : "answer";
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

  /** The answer is whole: its last line gets its end, whoever reads it. */
  async finish(): Promise<void> {
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

  /** What a file or a program reads is left as it is. */
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
