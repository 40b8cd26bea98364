// A line on a terminal that says what is being waited for.

const shownAfterMs = 1000;
const stepMs = 120;
const marks = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Shown when the wait is longer than a second, and gone without a trace at its end. */
export class Progress {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #stream: { write(text: string): unknown } | undefined;
  readonly #startedMs = performance.now();
  #label: string;
  #isShown = false;

  /** Without a stream nothing is shown. */
  constructor(label: string, stream: { write(text: string): unknown } | undefined) {
    this.#label = label;
    this.#stream = stream;
    if (stream !== undefined) this.#timer = setInterval(() => this.#draw(), stepMs).unref();
  }

  /** Says something else from now on. */
  say(label: string): void {
    this.#label = label;
  }

  /** Takes the line away. May be repeated. */
  close(): void {
    clearInterval(this.#timer);
    if (this.#isShown) this.#stream?.write("\r\u001B[K");
    this.#isShown = false;
  }

  #draw(): void {
    const elapsedMs = performance.now() - this.#startedMs;
    if (elapsedMs < shownAfterMs) return;
    this.#isShown = true;
    const mark = marks[Math.floor(elapsedMs / stepMs) % marks.length] ?? "";
    this.#stream?.write(`\r\u001B[K${mark} ${this.#label} (${Math.floor(elapsedMs / 1000)} s)`);
  }
}
