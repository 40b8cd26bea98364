// Reads what a tty's program writes: shows its bytes, and tells its title, its directory and its shell's commands.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { type TerminalAction, makeId } from "@holdfast/ahp";
import {
  type CommandEvent,
  CommandIndex,
  ShellSequences,
  type StreamMark,
  type TerminalModes,
} from "@holdfast/terminal/view";
import { Burst } from "./burst.ts";
import { LineWait } from "./line-wait.ts";

/** What becomes of a stream. */
export interface TtyStreamParts {
  /** That of a shell that tells of its commands; without it nothing is taken out of the stream. */
  readonly nonce: string | undefined;
  readonly now: () => Date;
  /** Bytes to show, valid during the call. */
  show(bytes: Uint8Array, start: number, end: number): void;
  /** Something that the stream says, after all bytes before it have been shown. */
  tell(action: TerminalAction): void;
  /** A command begins or ends here: what was shown so far is one part, what comes is another. */
  divide(): void;
  /** The modes that the program has set, after the bytes up to an offset. */
  noteModes(offset: number, modes: TerminalModes): void;
}

/** Programs show progress in their titles: telling each would cost more than showing their bytes. */
const burstMs = 8;
const maxTitleLength = 512;

/** The stream of one tty. */
export class TtyStream {
  /** The commands so far; offsets are those of the bytes that are shown. */
  readonly commands = new CommandIndex({ newId: () => randomUUID() });
  readonly #parts: TtyStreamParts;
  readonly #sequences: ShellSequences;
  readonly #title: Burst<string>;
  readonly #cwd: Burst<string>;
  readonly #lineWait: LineWait;
  #hasCommands = false;
  #hasExited = false;

  constructor(parts: TtyStreamParts) {
    this.#parts = parts;
    this.#title = new Burst(burstMs, (title) =>
      parts.tell({ type: "terminal/titleChanged", title, source: "program" }),
    );
    this.#cwd = new Burst(burstMs, (path) =>
      parts.tell({ type: "terminal/cwdChanged", cwd: pathToFileURL(path).href }),
    );
    this.#lineWait = new LineWait((held) => this.#show(held, 0, held.length));
    this.#sequences = new ShellSequences(
      {
        show: (bytes, start, end) => {
          // What is typed ahead is shown between a command's start and its line (E110).
          if (!this.#lineWait.hold(bytes, start, end)) this.#show(bytes, start, end);
        },
        mark: (mark) => {
          if (mark.kind !== "commandLine") this.#lineWait.end();
          this.#take(mark);
          if (mark.kind === "commandLine") this.#lineWait.end();
        },
      },
      { nonce: parts.nonce },
    );
  }

  /** Takes bytes as the program wrote them. */
  push(bytes: Uint8Array): void {
    this.#sequences.push(bytes);
  }

  /** The program has ended: a command that was open was cut off. */
  exited(): void {
    this.#sequences.end();
    this.#lineWait.end();
    this.#tellCommands(this.commands.end(this.#sequences.offset, this.#nowMs));
    this.#title.flush();
    this.#cwd.flush();
    this.#hasExited = true;
  }

  close(): void {
    this.#lineWait.close();
    this.#title.close();
    this.#cwd.close();
  }

  #take(mark: StreamMark): void {
    if (mark.kind === "modes") return this.#parts.noteModes(mark.offset, mark.modes);
    // What is left of a shell that has ended has no commands of its own.
    if (this.#hasExited) return;
    switch (mark.kind) {
      case "title": {
        const title = mark.title.trim().slice(0, maxTitleLength);
        if (title !== "") this.#title.set(title);
        return;
      }
      case "cwd":
        // The directory of another machine is none of ours, and one that is not absolute is nobody's.
        if ((mark.host === undefined || mark.host === hostname()) && isAbsolute(mark.path)) {
          this.#cwd.set(mark.path);
        }
        break;
      case "promptStart":
      case "promptEnd":
      case "commandLine":
      case "commandExecuted":
      case "commandFinished":
        if (!this.#hasCommands) this.#parts.tell({ type: "terminal/commandDetectionAvailable" });
        this.#hasCommands = true;
    }
    const events = this.commands.take(mark, this.#nowMs);
    this.#tellCommands(events);
    const isTold = events.some(({ kind }) => kind === "executed");
    if (mark.kind === "commandExecuted" && !isTold) this.#lineWait.begin();
  }

  #show(bytes: Uint8Array, start: number, end: number): void {
    this.#tellCommands(this.commands.announce());
    this.#parts.show(bytes, start, end);
  }

  #tellCommands(events: readonly CommandEvent[]): void {
    for (const { kind, command } of events) {
      const commandId = makeId("command", command.id);
      // A line that is learned late has no action of its own: whoever subscribes later sees it.
      if (kind === "lineLearned") continue;
      this.#parts.divide();
      if (kind === "executed") {
        const { commandLine, startedAtMs, startOffset: offset } = command;
        const startedAt = new Date(startedAtMs).toISOString();
        this.#parts.tell({ type: "terminal/commandExecuted", commandId, commandLine, startedAt, offset });
      } else {
        const { endOffset: offset, exitCode, durationMs } = command;
        const code = exitCode === undefined ? {} : { exitCode };
        this.#parts.tell({ type: "terminal/commandFinished", commandId, ...code, durationMs, offset });
      }
    }
  }

  get #nowMs(): number {
    return this.#parts.now().getTime();
  }
}
