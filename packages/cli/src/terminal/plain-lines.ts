// Plain text of a terminal's output while it comes, a line at a time and without its alternate screen (C48, C865).

/** Control sequences, strings to the terminal, and two-character sequences, as far as they are complete. */
const sequences =
  /\u001B(?:\[[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u007E]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[\u0020-\u002F]+[\u0030-\u007E]|[\u0030-\u004F\u0051-\u0057\u0059\u005A\u005C\u0060-\u007E])/g;
/** What steers a terminal and is neither a tab nor a line's end. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** A line that grows beyond this is given in pieces. */
const maxLineLength = 64 * 1024;

export class PlainLines {
  readonly #decoder = new TextDecoder();
  readonly #screens = new MainScreen();
  #rest = "";

  /** Takes output that is not to be shown, so that later output is known to be on the alternate screen. */
  skip(bytes: Uint8Array): void {
    this.#screens.push(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The lines that are complete now, each with its newline. */
  push(bytes: Uint8Array): string {
    this.#rest += this.#screens.push(this.#decoder.decode(bytes, { stream: true }));
    const end = this.#rest.lastIndexOf("\n") + 1;
    const complete = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    const lines = complete.replaceAll(/[^\n]*\n/g, (line) => `${plainLine(line.slice(0, -1))}\n`);
    return this.#rest.length > maxLineLength ? lines + this.#take() : lines;
  }

  /** The beginning of a line that may never end, such as a prompt; nothing of one that a program draws again. */
  takeBeginning(): string {
    return this.#rest.includes("\r") ? "" : this.#take();
  }

  /** What is left of a last line without an end. */
  end(): string {
    this.#rest += this.#screens.push(this.#decoder.decode()) + this.#screens.end();
    return this.#take();
  }

  #take(): string {
    const text = plainLine(this.#rest);
    this.#rest = "";
    return text;
  }
}

/** A whole output as text. */
export function plainText(output: string): string {
  const lines = new PlainLines();
  return lines.push(Buffer.from(output)) + lines.end();
}

/** What is seen of a line once it is complete. */
function plainLine(line: string): string {
  const text = line.replaceAll(sequences, "").replace(/\r+$/, "");
  return text.slice(text.lastIndexOf("\r") + 1).replaceAll(controls, "");
}

/** Sets or resets private modes, or resets the terminal as a whole. */
const switches = /\u001B(?:\[\?([\d;]+)([hl])|c)/g;
/** The beginning of such a sequence at the end of a piece. */
const begunSwitch = /\u001B(?:\[(?:\?[\d;]{0,64})?)?$/;
const alternateModes: ReadonlySet<string> = new Set(["47", "1047", "1049"]);

/** Passes on what is written to the main screen, wherever the text is cut. */
class MainScreen {
  #isAlternate = false;
  #begun = "";

  push(piece: string): string {
    const all = this.#begun + piece;
    this.#begun = begunSwitch.exec(all)?.[0] ?? "";
    const text = all.slice(0, all.length - this.#begun.length);
    let shown = "";
    let start = 0;
    for (const { index, 0: found, 1: modes, 2: letter } of text.matchAll(switches)) {
      const isSwitch = modes === undefined || modes.split(";").some((mode) => alternateModes.has(mode));
      if (!isSwitch) continue;
      if (!this.#isAlternate) shown += text.slice(start, index);
      this.#isAlternate = letter === "h";
      start = index + found.length;
    }
    return this.#isAlternate ? shown : shown + text.slice(start);
  }

  end(): string {
    const begun = this.#isAlternate ? "" : this.#begun;
    this.#begun = "";
    return begun;
  }
}
