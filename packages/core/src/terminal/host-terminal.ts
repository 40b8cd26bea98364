// One terminal of the host: a run of the keeper, its output, and its channel.
import type { SessionClaim, TerminalExit, TerminalSize, TerminalUri } from "@holdfast/ahp";
import type { KeeperRun, KeeperExit, KeeperSink } from "@holdfast/keeper/port";
import type { AcpExitStatus, HeldTerminal, Survivor } from "@holdfast/terminal/acp-parts";
import type { TerminalOutput } from "@holdfast/terminal/view";

/** What a terminal needs from the collection that made it. */
export interface HostTerminalParts {
  readonly id: string;
  readonly uri: TerminalUri;
  readonly title: string;
  readonly isPty: boolean;
  readonly claim: SessionClaim;
  readonly output: TerminalOutput;
  readonly killGraceMs: number;
  /** Told of every byte, which is valid during the call only. */
  readonly onBytes: (bytes: Uint8Array, offset: number) => void;
  /** Nothing more will be written. */
  readonly onEnded: () => void;
  readonly onClosed: (terminal: HostTerminal) => void;
}

/** A command that runs in the host, as a channel that can be watched. */
export class HostTerminal implements HeldTerminal {
  readonly id: string;
  readonly uri: TerminalUri;
  readonly title: string;
  readonly isPty: boolean;
  readonly claim: SessionClaim;
  readonly output: TerminalOutput;
  readonly exited: Promise<AcpExitStatus>;
  readonly #parts: HostTerminalParts;
  readonly #run: KeeperRun;
  #state: { readonly name: "running" } | { readonly name: "exited"; readonly exit: KeeperExit } = {
    name: "running",
  };
  #isSettled = false;
  #survivorCount = 0;
  #closing: Promise<void> | undefined;

  private constructor(parts: HostTerminalParts, run: KeeperRun, exited: Promise<KeeperExit>) {
    this.id = parts.id;
    this.uri = parts.uri;
    this.title = parts.title;
    this.isPty = parts.isPty;
    this.claim = parts.claim;
    this.output = parts.output;
    this.#parts = parts;
    this.#run = run;
    this.exited = exited.then((exit) => this.#exit(exit));
  }

  /** Starts a program and feeds its bytes to the output; when it cannot start, the output is closed again. */
  static async start(
    parts: HostTerminalParts,
    start: (sink: KeeperSink) => Promise<KeeperRun>,
  ): Promise<HostTerminal> {
    const { output } = parts;
    let resolveExit = (_exit: KeeperExit): void => {};
    const exited = new Promise<KeeperExit>((resolve) => {
      resolveExit = resolve;
    });
    const sink: KeeperSink = {
      bytes: (_stream, bytes, offset) => {
        output.push(bytes);
        parts.onBytes(bytes, offset);
      },
      exit: (exit) => {
        output.exited();
        resolveExit(exit);
      },
      end: () => {
        output.ended();
        parts.onEnded();
      },
    };
    try {
      return new HostTerminal(parts, await start(sink), exited);
    } catch (error) {
      output.close();
      throw error;
    }
  }

  get state(): { readonly name: "running" } | { readonly name: "exited"; readonly exit: KeeperExit } {
    return this.#state;
  }

  /** How the program ended, in the model's words. */
  get exit(): TerminalExit | undefined {
    return this.#state.name === "exited" ? describeExit(this.#state.exit) : undefined;
  }

  get pid(): number {
    return this.#run.pid;
  }

  write(bytes: Uint8Array): boolean {
    return this.#run.write(bytes);
  }

  /** Sets the size of the screen; gives it as it is after clamping. */
  resize({ cols, rows }: TerminalSize): TerminalSize {
    const size = this.#run.resize({ columns: cols, rows });
    this.output.resize(size.columns, size.rows);
    return { cols: size.columns, rows: size.rows };
  }

  /** Processes that outlived the command when they were last looked for. */
  get survivorCount(): number {
    return this.#survivorCount;
  }

  kill(): Promise<readonly Survivor[]> {
    return this.#run.end(this.#parts.killGraceMs);
  }

  async settle(): Promise<readonly Survivor[]> {
    if (this.#state.name === "running" || this.#isSettled) return [];
    const survivors = await this.#run.members();
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
    if (!this.#isSettled) await this.#run.end(this.#parts.killGraceMs);
    this.#releaseRun();
    this.output.close();
    this.#parts.onClosed(this);
  }

  #releaseRun(): void {
    if (!this.#isSettled) this.#run.release();
    this.#isSettled = true;
  }

  #exit(exit: KeeperExit): AcpExitStatus {
    this.#state = { name: "exited", exit };
    return { exitCode: exit.exitCode, signal: exit.signal };
  }
}

function describeExit({ exitCode, signal, limit }: KeeperExit): TerminalExit {
  const fired = limit === undefined ? {} : { limit: { name: limit, value: 0, unit: "count" as const } };
  if (exitCode !== null) return { kind: "code", exitCode, ...fired };
  if (signal !== null) return { kind: "signal", signal, ...fired };
  return { kind: "unknown", reason: "The process that started it has died" };
}
