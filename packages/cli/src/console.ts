// Console of a command: results on stdout, everything else on stderr, colours where they are wanted, tables, and a progress line.
import type { ReadStream, WriteStream } from "node:tty";
import { safeJson, safeLines } from "./safe-text.ts";
import { stdoutFailure } from "./stdout.ts";

/** The three streams of a process; each may be a terminal, a pipe or a file. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: NodeJS.WriteStream | WriteStream;
  readonly stderr: NodeJS.WriteStream | WriteStream;
}

interface ConsoleOptions {
  readonly streams: Streams;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether results are for programs: JSON on stdout, and no words beside it. */
  readonly json: boolean;
}

export class Console {
  readonly streams: Streams;
  readonly json: boolean;
  readonly paint: Paint;
  readonly notePaint: Paint;
  readonly #unread = new AbortController();

  constructor({ streams, environment, json }: ConsoleOptions) {
    this.streams = streams;
    this.json = json;
    this.paint = new Paint(!json && wantsColour(streams.stdout, environment));
    this.notePaint = new Paint(!json && wantsColour(streams.stderr, environment));
  }

  /** Whether somebody sits there who can be asked. */
  get canAsk(): boolean {
    const { stdin, stderr } = this.streams;
    return !this.json && stdin.isTTY && stderr.isTTY;
  }

  /** Aborted by the first write after the reader of stdout went away: what follows without an end then ends (C884). */
  get unread(): AbortSignal {
    return this.#unread.signal;
  }

  /** Writes to stdout verbatim; done when the reader can take more. A reader that went away wants no more (C841). */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.streams.stdout.write(data, (error) => {
        const failure = stdoutFailure(error);
        if (failure !== undefined) return reject(failure);
        if (error) this.#unread.abort();
        resolve();
      });
    });
  }

  /** The same for stderr; nobody could be notified of its failures. */
  writeError(data: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.streams.stderr.write(data, () => resolve());
    });
  }

  print(line: string): Promise<void> {
    return this.write(`${line}\n`);
  }

  printJson(value: unknown): Promise<void> {
    return this.write(`${safeJson(value)}\n`);
  }

  /** A line for a person at a terminal, in colours of ours; programs and files do not get it. */
  note(line: string): void {
    if (!this.json && this.streams.stderr.isTTY) this.streams.stderr.write(`${line}\n`);
  }

  /** A line that also matters in a file or to a program. It may quote text of others (C880). */
  warn(line: string): void {
    const text = this.json ? safeJson({ warning: line }) : `holdfast: ${safeLines(line)}`;
    this.streams.stderr.write(`${text}\n`);
  }

  /** A line that names the wait, once that takes longer than a second; the caller closes it. */
  progress(label: string): Progress {
    return new Progress(label, !this.json && this.streams.stderr.isTTY ? this.streams.stderr : undefined);
  }
}

/** https://no-color.org: set and not empty means no colour. */
function wantsColour(
  stream: { readonly isTTY?: boolean },
  environment: ConsoleOptions["environment"],
): boolean {
  if ((environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb") return false;
  return (environment["FORCE_COLOR"] ?? "") !== "" || stream.isTTY === true;
}

const escape = "\u001B[";

export class Paint {
  readonly #isOn: boolean;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  readonly bold = (text: string): string => this.#wrap(text, 1, 22);
  readonly dim = (text: string): string => this.#wrap(text, 2, 22);
  readonly red = (text: string): string => this.#wrap(text, 31, 39);
  readonly green = (text: string): string => this.#wrap(text, 32, 39);
  readonly yellow = (text: string): string => this.#wrap(text, 33, 39);
  readonly blue = (text: string): string => this.#wrap(text, 34, 39);

  #wrap(text: string, on: number, off: number): string {
    return this.#isOn ? `${escape}${on}m${text}${escape}${off}m` : text;
  }
}

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

interface Column {
  readonly heading: string;
  readonly paint?: (text: string) => string;
}

/** The lines of a table: headings, then the rows; the last column may be as long as it likes. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string[] {
  const widths = columns.map(({ heading }, index) =>
    Math.max(heading.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const isLast = (index: number): boolean => index === columns.length - 1;
  const pad = (text: string, index: number): string =>
    isLast(index) ? text : text.padEnd(widths[index] ?? 0);
  const lines = rows.map((row) =>
    columns
      .map(({ paint: own = (text) => text }, index) => own(pad(oneLine(row[index] ?? ""), index)))
      .join("  ")
      .trimEnd(),
  );
  return [
    paint.dim(
      columns
        .map(({ heading }, index) => pad(heading, index))
        .join("  ")
        .trimEnd(),
    ),
    ...lines,
  ];
}

/** Titles and commands may have breaks in them, which would break the table. */
function oneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001F\u007F]+/g, " ");
}
