// Sits at a real terminal: types, waits for what is shown, and keeps every byte with its moment.
import { TerminalEngine, type Terminal } from "@holdfast/terminal";
import { ScreenPicture, type Frame, type ScreenSize } from "./screen-picture.ts";

/** Bytes that a terminal wrote, and when. */
interface Piece {
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** How a recording is made. */
export interface RecorderOptions {
  readonly size: ScreenSize;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The pace of somebody who types, and the longest that a viewer shall wait for a program. */
const pace = { keyMs: 55, timeoutMs: 450, thoughtMs: 900 } as const;

/** A shell in a pseudo-terminal that is recorded. `close` ends it. */
export class Recorder {
  readonly #engine = new TerminalEngine({ environment: {} });
  readonly #options: RecorderOptions;
  readonly #screen: ScreenPicture;
  readonly #pieces: Piece[] = [];
  readonly #frames: Frame[] = [];
  #terminal: Terminal | undefined;
  /** The moment of the recording: it stands still while a program takes its time. */
  #nowMs = 0;
  #lastReadMs = performance.now();
  #isTyping = false;
  #onOutput: () => void = () => undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#screen = new ScreenPicture(options.size);
  }

  async start(): Promise<void> {
    const { size, cwd, environment } = this.#options;
    const terminal = await this.#engine.open({
      command: "bash",
      args: ["--norc", "--noprofile", "-i"],
      kind: "tty",
      audience: "person",
      cwd,
      size,
      env: environment,
    });
    this.#terminal = terminal;
    const subscription = terminal.subscribe({ from: "start" }, () => {
      for (let batch = subscription.read(); batch !== undefined; batch = subscription.read()) {
        this.#take(batch.bytes);
      }
    });
    await this.untilPrompt();
  }

  /** Types a line as a person does, and presses Enter. */
  async type(line: string): Promise<void> {
    for (const key of Array.from(`${line}\r`)) await this.press(key);
  }

  /** Presses one key, and waits for its echo. */
  async press(key: string): Promise<void> {
    const before = this.#pieces.length;
    this.#isTyping = true;
    this.#nowMs += pace.keyMs;
    this.#terminal?.write(key);
    await this.#until(() => this.#pieces.length > before);
    this.#isTyping = false;
  }

  /** Waits until the shell asks for the next command. */
  async untilPrompt(): Promise<void> {
    await this.#until(() => {
      const { row, column } = this.#screen.cursor;
      return column === 2 && this.#screen.lines[row] === "$";
    });
    this.think();
  }

  /** Waits until something is on the screen. */
  async untilShown(pattern: RegExp): Promise<void> {
    await this.#until(() => pattern.test(this.#screen.lines.join("\n")));
    this.think();
  }

  /** Leaves a viewer the time to read. */
  think(): void {
    this.#nowMs += pace.thoughtMs;
  }

  /** Every screen that could be seen, once each. */
  get frames(): readonly Frame[] {
    return this.#frames.filter(
      ({ rows }, index) => rows.join("\n") !== this.#frames[index - 1]?.rows.join("\n"),
    );
  }

  get durationMs(): number {
    return this.#nowMs;
  }

  /** The recording in the format of asciinema, version 2. */
  cast(title: string): string {
    const { columns: width, rows: height } = this.#options.size;
    const decoder = new TextDecoder();
    const events = this.#pieces.map(({ atMs, bytes }) => [
      atMs / 1000,
      "o",
      decoder.decode(bytes, { stream: true }),
    ]);
    return [{ version: 2, width, height, title }, ...events]
      .map((each) => `${JSON.stringify(each)}\n`)
      .join("");
  }

  async close(): Promise<void> {
    await this.#engine.close();
    this.#screen.close();
  }

  #take(bytes: Uint8Array): void {
    const readMs = performance.now();
    if (!this.#isTyping) this.#nowMs += Math.min(readMs - this.#lastReadMs, pace.timeoutMs);
    this.#lastReadMs = readMs;
    this.#pieces.push({ atMs: Math.round(this.#nowMs), bytes: bytes.slice() });
    this.#screen.write(bytes);
    const frame = this.#screen.frame(Math.round(this.#nowMs));
    if (this.#frames.at(-1)?.atMs === frame.atMs) this.#frames.pop();
    this.#frames.push(frame);
    this.#onOutput();
  }

  async #until(isSo: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onOutput = () => void (isSo() && resolve());
      this.#onOutput();
    });
  }
}
