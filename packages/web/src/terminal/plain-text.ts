// Output of a command as plain lines: no escape sequences, and what a carriage return overwrites is gone.

/** The longest beginning of a sequence that is waited for; longer ones are no sequence. */
const maxUnfinishedChars = 256;

const sequence =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]*[0-~])/g;
const unfinished = /\u001B(?:\[[0-?]*[ -/]*|\][^\u0007\u001B]*\u001B?|[PX^_][^\u001B]*\u001B?|[ -/]*)?$/;
const otherControls = /[\u0000-\u0007\u000B\u000C\u000E-\u001A\u001C-\u001F\u007F]/g;

/** The last lines of an output that may be endless, and of each line its last characters. */
export class PlainText {
  readonly #maxLines: number;
  readonly #maxLineChars: number;
  #lines: string[] = [""];
  #rest = "";
  #droppedLines = 0;
  /** Whether a line that is complete, or the last one, lost its beginning. */
  #hasCutLine = false;
  #isLastCut = false;

  constructor(maxLines: number, maxLineChars = 4000) {
    this.#maxLines = maxLines;
    this.#maxLineChars = maxLineChars;
  }

  /** The lines that are kept; the last one may still grow. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** How many lines came before them. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** Whether something that the output shows is not kept: lines, or the beginning of one. */
  get isCut(): boolean {
    return this.#droppedLines > 0 || this.#hasCutLine || this.#isLastCut;
  }

  /** Adds output; a sequence may be cut anywhere. */
  append(output: string): void {
    const all = this.#rest + output;
    const cut = unfinished.exec(all)?.index ?? all.length;
    const isWaitedFor = all.length - cut <= maxUnfinishedChars;
    this.#rest = isWaitedFor ? all.slice(cut) : "";
    const text = (isWaitedFor ? all.slice(0, cut) : all).replace(sequence, "").replace(otherControls, "");
    const [first = "", ...others] = text.split("\n");
    this.#lines.push((this.#lines.pop() ?? "") + first, ...others);
    this.#trim();
    // A long output comes in many pieces: only the lines that are new have something to fold.
    const from = Math.max(0, this.#lines.length - others.length - 1);
    for (let index = from; index < this.#lines.length; index += 1) {
      this.#lines[index] = this.#fold(this.#lines[index] ?? "", index < this.#lines.length - 1);
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#lines = [""];
    this.#rest = "";
    this.#droppedLines = 0;
    this.#hasCutLine = false;
    this.#isLastCut = false;
  }

  #trim(): void {
    const surplus = this.#lines.length - this.#maxLines;
    if (surplus <= 0) return;
    this.#lines = this.#lines.slice(surplus);
    this.#droppedLines += surplus;
  }

  /** The rest of a line after its carriage returns; in the last line, a return may still be followed by the end of the line. */
  #fold(line: string, isWhole: boolean): string {
    const trimmed = line.replace(/\r+$/, "");
    const start = trimmed.lastIndexOf("\r") + 1;
    const kept = isWhole || trimmed.length === line.length ? trimmed.slice(start) : line.slice(start);
    // Text that a return overwrites was not cut.
    const isCut = kept.length > this.#maxLineChars || (this.#isLastCut && start === 0);
    this.#hasCutLine ||= isWhole && isCut;
    this.#isLastCut = !isWhole && isCut;
    return kept.length > this.#maxLineChars ? kept.slice(-this.#maxLineChars) : kept;
  }
}
