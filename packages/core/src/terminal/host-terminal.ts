// One terminal of the host: a run of the keeper or of the agent itself, its output, and its channel.
import { randomUUID } from "node:crypto";
import type { TerminalAction, TerminalExit, TerminalSize, TerminalUri } from "@holdfast/ahp";
import type { KeeperExit, KeeperSink } from "@holdfast/keeper/port";
import type { AcpExitStatus, HeldTerminal, Survivor } from "@holdfast/terminal/acp-parts";
import { CommandIndex, type TerminalOutput } from "@holdfast/terminal/view";
import type { AgentSide } from "./agent-side.ts";
import { DisplayRun, type TerminalProgram } from "./display-run.ts";
import { OutputPace } from "./output-pace.ts";
import type { OutputTeller } from "./output-teller.ts";
import { PipedInput } from "./piped-input.ts";
import { type ShownContent, showContent } from "./terminal-content.ts";
import { TerminalQueries } from "./terminal-queries.ts";
import { TtyScreen } from "./tty-screen.ts";
import { TtyStream } from "./tty-stream.ts";

/** What a terminal needs from the collection that made it. */
export interface HostTerminalParts {
  readonly id: string;
  readonly uri: TerminalUri;
  readonly title: string;
  readonly isPty: boolean;
  readonly size: TerminalSize;
  /** The session that made it for its agent; absent for a person's. */
  readonly agent: AgentSide | undefined;
  /** That of a shell that tells of its commands. */
  readonly nonce: string | undefined;
  /** Whether a text command gets a pipe as its input. */
  readonly hasInput: boolean;
  /** Where the program waits for followers that ask for it: the raw bytes that are kept when none is left. */
  readonly paced: { readonly freeReplayBytes: number } | undefined;
  /** Whether it stays when who holds it does not come back. */
  readonly isKept: boolean;
  readonly output: TerminalOutput;
  readonly teller: OutputTeller;
  /** Whether its holder has it open, and so answers what the program asks of its terminal. */
  readonly isOpenAtHolder: () => boolean;
  readonly killGraceMs: number;
  /** How long its screen is kept in memory when nobody has use for it. */
  readonly screenLingerMs: number;
  readonly now: () => Date;
  readonly onFault: (error: unknown) => void;
  /** Told of every byte that is shown, which is valid during the call only. */
  readonly onBytes: (bytes: Uint8Array, offset: number) => void;
  /** Tells something that the program's output says. */
  readonly tell: (action: TerminalAction) => void;
  /** What is said of an end that nobody saw. */
  readonly unseenExit: string;
  /** Nothing more will be written. */
  readonly onEnded: () => void;
  readonly onClosed: (terminal: HostTerminal) => void;
}

type HostTerminalState =
  | { readonly name: "running" }
  | { readonly name: "exited"; readonly exit: KeeperExit };

/** How long a terminal that closes waits to be told of an exit that must come. */
const exitBoundMs = 1000;

/** A command that runs in the host, as a channel that can be watched. */
export class HostTerminal implements HeldTerminal {
  readonly id: string;
  readonly uri: TerminalUri;
  /** What tool calls call it. */
  title: string;
  readonly isPty: boolean;
  readonly output: TerminalOutput;
  readonly teller: OutputTeller;
  /** The commands of its shell. */
  readonly commands: CommandIndex;
  readonly exited: Promise<AcpExitStatus>;
  /** Lets the program wait for its followers; absent where it waits for nobody. */
  readonly pace: OutputPace | undefined;
  /** Whether it stays when who holds it does not come back. */
  isKept: boolean;
  readonly #parts: HostTerminalParts;
  readonly #stream: TtyStream | undefined;
  readonly #queries: TerminalQueries | undefined;
  readonly #screen: TtyScreen | undefined;
  #size: TerminalSize;
  #run: TerminalProgram | undefined;
  #input: PipedInput | undefined;
  #agent: AgentSide | undefined;
  #state: HostTerminalState = { name: "running" };
  #isSettled = false;
  #survivorCount = 0;
  #closing: Promise<void> | undefined;
  #noteExit: (exit: KeeperExit) => void = () => {};

  private constructor(parts: HostTerminalParts) {
    this.id = parts.id;
    this.uri = parts.uri;
    this.title = parts.title;
    this.isPty = parts.isPty;
    this.output = parts.output;
    this.teller = parts.teller;
    this.#agent = parts.agent;
    this.#parts = parts;
    this.#size = parts.size;
    this.isKept = parts.isKept;
    this.pace = this.#makePace();
    this.#screen = parts.isPty ? this.#makeScreen() : undefined;
    this.#stream = parts.isPty ? this.#makeStream() : undefined;
    this.#queries = parts.isPty ? this.#makeQueries() : undefined;
    this.commands = this.#stream?.commands ?? new CommandIndex({ newId: () => randomUUID() });
    this.exited = new Promise((resolve) => {
      this.#noteExit = ({ exitCode, signal }) => resolve({ exitCode, signal });
    });
  }

  /** Starts a program and feeds its bytes to the output; when it cannot start, the output is closed again. */
  static async start(
    parts: HostTerminalParts,
    start: (sink: KeeperSink) => Promise<TerminalProgram>,
  ): Promise<HostTerminal> {
    const terminal = new HostTerminal(parts);
    try {
      terminal.#run = await start(terminal.#sink);
      // It may have written too much before there was anything to hold.
      if (terminal.pace?.isHeld === true) terminal.#run.hold(true);
      if (parts.hasInput) terminal.#input = new PipedInput(terminal.#run, terminal.exited);
      return terminal;
    } catch (error) {
      terminal.pace?.close();
      terminal.#stream?.close();
      terminal.#screen?.close();
      parts.output.close();
      throw error;
    }
  }

  /** A terminal without a program: what there is to show is told to its run. */
  static show(parts: HostTerminalParts): { readonly terminal: HostTerminal; readonly run: DisplayRun } {
    const terminal = new HostTerminal(parts);
    const run = new DisplayRun(terminal.#sink);
    terminal.#run = run;
    return { terminal, run };
  }

  get state(): HostTerminalState {
    return this.#state;
  }

  /** The session that made it for its agent, while it has one. */
  get agent(): AgentSide | undefined {
    return this.#agent;
  }

  /** How the program ended, in the model's words. */
  get exit(): TerminalExit | undefined {
    if (this.#state.name !== "exited") return undefined;
    return describeExit(this.#state.exit, this.#parts.unseenExit);
  }

  /** What it shows up to the last whole character. */
  get content(): ShownContent {
    const shown = showContent(this.output, this.commands, this.teller.wholeOffset);
    return this.#screen?.show(shown) ?? shown;
  }

  /** To be awaited before its content is taken, which then has its screen where the bytes do not do. */
  async loadScreen(): Promise<void> {
    await this.#screen?.load();
  }

  /** The view begins anew; what an agent reads stays. */
  clear(offset: number): void {
    this.commands.clear(offset);
    this.#screen?.cleared(offset);
  }

  /** The pipe to a text command's stdin, where it has one. */
  get input(): PipedInput | undefined {
    return this.#input;
  }

  write(bytes: Uint8Array): boolean {
    return this.#startedRun.write(bytes);
  }

  /** Sets the size of the screen; gives it as it is after clamping. */
  resize({ cols, rows }: TerminalSize): TerminalSize {
    const size = this.#startedRun.resize({ columns: cols, rows });
    this.output.resize(size.columns, size.rows);
    this.#size = { cols: size.columns, rows: size.rows };
    this.#screen?.resized(this.#size);
    return this.#size;
  }

  /** Its session is over, and it goes on without it. */
  leaveSession(): void {
    this.#agent = undefined;
  }

  /** Processes that outlived the command when they were last looked for. */
  get survivorCount(): number {
    return this.#survivorCount;
  }

  kill(): Promise<readonly Survivor[]> {
    return this.#startedRun.end(this.#parts.killGraceMs);
  }

  async settle(): Promise<readonly Survivor[]> {
    if (this.#state.name === "running" || this.#isSettled) return [];
    const survivors = await this.#startedRun.members();
    this.#survivorCount = survivors.length;
    if (survivors.length === 0) this.#releaseRun();
    return survivors;
  }

  /** Ends what runs and gives everything back. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  async #closeNow(): Promise<void> {
    this.pace?.close();
    if (!this.#isSettled) await this.#startedRun.end(this.#parts.killGraceMs);
    // It is told when the rest of the output is read; what even KILL did not end is not waited for.
    await within(exitBoundMs, this.exited);
    this.#releaseRun();
    this.#stream?.close();
    this.#screen?.close();
    this.teller.close();
    this.output.close();
    this.#parts.onClosed(this);
  }

  #releaseRun(): void {
    if (!this.#isSettled) this.#startedRun.release();
    this.#isSettled = true;
  }

  get #startedRun(): TerminalProgram {
    if (this.#run === undefined) throw new Error("The terminal has not been started");
    return this.#run;
  }

  get #sink(): KeeperSink {
    const { output, teller, onEnded } = this.#parts;
    return {
      bytes: (_stream, bytes) => {
        if (this.#stream === undefined) this.#show(bytes, 0, bytes.length);
        else this.#stream.push(bytes);
      },
      exit: (exit) => {
        this.#stream?.exited();
        output.exited();
        this.#state = { name: "exited", exit };
        this.#noteExit(exit);
      },
      end: () => {
        output.ended();
        teller.divide();
        onEnded();
      },
    };
  }

  #makePace(): OutputPace | undefined {
    const { paced, output } = this.#parts;
    if (paced === undefined) return undefined;
    return new OutputPace({
      hold: (isHeld) => this.#run?.hold(isHeld),
      onFree: () => output.shrinkReplay(paced.freeReplayBytes),
    });
  }

  #makeStream(): TtyStream {
    const { nonce, now, tell, teller } = this.#parts;
    return new TtyStream({
      nonce,
      now,
      tell,
      show: (bytes, start, end) => this.#show(bytes, start, end),
      divide: () => teller.divide(),
      noteModes: (offset, modes) => this.#screen?.noteModes(offset, modes),
    });
  }

  #makeScreen(): TtyScreen {
    const { output, teller, size, screenLingerMs, onFault } = this.#parts;
    return new TtyScreen({
      output,
      size,
      wholeOffset: () => teller.wholeOffset,
      isRead: () => teller.isRead,
      lingerMs: screenLingerMs,
      onFault,
    });
  }

  #makeQueries(): TerminalQueries {
    const { output, isOpenAtHolder, onFault } = this.#parts;
    return new TerminalQueries({
      output,
      isLeftToViewer: isOpenAtHolder,
      size: () => this.#size,
      write: (bytes) => {
        if (this.#state.name === "running" && this.#run !== undefined) this.write(bytes);
      },
      onFault,
    });
  }

  #show(bytes: Uint8Array, start: number, end: number): void {
    const { output, teller, onBytes } = this.#parts;
    const offset = output.endOffset;
    this.#screen?.willShow();
    output.push(bytes, start, end);
    const shown = bytes.subarray(start, end);
    onBytes(shown, offset);
    this.pace?.wrote(output.endOffset);
    teller.pushed();
    this.#screen?.shown();
    this.#queries?.push(shown, offset);
  }
}

function within(boundMs: number, done: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const bound = setTimeout(resolve, boundMs);
    void done.then(resolve).finally(() => clearTimeout(bound));
  });
}

function describeExit({ exitCode, signal, limit }: KeeperExit, unseenExit: string): TerminalExit {
  const fired = limit === undefined ? {} : { limit: { name: limit, value: 0, unit: "count" as const } };
  if (exitCode !== null) return { kind: "code", exitCode, ...fired };
  if (signal !== null) return { kind: "signal", signal, ...fired };
  return { kind: "unknown", reason: unseenExit };
}
