// Reads an event stream as strictly as the clients of the app API do, and complains where they would drop something.

/** One frame of a stream. */
export interface Frame {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly id: string | undefined;
}

/** A parser for one stream. */
export class EventParser {
  readonly comments: string[] = [];
  #rest = "";
  #event: string | undefined;
  #data: string | undefined;
  #id: string | undefined;

  /** Takes more text and gives the frames that it completes. */
  push(text: string): Frame[] {
    // Python's clients split lines at these too.
    if (/[\u0085\u2028\u2029\v\f]/.test(text)) throw new Error("A bare line separator would split a line");
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#readLine(line));
  }

  /** The stream has ended; an unterminated tail would have been lost. */
  end(): void {
    if (this.#rest !== "" || this.#event !== undefined || this.#data !== undefined) {
      throw new Error(`The stream ends in mid-frame: ${JSON.stringify(this.#rest)}`);
    }
  }

  #readLine(line: string): Frame[] {
    if (line === "") return this.#dispatch();
    if (line.startsWith(":")) this.comments.push(line.slice(1).trim());
    else if (line.startsWith("event: ")) this.#event = onlyOnce("event", this.#event, line.slice(7));
    else if (line.startsWith("id: ")) this.#id = onlyOnce("id", this.#id, line.slice(4));
    else if (line.startsWith("data: ")) {
      if (this.#event === undefined) throw new Error("Data before its event line");
      this.#data = onlyOnce("data", this.#data, line.slice(6));
    } else throw new Error(`No client knows this line: ${JSON.stringify(line)}`);
    return [];
  }

  #dispatch(): Frame[] {
    const event = this.#event;
    const data = this.#data;
    const id = this.#id;
    this.#event = undefined;
    this.#data = undefined;
    this.#id = undefined;
    if (event === undefined && data === undefined) return [];
    if (event === undefined || data === undefined) throw new Error("A frame needs an event and its data");
    return [{ event, data: JSON.parse(data) as Frame["data"], id }];
  }
}

function onlyOnce(name: string, before: string | undefined, value: string): string {
  if (before !== undefined) throw new Error(`A frame has two ${name} lines`);
  return value;
}
