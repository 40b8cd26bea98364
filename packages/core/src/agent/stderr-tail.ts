// The last lines that an agent wrote to stderr: what a person wants to read when it has died.

const maxBytes = 16 * 1024;
const maxLines = 20;

/** Keeps the end of a stream of text. */
export class StderrTail {
  #tail: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-maxBytes);
  }

  /** The newest lines, oldest first. */
  get lines(): readonly string[] {
    const lines = this.#tail
      .toString("utf8")
      .split("\n")
      .map((line) => line.trimEnd());
    return lines.filter((line) => line !== "").slice(-maxLines);
  }
}
