// The run of a command in an editor's terminal: ACP reports no output, so it is read again and again.
import type { RunSink, TreeProcess } from "@holdfast/terminal/port";
import { DisplayRun } from "../terminal/display-run.ts";
import { within } from "../within.ts";
import type { Editor, EditorCommand, EditorTerminal } from "./editors.ts";

const pollMs = 250;
/** A large output is sent as a whole each time, so it is read less often. */
const largePollMs = 1000;
const largeLength = 64 * 1024;
/** The end of a text by which the next one is joined to it, when the editor has dropped its beginning. */
const overlapLength = 256;

const NOT_INTERACTIVE = "The editor runs this command, and only it can type into it.";

/** A command that an editor runs: its output as far as it is known, and its end. */
export class EditorRun extends DisplayRun {
  readonly #terminal: EditorTerminal;
  readonly #watching: Promise<void>;
  /** The editor's output when it was last read. */
  #read = "";
  #isLost = false;

  private constructor(sink: RunSink, terminal: EditorTerminal, name: string) {
    super(sink, {}, NOT_INTERACTIVE);
    this.#terminal = terminal;
    this.#watching = this.#watch(name);
  }

  /** Starts the command; rejects where the editor does not, or is gone. */
  static async start(editor: Editor, command: EditorCommand, sink: RunSink): Promise<EditorRun> {
    if (editor.startCommand === undefined) throw new Error(`The editor ${editor.name} runs no commands`);
    return new EditorRun(sink, await editor.startCommand(command), editor.name);
  }

  /** Whether the editor disconnected while the command ran. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Editors have no Ctrl-C. */
  override async interrupt(): Promise<void> {
    await this.#terminal.kill();
  }

  override async end(graceMs: number): Promise<readonly TreeProcess[]> {
    if (!this.hasExited) {
      const ended = this.#terminal.kill().then(() => this.#watching);
      await within(graceMs, ended.catch(ignoreGone));
      // It did not report the exit that it was asked for.
      if (!this.hasExited) this.exit(null, "SIGTERM");
    }
    this.finish();
    return [];
  }

  /** The agent is done with it: the editor may forget it. */
  forget(): void {
    this.#terminal.release().catch(ignoreGone);
  }

  async #watch(name: string): Promise<void> {
    const exited = this.#terminal.waitForExit();
    try {
      while (!this.hasExited) {
        const pauseMs = this.#read.length > largeLength ? largePollMs : pollMs;
        const status = await within(pauseMs, exited);
        await this.#readOutput();
        if (status !== undefined) this.exit(status.exitCode, status.signal);
      }
    } catch {
      // Whatever the editor says instead, nobody will know more of this command.
      if (this.hasExited) return;
      this.#isLost = true;
      this.appendText(
        `\n[The editor ${name} has disconnected. Whether the command still runs is unknown.]\n`,
      );
    }
    this.finish();
  }

  async #readOutput(): Promise<void> {
    const output = await this.#terminal.readOutput();
    if (this.hasExited) return;
    this.appendText(continuationOf(this.#read, output));
    this.#read = output;
  }
}

/** The part of a text that is new, where it continues the one before, has lost its beginning, or was drawn again. */
export function continuationOf(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const end = before.slice(-overlapLength);
  // A shorter text may be there by chance.
  const at = end.length < overlapLength ? -1 : after.lastIndexOf(end);
  if (at >= 0) return after.slice(at + end.length);
  let common = 0;
  while (common < before.length && before[common] === after[common]) common += 1;
  const lineStart = after.lastIndexOf("\n", common - 1) + 1;
  return `${before.endsWith("\n") ? "" : "\n"}${after.slice(lineStart)}`;
}

function ignoreGone(): void {
  // An editor that is gone has forgotten its terminals, too.
}
