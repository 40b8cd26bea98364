// Output as lines of plain text while it comes: no escape sequences, and of a line that was overwritten its last form.

/** Control sequences, strings to the terminal, and two-character sequences, as far as they are complete. */
const sequences =
  /\u001B(?:\[[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u007E]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[\u0020-\u002F]+[\u0030-\u007E]|[\u0030-\u004F\u0051-\u0057\u0059\u005A\u005C\u0060-\u007E])/g;
/** What steers a terminal and is neither a tab nor a line's end. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** A line that grows beyond this is given in pieces. */
const maxLineLength = 64 * 1024;

/** The lines of one terminal's output. */
export class PlainLines {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** The lines that are complete now, each with its newline. */
  push(bytes: Uint8Array): string {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const end = this.#rest.lastIndexOf("\n") + 1;
    const complete = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    const lines = complete.replaceAll(/[^\n]*\n/g, (line) => `${plainLine(line.slice(0, -1))}\n`);
    return this.#rest.length > maxLineLength ? lines + this.#take() : lines;
  }

  /** What is left of a last line without an end. */
  end(): string {
    this.#rest += this.#decoder.decode();
    return this.#take();
  }

  #take(): string {
    const text = plainLine(this.#rest);
    this.#rest = "";
    return text;
  }
}

/** What is seen of a line once it is complete. */
function plainLine(line: string): string {
  const text = line.replaceAll(sequences, "").replace(/\r+$/, "");
  return text.slice(text.lastIndexOf("\r") + 1).replaceAll(controls, "");
}
