// One terminal of the host: the engine's terminal with a channel, a title, and the session that it was made for.
import type {
  SessionUri,
  TerminalExit as ExitState,
  TerminalResult,
  TerminalSize,
  TerminalUri,
} from "@holdfast/ahp";
import type { Run, RunSink, ScreenSize, TreeProcess } from "@holdfast/terminal/port";
import { Terminal, type TerminalExit, type TerminalOptions } from "@holdfast/terminal/terminal";
import type { ContentSource, TerminalOutput } from "@holdfast/terminal/view";
import { describeLimit } from "../limit/limit-kind.ts";
import type { AgentSide } from "./agent-side.ts";
import type { OutputPace } from "./output-pace.ts";
import type { OutputPublisher } from "./output-publisher.ts";
import { PipedInput } from "./piped-input.ts";
import { type ShownContent, showContent, showScreen } from "./terminal-content.ts";

/** Properties of a host terminal besides those of the engine. */
export interface HostTerminalOptions extends TerminalOptions {
  readonly uri: TerminalUri;
  readonly title: string;
  /** The size that it was started with, under this host or an earlier one. */
  readonly startSize: ScreenSize;
  readonly publisher: OutputPublisher;
  /** The session that made it for its agent; absent for a person's. */
  readonly agent: AgentSide | undefined;
  /** Whether its processes run in a sandbox. */
  readonly isIsolated: boolean;
  /** Whether a text command gets a pipe as its input. */
  readonly hasInput: boolean;
  /** Lets the program wait for its followers; absent where it waits for none. */
  readonly pace: OutputPace | undefined;
  /** Whether it stays when its holder does not come back. */
  readonly isKept: boolean;
  /** The reason in the exit of a command whose end was not seen. */
  readonly unseenExit: string;
  /** Processes that the command left running were ended, except these. */
  readonly onLeft: (survivors: readonly TreeProcess[]) => void;
}

/** How much of the output is kept with the tool call. */
const maxPreviewBytes = 16 * 1024;

/** A command that runs in the host, as a channel that clients subscribe to. */
export class HostTerminal extends Terminal {
  readonly uri: TerminalUri;
  /** The title in tool calls. */
  title: string;
  readonly startSize: TerminalSize;
  readonly publisher: OutputPublisher;
  readonly pace: OutputPace | undefined;
  isKept: boolean;
  readonly isIsolated: boolean;
  /** Isolated sessions that may have it although it is not isolated: somebody has confirmed that. */
  readonly confirmedFor = new Set<SessionUri>();
  /** Where its view begins: an agent may replace all that it showed of a command that it runs itself. */
  shownFrom = 0;
  readonly #unseenExit: string;
  readonly #hasInput: boolean;
  readonly #isAgents: boolean;
  readonly #onLeft: HostTerminalOptions["onLeft"];
  #input: PipedInput | undefined;
  #agent: AgentSide | undefined;
  /** The result when it was closed. */
  #lastResult: TerminalResult | undefined;

  constructor(options: HostTerminalOptions) {
    super(options);
    this.uri = options.uri;
    this.title = options.title;
    this.startSize = { cols: options.startSize.columns, rows: options.startSize.rows };
    this.publisher = options.publisher;
    this.pace = options.pace;
    this.isKept = options.isKept;
    this.isIsolated = options.isIsolated;
    this.#unseenExit = options.unseenExit;
    this.#hasInput = options.hasInput;
    this.#onLeft = options.onLeft;
    this.#isAgents = options.agent !== undefined;
    this.#agent = options.agent;
  }

  override async start(start: (sink: RunSink) => Promise<Run>): Promise<void> {
    try {
      await super.start(start);
    } catch (error) {
      this.pace?.close();
      throw error;
    }
    // It may have written too much before there was anything to hold.
    if (this.pace?.isHeld === true) this.hold(true);
    if (this.#hasInput) this.#input = new PipedInput(this.run, this.exited);
  }

  /** The session that made it for its agent, while it has one. */
  get agent(): AgentSide | undefined {
    return this.#agent;
  }

  /** How the program ended, as its state has it. */
  get exit(): ExitState | undefined {
    return this.state.name === "exited" ? this.#describeExit(this.state.exit) : undefined;
  }

  /** The exit, if there is one, and the end of the output, for the tool call that shows it. */
  get result(): TerminalResult {
    if (this.#lastResult !== undefined) return this.#lastResult;
    const { exit, output, shownFrom } = this;
    const shownBytes = output.endOffset - shownFrom;
    const limitBytes = shownFrom === 0 ? maxPreviewBytes : Math.min(maxPreviewBytes, shownBytes);
    const { output: preview, truncated } = output.tail(limitBytes);
    // The text of a screen may be longer than the bytes that drew it.
    const leastSkipped = truncated && shownFrom === 0 ? 1 : 0;
    const skippedBytes = truncated ? Math.max(leastSkipped, shownBytes - Buffer.byteLength(preview)) : 0;
    return { ...(exit !== undefined && { exit }), preview, skippedBytes };
  }

  /** Its output up to the last whole character. */
  get content(): ShownContent {
    const { wholeOffset } = this.publisher;
    // The content of a text run ends where its published output does, also within a line end.
    const source = this.isPty ? this.output : endingAt(this.output, wholeOffset);
    const shown = showContent(source, this.commands, wholeOffset);
    return this.screen === undefined ? shown : showScreen(shown, this.screen);
  }

  /** To be awaited before its content is read, which then has its screen where the bytes do not do. */
  async loadScreen(): Promise<void> {
    await this.screen?.load();
  }

  /** The pipe to a text command's stdin, where it has one. */
  get input(): PipedInput | undefined {
    return this.#input;
  }

  /** Sets the size of the screen; returns it after clamping. */
  setSize({ cols, rows }: TerminalSize): TerminalSize {
    const size = this.resize({ columns: cols, rows });
    return { cols: size.columns, rows: size.rows };
  }

  /** Its session is over, and it continues without it. */
  leaveSession(): void {
    this.#agent = undefined;
  }

  override async kill(graceMs?: number): Promise<readonly TreeProcess[]> {
    const survivors = await super.kill(graceMs);
    if (this.hasExited) this.#onLeft(survivors);
    return survivors;
  }

  override close(): Promise<void> {
    this.pace?.close();
    return super.close();
  }

  protected override beforeFree(): void {
    // A person's terminal is in no tool call, and its text may never have been folded.
    if (this.#isAgents) this.#lastResult = this.result;
  }

  #describeExit({ exitCode, signal, limit }: TerminalExit): ExitState {
    const fired = limit === undefined ? {} : { limit: describeLimit(limit) };
    if (exitCode !== null) return { kind: "code", exitCode, ...fired };
    if (signal !== null) return { kind: "signal", signal, ...fired };
    return { kind: "unknown", reason: this.#unseenExit };
  }
}

/** The bytes of an output up to an offset. */
function endingAt(output: TerminalOutput, endOffset: number): ContentSource {
  const { startOffset } = output;
  return { startOffset, endOffset, bytes: (from, to) => output.bytes(from, to) };
}
