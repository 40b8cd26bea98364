// Answers what programs ask of their terminal while nobody's own terminal does: each question is answered once.
import type { TerminalSize } from "@holdfast/ahp";
import type { AskedQuery, TerminalScreen } from "@holdfast/terminal/screen";
import { QueryAnswerer } from "@holdfast/terminal/screen/queries";
import type { TerminalOutput } from "@holdfast/terminal/view";

/** What answering needs. */
export interface TerminalQueriesParts {
  readonly output: TerminalOutput;
  /** Whether the holder has the terminal open: then its viewer answers. */
  readonly isLeftToViewer: () => boolean;
  readonly size: () => TerminalSize;
  /** Types the answer. */
  readonly write: (bytes: Uint8Array) => void;
  readonly onFault: (error: unknown) => void;
}

/** A screen is drawn from this much of what was written last: enough for any screen, and done in milliseconds. */
const screenBytes = 128 * 1024;
/** A program that asks faster than it can be answered gets no more answers than this. */
const maxWaiting = 16;

/** The questions of one terminal's program. */
export class TerminalQueries {
  readonly #parts: TerminalQueriesParts;
  #answerer: QueryAnswerer | undefined;
  #answering: Promise<void> = Promise.resolve();
  #waitingCount = 0;

  constructor(parts: TerminalQueriesParts) {
    this.#parts = parts;
  }

  /** Takes bytes that are shown; `offset` is that of the first. */
  push(bytes: Uint8Array, offset: number): void {
    if (this.#parts.isLeftToViewer()) {
      this.#answerer = undefined;
      return;
    }
    this.#answerer ??= new QueryAnswerer({ offset, screenAt: (end) => this.#drawScreen(end) });
    for (const asked of this.#answerer.push(bytes)) this.#answerNext(this.#answerer, asked);
  }

  /** In the order in which they were asked. */
  #answerNext(answerer: QueryAnswerer, asked: AskedQuery): void {
    if (this.#waitingCount === maxWaiting) return;
    this.#waitingCount += 1;
    this.#answering = this.#answering
      .then(async () => this.#parts.write(Buffer.from(await answerer.answer(asked))))
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#waitingCount -= 1;
      });
  }

  async #drawScreen(endOffset: number): Promise<TerminalScreen> {
    const { output, size } = this.#parts;
    const { cols: columns, rows } = size();
    const to = Math.min(endOffset, output.endOffset);
    const from = Math.min(Math.max(output.startOffset, to - screenBytes), to);
    const bytes = from < output.startOffset ? new Uint8Array() : output.bytes(from, to);
    // An emulator takes ten megabytes, and few programs ask for what needs one.
    const { TerminalScreen: Screen } = await import("@holdfast/terminal/screen");
    const screen = await Screen.build({ columns, rows, scrollbackLines: 0, bytes });
    // It is asked where its cursor is in this turn of the loop, and for nothing afterwards.
    setImmediate(() => screen.close());
    return screen;
  }
}
