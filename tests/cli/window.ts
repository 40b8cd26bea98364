// A person's window: a real pseudo-terminal with the program in it, drawn as they would see it.
import { fileURLToPath } from "node:url";
import { TerminalEngine, type Terminal } from "@holdfast/terminal";
import { TerminalScreen } from "@holdfast/terminal/screen";
import { testedProgram } from "../setup/tested-program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The words that run the program as users have it. */
export const programWords: readonly string[] = [testedProgram];

/** Programs start slowly on a busy machine. */
const timeoutMs = 20_000;

/** A window's size. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Windows of one test. `close` ends whatever runs in them. */
export class Windows {
  readonly #engine = new TerminalEngine({ environment: process.env });

  /** Opens a window with the program and these words in it. */
  async open(words: readonly string[], size: WindowSize = { columns: 80, rows: 24 }): Promise<Window> {
    const terminal = await this.#engine.open({
      kind: "tty",
      command: process.execPath,
      args: [...programWords, ...words],
      cwd: root,
      audience: "person",
      env: { TERM: "xterm-256color" },
      size,
    });
    return new Window(terminal, await TerminalScreen.build(size));
  }

  /** Opens a window with a shell line in it, in which `holdfast` is the program. */
  async openShell(line: string, size: WindowSize = { columns: 80, rows: 24 }): Promise<Window> {
    const words = [process.execPath, ...programWords].map((word) => `'${word}'`).join(" ");
    const script = `holdfast() { ${words} "$@"; }\n${line}`;
    const terminal = await this.#engine.open({
      kind: "tty",
      command: "bash",
      args: ["--norc", "-c", script],
      cwd: root,
      audience: "person",
      env: { TERM: "xterm-256color" },
      size,
    });
    return new Window(terminal, await TerminalScreen.build(size));
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** One window. */
export class Window {
  readonly #terminal: Terminal;
  readonly #screen: TerminalScreen;
  readonly #watchers = new Set<() => void>();
  /** Everything that was written to it. */
  written = "";

  constructor(terminal: Terminal, screen: TerminalScreen) {
    this.#terminal = terminal;
    this.#screen = screen;
    void this.#draw();
  }

  /** The rows as a person sees them. */
  get text(): string {
    return this.#screen.text.join("\n");
  }

  get pid(): number {
    return this.#terminal.pid;
  }

  get cursor(): { readonly column: number; readonly row: number } {
    return this.#screen.cursor;
  }

  /** Whether a private mode of the window is on. */
  hasMode(mode: number): boolean {
    return this.#screen.modeState(mode, true) === "set";
  }

  type(text: string): void {
    this.#terminal.write(text);
  }

  resize(size: WindowSize): void {
    this.#terminal.resize(size);
    this.#screen.resize(size.columns, size.rows);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.#terminal.pid, signal);
  }

  /** Waits until the window shows something. */
  async shows(what: string | RegExp): Promise<void> {
    return this.until(
      () => (typeof what === "string" ? this.text.includes(what) : what.test(this.text)),
      what,
    );
  }

  /** Waits until something is so; a window that does not come to it is shown in the failure. */
  async until(isSo: () => boolean, what: unknown = isSo): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (!isSo()) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new Error(`The window does not show ${String(what)}:\n${this.text}`);
      await this.#change(leftMs);
    }
  }

  /** The exit code of what ran in it. */
  async exited(): Promise<number | null> {
    const { exitCode } = await this.#terminal.exited;
    await this.until(() => this.#drawnOffset >= this.#terminal.output.endOffset);
    return exitCode;
  }

  #drawnOffset = 0;

  async #draw(): Promise<void> {
    let wake: () => void = () => undefined;
    const bytes = this.#terminal.subscribe({ from: "start" }, () => wake());
    void this.#terminal.exited.then(() => this.#changed());
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      for (let batch = bytes.read(); batch !== undefined; batch = bytes.read()) {
        const copy = Buffer.from(batch.bytes);
        await this.#screen.write(copy);
        this.written += copy.toString();
        this.#drawnOffset = batch.offset + copy.length;
        this.#changed();
      }
      if (bytes.ended) return this.#changed();
      await woken;
    }
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#watchers.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}
