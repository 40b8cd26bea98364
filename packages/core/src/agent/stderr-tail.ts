// The last lines that an agent wrote to stderr: what a person wants to read when it has died.

const maxBytes = 16 * 1024;
const maxLines = 20;

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Keeps the end of a stream of text; who reads it gets it without secrets. */
export class StderrTail {
  readonly #redact: Redact;
  #tail: Buffer = Buffer.alloc(0);
  #isCut = false;

  constructor(redact: Redact = (text) => text) {
    this.#redact = redact;
  }

  push(bytes: Uint8Array): void {
    const all = Buffer.concat([this.#tail, bytes]);
    this.#isCut ||= all.length > maxBytes;
    this.#tail = all.subarray(-maxBytes);
  }

  /** The newest lines, oldest first. */
  get lines(): readonly string[] {
    const text = this.#tail.toString("utf8");
    // Half a secret would not be found: a line that lost its beginning is left out, also where it is the only one.
    const whole = this.#isCut ? text.replace(/^[^\n]*/, "") : text;
    const lines = this.#redact(whole)
      .split("\n")
      .map((line) => line.trimEnd());
    return lines.filter((line) => line !== "").slice(-maxLines);
  }
}
