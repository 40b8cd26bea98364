// Path of a run's bytes through a terminal: one scan, then output, screen, commands and publisher, in order.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isAbsolute } from "node:path";
import { LineWait } from "./line-wait.ts";
import type { RunStream } from "./process/port.ts";
import type { ScreenSize } from "./screen-size.ts";
import { QueryReplies } from "./screen/query-replies.ts";
import { TtyScreen } from "./screen/tty-screen.ts";
import type { TerminalPublisher } from "./terminal-publisher.ts";
import {
  type CommandEvent,
  CommandIndex,
  INITIAL_MODES,
  type ScanPlace,
  type StreamMark,
  type StreamPiece,
  StreamRanges,
  StreamScanner,
  type TerminalOutput,
} from "./view/index.ts";

/** Options of a terminal stream. */
export interface TerminalStreamOptions {
  /** Its commands are named after it. Default: they get random names. */
  readonly id?: string | undefined;
  /** `text`: pipes. `tty`: a pseudo-terminal. */
  readonly kind: "text" | "tty";
  readonly size: ScreenSize;
  readonly output: TerminalOutput;
  /** Publishes the terminal; without one its bytes are kept as they come, shell marks included. */
  readonly publisher?: TerminalPublisher | undefined;
  /** The nonce of a shell that reports its commands; without it no mark is believed. */
  readonly nonce?: string | undefined;
  /** The command that is all it runs; absent for shells, which report their own. */
  readonly commandLine?: string | undefined;
  /** Whether shell marks in the output of a text run stay: for readers that want every byte. */
  readonly keepsMarks?: boolean | undefined;
  /** How long a screen is kept in memory that no client has use for. */
  readonly screenLingerMs?: number | undefined;
  /** Where the terminal of an earlier host continues; absent for one that begins. */
  readonly continues?: ContinuedStream | undefined;
  readonly now?: (() => Date) | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Where a stream continues that an earlier host has read in part. */
export interface ContinuedStream {
  /** The place of the first byte that comes; absent where it comes from the beginning. */
  readonly place?: ScanPlace | undefined;
  /** The earlier host has shown everything before this offset: queries there have their reply. */
  readonly shownOffset: number;
  /** When commands began that are read again, by id. */
  readonly startedAtMs: ReadonlyMap<string, number>;
  /** Commands from before the place, oldest first. */
  readonly commands: readonly EarlierCommand[];
}

/** A command that an earlier host has seen begin. */
export interface EarlierCommand {
  readonly id: string;
  readonly commandLine: string;
  readonly startedAtMs: number;
  readonly startOffset: number;
  readonly end?:
    | { readonly endOffset: number; readonly exitCode?: number | undefined; readonly durationMs: number }
    | undefined;
}

/** The bytes of one terminal. `close` frees its output. */
export class TerminalStream {
  readonly output: TerminalOutput;
  readonly streams = new StreamRanges();
  readonly commands = new CommandIndex({ newId: () => this.#newCommandId() });
  readonly screen: TtyScreen | undefined;
  readonly #options: TerminalStreamOptions;
  readonly #publisher: TerminalPublisher | undefined;
  readonly #scanner: StreamScanner | undefined;
  readonly #replies: QueryReplies | undefined;
  readonly #lineWait = new LineWait((held) => this.#show(held, 0, held.length));
  #size: ScreenSize;
  /** The mark that is being applied, after which the command that it begins is named. */
  #markOffset = 0;
  #earlierId: string | undefined;
  #hasCommands = false;
  #hasExited = false;
  /** Whether a command has begun that is not published, because its line may still come. */
  #awaitsLine = false;

  /** `reply` types what the program gets in reply to its queries. */
  constructor(options: TerminalStreamOptions, reply: (bytes: Uint8Array) => void) {
    const { kind, publisher, nonce, keepsMarks = false, continues } = options;
    const place = continues?.place;
    this.output = options.output;
    this.#options = options;
    this.#publisher = publisher;
    this.#size = options.size;
    if (publisher === undefined) return;
    if (kind === "tty" || !keepsMarks) this.#scanner = new StreamScanner({ nonce, place });
    if (kind === "tty") {
      this.screen = this.#makeScreen(publisher);
      this.#replies = this.#makeReplies(reply);
      if (place !== undefined) this.screen.noteModes(place.offset, place.modes);
    }
    for (const command of continues?.commands ?? []) this.#beginAgain(command);
    const hasBegun = (continues?.commands.length ?? 0) > 0;
    if (options.commandLine !== undefined && !hasBegun) this.#beginCommand(options.commandLine);
  }

  /** Where another host could continue, if no sequence is being read; without a scanner, anywhere. */
  get place(): ScanPlace | undefined {
    const { endOffset } = this.output;
    if (this.#scanner === undefined) return { rawOffset: endOffset, offset: endOffset, modes: INITIAL_MODES };
    return this.#awaitsLine ? undefined : this.#scanner.place;
  }

  /** Takes bytes of the run, which are valid during the call. */
  take(stream: RunStream, bytes: Uint8Array): void {
    if (this.#scanner === undefined) {
      // Before they are shown: followers look it up at once.
      if (stream === "error") this.#noteError(bytes.length);
      return this.#show(bytes, 0, bytes.length);
    }
    const pieces = this.#scanner.scan(bytes);
    if (stream === "error") this.#noteError(textBytesOf(pieces));
    this.#apply(pieces);
  }

  /** The run has exited: what its children still write belongs to no command. */
  exit(exitCode: number | null): void {
    if (this.#scanner !== undefined) this.#apply(this.#scanner.end());
    this.#lineWait.end();
    this.#endCommand(exitCode);
    this.#publisher?.exited();
    this.output.exited();
    this.#hasExited = true;
  }

  /** No more bytes will come. */
  end(): void {
    if (this.#scanner !== undefined) this.#apply(this.#scanner.end());
    this.output.ended();
    this.#publisher?.ended();
  }

  resized(size: ScreenSize): void {
    this.#size = size;
    this.output.resize(size.columns, size.rows);
    this.screen?.resized(size);
  }

  /** The view starts at an offset; what an agent reads stays. */
  clear(offset: number): void {
    this.commands.clear(offset);
    this.screen?.cleared(offset);
  }

  close(): void {
    this.#lineWait.close();
    this.screen?.close();
    this.#publisher?.close();
    this.output.close();
  }

  #noteError(sizeBytes: number): void {
    const { endOffset } = this.output;
    this.streams.add(endOffset, endOffset + sizeBytes);
  }

  #apply(pieces: readonly StreamPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind === "text") {
        // Bytes that were typed ahead come between a command's start and its line (E110).
        if (this.#awaitsLine && this.#lineWait.hold(piece.bytes, piece.start, piece.end)) continue;
        this.#show(piece.bytes, piece.start, piece.end);
      } else {
        if (piece.kind !== "commandLine") this.#lineWait.end();
        this.#applyMark(piece);
        if (piece.kind === "commandLine") this.#lineWait.end();
      }
    }
  }

  #show(bytes: Uint8Array, start: number, end: number): void {
    if (this.#publisher === undefined) return this.output.push(bytes, start, end);
    if (this.#awaitsLine) {
      this.#awaitsLine = false;
      this.#publish(this.commands.announce());
    }
    const offset = this.output.endOffset;
    const screen = this.screen?.isActive === true ? this.screen : undefined;
    screen?.willShow();
    this.output.push(bytes, start, end);
    this.#publisher.wrote(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), offset);
    screen?.shown();
  }

  #applyMark(mark: StreamMark): void {
    if (mark.kind === "modes") return this.screen?.noteModes(mark.offset, mark.modes);
    // The remaining output of a shell that has ended contains no commands.
    if (this.#hasExited || this.#options.kind === "text") return;
    switch (mark.kind) {
      case "query":
        if (mark.offset < (this.#options.continues?.shownOffset ?? 0)) return;
        if (this.#publisher?.repliesToQueries === false) this.#replies?.take(mark.query, mark.offset);
        return;
      case "title": {
        const title = mark.title.trim();
        if (title !== "") this.#publisher?.publish({ kind: "title", title });
        return;
      }
      case "cwd":
        // The directory of another machine, and a relative one, say nothing about this terminal.
        if ((mark.host === undefined || mark.host === hostname()) && isAbsolute(mark.path)) {
          this.#publisher?.publish({ kind: "cwd", path: mark.path });
        }
        break;
      default:
        if (!this.#hasCommands) this.#publisher?.publish({ kind: "commandsDetected" });
        this.#hasCommands = true;
    }
    this.#markOffset = mark.rawOffset;
    const events = this.commands.take(mark, this.#momentOf(mark));
    this.#publish(events);
    const isPublished = events.some(({ kind }) => kind === "executed");
    if (mark.kind !== "commandExecuted" || isPublished) return;
    this.#awaitsLine = true;
    this.#lineWait.begin();
  }

  /** A command that is read again began when an earlier host read it. */
  #momentOf({ kind }: StreamMark): number {
    const { continues } = this.#options;
    if (kind !== "commandExecuted" || continues === undefined) return this.#nowMs;
    return continues.startedAtMs.get(this.#newCommandId()) ?? this.#nowMs;
  }

  /** The same whenever and by whichever host its bytes are read. */
  #newCommandId(): string {
    if (this.#earlierId !== undefined) return this.#earlierId;
    const { id } = this.#options;
    return id === undefined ? randomUUID() : `${id}-${this.#markOffset}`;
  }

  #beginAgain({ id, commandLine, startedAtMs, startOffset: offset, end }: EarlierCommand): void {
    const place = { offset, rawOffset: offset };
    this.#hasCommands = true;
    this.#earlierId = id;
    this.commands.take({ kind: "commandLine", commandLine, ...place }, startedAtMs);
    this.commands.take({ kind: "commandExecuted", ...place }, startedAtMs);
    this.#earlierId = undefined;
    if (end === undefined) return;
    const { endOffset, exitCode, durationMs } = end;
    const code = exitCode === undefined ? {} : { exitCode };
    const finished = { kind: "commandFinished", ...code, offset: endOffset, rawOffset: endOffset } as const;
    this.commands.take(finished, startedAtMs + durationMs);
  }

  /** The one command that it runs, published before anything else (U323). */
  #beginCommand(commandLine: string): void {
    const place = { offset: 0, rawOffset: 0 };
    const nowMs = this.#nowMs;
    this.commands.take({ kind: "commandLine", commandLine, ...place }, nowMs);
    this.#publish(this.commands.take({ kind: "commandExecuted", ...place }, nowMs));
  }

  /** A command that a shell ran was cut off; where the program itself is the command, it ended with this code. */
  #endCommand(exitCode: number | null): void {
    const { endOffset: offset } = this.output;
    const nowMs = this.#nowMs;
    const code = exitCode === null ? {} : { exitCode };
    this.#publish(
      this.#options.commandLine === undefined
        ? this.commands.end(offset, nowMs)
        : this.commands.take({ kind: "commandFinished", ...code, offset, rawOffset: offset }, nowMs),
    );
  }

  #publish(events: readonly CommandEvent[]): void {
    for (const event of events) this.#publisher?.publish(event);
  }

  #makeScreen(publisher: TerminalPublisher): TtyScreen {
    const { screenLingerMs: lingerMs = 0, onFault = () => {} } = this.#options;
    return new TtyScreen({
      output: this.output,
      size: this.#size,
      wholeOffset: () => publisher.wholeOffset,
      isRead: () => publisher.isRead,
      lingerMs,
      onFault,
    });
  }

  #makeReplies(reply: (bytes: Uint8Array) => void): QueryReplies {
    const { onFault = () => {} } = this.#options;
    return new QueryReplies({ output: this.output, size: () => this.#size, reply, onFault });
  }

  get #nowMs(): number {
    return this.#options.now?.().getTime() ?? Date.now();
  }
}

function textBytesOf(pieces: readonly StreamPiece[]): number {
  return pieces.reduce((sum, piece) => (piece.kind === "text" ? sum + piece.end - piece.start : sum), 0);
}
