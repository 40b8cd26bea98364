// The host's ends of a run's files: FIFOs, or a pseudo-terminal (T6–T8).
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import type { ScreenSize } from "../screen-size.ts";
import { TerminalError } from "../terminal-error.ts";
import { unlinkFifos } from "./helper/launch-files.ts";
import type { ChildPipes, LaunchIo } from "./launch.ts";
import { OutputReader, type ReaderSink } from "./output-reader.ts";
import type { RunStream } from "./port.ts";
import { type Pty, PtyWriter, openPty, resizePty } from "./pty.ts";
import type { ReadBudget } from "./read-budget.ts";

/** One sink per stream. */
export type StreamSinks = (stream: RunStream) => ReaderSink;

/** The input of a run. */
export interface RunInput {
  /** False asks the writer to wait for `onDrain`; the bytes are taken in any case. */
  write(bytes: Buffer): boolean;
  /** Called each time that waiting bytes have been taken. */
  onDrain(listener: () => void): void;
  end(): void;
}

/** The host's side of a run's files. It owns their descriptors. */
export interface RunIo {
  readonly files: LaunchIo;
  readonly input: RunInput | undefined;
  /** Starts reading; called once, when the child has its own ends open. */
  start(sinks: StreamSinks, budget: ReadBudget, pipes: ChildPipes | undefined): void;
  /** Reads to the end of what the exited child wrote. */
  drain(): void;
  /** True when every writer has closed. */
  readonly ended: boolean;
  /** While it holds, nothing is read, so that a fast writer waits; output of an exited child is still read. */
  hold(isHeld: boolean): void;
  resize(size: ScreenSize): void;
  close(): void;
}

const noScreen = (): never => {
  throw new TerminalError("not_supported", "Only a tty run has a screen to resize");
};

/** Opens a FIFO; nothing waits for its other end. */
function openFifo(path: string, mode: number): number {
  return openSync(path, mode | constants.O_NONBLOCK);
}

/** The names of a run's FIFOs; without one for stderr, `output` has both streams in the order they were written. */
export interface PipePaths {
  readonly output: string;
  readonly error?: string | undefined;
  readonly stdin?: string | undefined;
}

/** FIFOs: one for all output, a second one for stderr and a third for stdin where they are wanted. */
export class PipesIo implements RunIo {
  readonly files: LaunchIo;
  readonly input: PipeInput | undefined;
  readonly resize = noScreen;
  /** Opened before the child opens its ends, and read only after: so there is neither a refusal nor an early end. */
  #unread: { readonly stream: RunStream; readonly fd: number }[] = [];
  #standIn: number | undefined;
  #readers: OutputReader[] = [];

  constructor({ output, error, stdin }: PipePaths) {
    this.files = { kind: "pipes", output, error, stdin };
    try {
      this.#openUnread("output", output);
      if (error !== undefined) this.#openUnread("error", error);
      if (stdin === undefined) return;
      // A FIFO can be opened for writing only while somebody reads it: until the child does, that is us.
      this.#standIn = openFifo(stdin, constants.O_RDONLY);
      this.input = new PipeInput(openFifo(stdin, constants.O_WRONLY));
    } catch (cause) {
      // Nobody else knows of this run yet.
      this.close();
      unlinkFifos(this.files);
      throw new TerminalError("spawn_failed", `Could not open the run's own files: ${String(cause)}`, {
        cause,
      });
    }
  }

  #openUnread(stream: RunStream, path: string): void {
    this.#unread.push({ stream, fd: openFifo(path, constants.O_RDONLY) });
  }

  start(sinks: StreamSinks, budget: ReadBudget): void {
    this.#dropStandIn();
    const unread = this.#unread;
    this.#unread = [];
    this.#readers = unread.map(({ stream, fd }) => new OutputReader(fd, "fifo", sinks(stream), budget));
  }

  drain(): void {
    for (const reader of this.#readers) reader.drain();
  }

  get ended(): boolean {
    return this.#readers.every((reader) => reader.ended);
  }

  hold(isHeld: boolean): void {
    for (const reader of this.#readers) reader.hold(isHeld);
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
    for (const { fd } of this.#unread) closeSync(fd);
    this.#unread = [];
    this.#dropStandIn();
    this.input?.destroy();
  }

  #dropStandIn(): void {
    if (this.#standIn !== undefined) closeSync(this.#standIn);
    this.#standIn = undefined;
  }
}

/** The writing end of a pipe, with its back-pressure. */
export class PipeInput implements RunInput {
  readonly #socket: Socket;

  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: false, writable: true });
    // EPIPE: the child reads no more. The caller learns of it from the exit.
    this.#socket.on("error", () => {});
  }

  write(bytes: Buffer): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) {
      throw new TerminalError("closed", "The command has ended and takes no more input");
    }
    return this.#socket.write(bytes);
  }

  onDrain(listener: () => void): void {
    this.#socket.on("drain", listener);
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** tty: a pseudo-terminal with its screen and keyboard. */
export class TtyIo implements RunIo {
  readonly files: LaunchIo;
  readonly input: RunInput;
  readonly #pty: Pty;
  #reader: OutputReader | undefined;
  readonly #writer: PtyWriter;
  #started = false;

  constructor(size: ScreenSize) {
    this.#pty = openPty(size);
    this.files = { kind: "tty", device: this.#pty.device };
    this.#writer = new PtyWriter(() => this.#reader?.openFd);
    this.input = {
      write: (bytes) => {
        this.#writer.write(bytes);
        return this.#writer.waitingBytes === 0;
      },
      onDrain: (listener) => this.#writer.onDrain(listener),
      // The key that ends input on a keyboard.
      end: () => this.#writer.write(Buffer.from("\x04")),
    };
  }

  start(sinks: StreamSinks, budget: ReadBudget): void {
    const sink = sinks("output");
    const bytes = (buffer: Buffer, length: number): void => {
      sink.bytes(buffer, length);
      if (this.#writer.waitingBytes > 0) this.#writer.flush();
    };
    this.#started = true;
    this.#reader = new OutputReader(this.#pty.master, "pty", { bytes, end: () => sink.end() }, budget);
  }

  /**
   * We hold the command's end open until it has exited: else the terminal would look closed before the command has
   * opened it. First everything is read, then our end is closed, and only then can the end be seen.
   */
  drain(): void {
    this.#reader?.drain();
    this.#pty.releaseDevice();
    this.#reader?.drain();
  }

  get ended(): boolean {
    return this.#reader?.ended ?? true;
  }

  hold(isHeld: boolean): void {
    this.#reader?.hold(isHeld);
  }

  resize(size: ScreenSize): void {
    if (this.#reader?.openFd !== undefined) resizePty(this.#reader.openFd, size);
  }

  close(): void {
    this.#writer.close();
    this.#pty.releaseDevice();
    this.#reader?.close();
    if (!this.#started) closeSync(this.#pty.master);
    this.#started = true;
  }
}
