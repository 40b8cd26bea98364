// What a command reads from and writes to: results on stdout, everything else on stderr, colours where they are wanted.
import type { ReadStream, WriteStream } from "node:tty";
import { safeJson } from "./safe-text.ts";
import { Paint } from "./paint.ts";
import { Progress } from "./progress.ts";

/** The three streams of a process; each may be a terminal, a pipe or a file. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: NodeJS.WriteStream | WriteStream;
  readonly stderr: NodeJS.WriteStream | WriteStream;
}

/** What a console is made from. */
export interface ConsoleOptions {
  readonly streams: Streams;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether results are for programs: JSON on stdout, and no words beside it. */
  readonly json: boolean;
}

/** The console of one command. */
export class Console {
  readonly streams: Streams;
  readonly json: boolean;
  /** Colours for stdout. */
  readonly paint: Paint;
  /** Colours for stderr. */
  readonly notePaint: Paint;

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

  /** Writes to stdout as it is; done when the reader has room for more. A reader that went away wants no more. */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.streams.stdout.write(data, () => resolve());
    });
  }

  /** A line of the result. */
  print(line: string): Promise<void> {
    return this.write(`${line}\n`);
  }

  /** A result for programs, on one line. */
  printJson(value: unknown): Promise<void> {
    return this.write(`${safeJson(value)}\n`);
  }

  /** Words for a person who is there; whoever only reads the result is not bothered with them. */
  note(line: string): void {
    if (!this.json && this.streams.stderr.isTTY) this.streams.stderr.write(`${line}\n`);
  }

  /** Words that matter also to whoever reads a file of them later. */
  warn(line: string): void {
    this.streams.stderr.write(this.json ? `${JSON.stringify({ warning: line })}\n` : `holdfast: ${line}\n`);
  }

  /** Says what is being waited for, once that takes longer than a second; whoever began it ends it. */
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
