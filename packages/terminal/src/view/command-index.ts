// The commands of a terminal: which bytes of its output each wrote, how it ended, and the output cut up by them.
import type { StreamMark } from "./stream-mark.ts";

/** A command that a shell ran. */
export type IndexedCommand = OpenIndexedCommand | EndedIndexedCommand;

/** Fields of a command that are known from its start. */
interface CommandStart {
  readonly id: string;
  /** Empty when the shell did not report it. */
  readonly commandLine: string;
  readonly cwd?: string;
  readonly startedAtMs: number;
  readonly startOffset: number;
}

/** A command that runs. */
export interface OpenIndexedCommand extends CommandStart {
  readonly state: "open";
}

/** A command that has ended: with a code or without when the shell reported so, cut off when it did not. */
export interface EndedIndexedCommand extends CommandStart {
  readonly state: "finished" | "cutOff";
  readonly endOffset: number;
  readonly exitCode?: number;
  readonly durationMs: number;
}

/** Something that happened to a command. */
export type CommandEvent =
  | { readonly kind: "executed"; readonly command: OpenIndexedCommand }
  /** A line that the shell reported only after the command had begun to write. */
  | { readonly kind: "lineLearned"; readonly command: OpenIndexedCommand }
  | { readonly kind: "finished"; readonly command: EndedIndexedCommand };

/** A piece of the output: of a command, or of none. */
export interface OutputRange {
  readonly from: number;
  readonly to: number;
  readonly command?: IndexedCommand;
}

/** How an index works. */
export interface CommandIndexOptions {
  readonly newId: () => string;
  /** How many commands are kept; the oldest go first, and their output becomes unclassified. Default 10,000. */
  readonly maxCommands?: number;
}

const DEFAULT_MAX_COMMANDS = 10_000;

/** Learns commands from the marks of a stream. Offsets are those of the bytes that are shown. */
export class CommandIndex {
  readonly #newId: () => string;
  readonly #maxCommands: number;
  /** In the order of their offsets; the last may be open. Those before `#first` are dropped. */
  #commands: IndexedCommand[] = [];
  #first = 0;
  /** A command that has begun but waits to be announced until its line or its first byte comes. */
  #waiting: OpenIndexedCommand | undefined;
  #nextLine: string | undefined;
  #cwd: string | undefined;
  #visibleFrom = 0;
  #isOpenHidden = false;

  constructor(options: CommandIndexOptions) {
    this.#newId = options.newId;
    this.#maxCommands = options.maxCommands ?? DEFAULT_MAX_COMMANDS;
  }

  /** How many commands are kept. */
  get count(): number {
    return this.#commands.length - this.#first;
  }

  /** The command that runs. */
  get open(): OpenIndexedCommand | undefined {
    const last = this.#waiting ?? this.#commands.at(-1);
    return last?.state === "open" ? last : undefined;
  }

  /** Takes a mark of the stream. */
  take(mark: StreamMark, nowMs: number): readonly CommandEvent[] {
    switch (mark.kind) {
      case "commandLine":
        return this.#takeLine(mark.commandLine);
      case "commandExecuted":
        return this.#start(mark.offset, nowMs);
      case "commandFinished":
        return this.#finish("finished", mark.offset, nowMs, mark.exitCode);
      case "promptStart":
        this.#nextLine = undefined;
        return this.end(mark.offset, nowMs);
      case "cwd":
        if (mark.host === undefined) this.#cwd = mark.path;
        return [];
      case "promptEnd":
      case "title":
      case "modes":
      case "query":
        return [];
    }
  }

  /** To be asked before bytes are shown: a command whose line has not come by then is announced without it. */
  announce(): readonly CommandEvent[] {
    const command = this.#waiting;
    if (command === undefined) return [];
    this.#waiting = undefined;
    this.#commands.push(command);
    this.#isOpenHidden = false;
    if (this.count > this.#maxCommands) this.#drop(this.#first + 1);
    return [{ kind: "executed", command }];
  }

  /** The shell has ended, or shows a prompt: a command that is still open was cut off. */
  end(offset: number, nowMs: number): readonly CommandEvent[] {
    return this.#finish("cutOff", offset, nowMs);
  }

  /** The view starts over at this offset; what an open command writes from now on belongs to none. */
  clear(offset: number): void {
    const last = this.#commands.at(-1);
    this.#visibleFrom = offset;
    this.#isOpenHidden = last?.state === "open";
    this.#commands = last?.state === "open" ? [last] : [];
    this.#first = 0;
  }

  /** Bytes before this offset are no longer kept, and with them the commands that wrote nothing after it. */
  dropBefore(offset: number): void {
    let first = this.#firstFrom(offset);
    const before = this.#commands[first - 1];
    if (first > this.#first && before !== undefined && endOf(before) > offset) first -= 1;
    this.#drop(first);
  }

  /** The command that wrote the byte at an offset. */
  commandAt(offset: number): IndexedCommand | undefined {
    // The last that began at or before it: later ones of the same offset wrote nothing before it either.
    const command = this.#commands[this.#firstFrom(offset + 1) - 1];
    if (command === undefined || this.#isHidden(command)) return undefined;
    return offset < endOf(command) ? command : undefined;
  }

  /** The output from one offset to another, cut up by commands; nothing from before the view was cleared. */
  ranges(from: number, to: number): OutputRange[] {
    const ranges: OutputRange[] = [];
    let at = Math.max(from, this.#visibleFrom);
    let index = this.#firstFrom(at);
    const before = this.#commands[index - 1];
    if (index > this.#first && before !== undefined && endOf(before) > at) index -= 1;
    for (; index < this.#commands.length; index++) {
      const command = this.#commands[index]!;
      if (command.startOffset > to) break;
      if (this.#isHidden(command)) continue;
      const start = Math.max(command.startOffset, at);
      if (start > at) ranges.push({ from: at, to: start });
      at = Math.min(endOf(command), to);
      ranges.push({ from: start, to: at, command });
    }
    if (at < to) ranges.push({ from: at, to });
    return ranges;
  }

  #takeLine(commandLine: string): readonly CommandEvent[] {
    if (this.#waiting !== undefined) {
      if (this.#waiting.commandLine === "") this.#waiting = { ...this.#waiting, commandLine };
      return this.announce();
    }
    const last = this.#commands.at(-1);
    if (last?.state !== "open") {
      this.#nextLine = commandLine;
      return [];
    }
    if (last.commandLine !== "") return [];
    const command = { ...last, commandLine };
    this.#commands[this.#commands.length - 1] = command;
    return [{ kind: "lineLearned", command }];
  }

  /** A shell runs one command at a time: a new one ends the one before it. */
  #start(startOffset: number, startedAtMs: number): readonly CommandEvent[] {
    const ended = this.end(startOffset, startedAtMs);
    const commandLine = this.#nextLine;
    this.#nextLine = undefined;
    this.#waiting = {
      id: this.#newId(),
      commandLine: commandLine ?? "",
      ...(this.#cwd !== undefined && { cwd: this.#cwd }),
      startedAtMs,
      startOffset,
      state: "open",
    };
    return commandLine === undefined ? ended : [...ended, ...this.announce()];
  }

  #finish(
    state: EndedIndexedCommand["state"],
    endOffset: number,
    nowMs: number,
    exitCode?: number,
  ): readonly CommandEvent[] {
    const announced = this.announce();
    const last = this.#commands.at(-1);
    if (last?.state !== "open") return announced;
    const command: EndedIndexedCommand = {
      ...last,
      state,
      endOffset,
      ...(exitCode !== undefined && { exitCode }),
      durationMs: Math.max(nowMs - last.startedAtMs, 0),
    };
    if (this.#isOpenHidden) this.#commands.pop();
    else this.#commands[this.#commands.length - 1] = command;
    this.#isOpenHidden = false;
    return [...announced, { kind: "finished", command }];
  }

  #isHidden(command: IndexedCommand): boolean {
    return this.#isOpenHidden && command.state === "open";
  }

  /** The index of the first command that begins at or after an offset. */
  #firstFrom(offset: number): number {
    let low = this.#first;
    let high = this.#commands.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#commands[middle]!.startOffset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(first: number): void {
    this.#first = first;
    // Moved together only now and then, so that dropping one costs nothing that grows with the rest.
    if (first <= this.count) return;
    this.#commands = this.#commands.slice(first);
    this.#first = 0;
  }
}

function endOf(command: IndexedCommand): number {
  return command.state === "open" ? Number.POSITIVE_INFINITY : command.endOffset;
}
