// A real shell in a real PTY whose marks and bytes are written down, for tests of shell integration.
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChildRun, Spawner } from "../process/index.ts";
import {
  type PreparedShell,
  prepareShell,
  removeShellFolder,
  type ShellRequest,
} from "../shell-integration/index.ts";
import {
  CommandIndex,
  type IndexedCommand,
  type StreamMark,
  type StreamPiece,
  StreamScanner,
} from "../view/index.ts";
import { commandPid, testedSandbox } from "./level.ts";

/** Raw bytes of one of our marks, wherever they stand. */
const markPattern = /\x1b\]633;/;

/** A shell that is typed into. */
export interface ShellSession {
  readonly prepared: PreparedShell;
  readonly run: ChildRun;
  readonly marks: readonly StreamMark[];
  /** Marks and shown text in order, such as `promptStart`, `text: $ `. */
  readonly log: readonly string[];
  readonly commands: readonly IndexedCommand[];
  /** The visible output. */
  text(): string;
  /** The shell's output, marks and all. */
  raw(): string;
  outputOf(command: IndexedCommand): string;
  /** Types, without a newline. */
  type(text: string): void;
  /** Resolves when what is shown from `from` on matches. */
  seen(pattern: RegExp, from?: number): Promise<void>;
  /** Resolves when so many prompts have been shown in all. */
  prompts(count: number): Promise<void>;
  /** Resolves when the shell has drawn what was typed and waits for more; a Ctrl-C before that may get lost in any shell. */
  idle(): Promise<void>;
  /** Types a line and waits for its command to end and the next prompt; resolves with the command. */
  runLine(line: string): Promise<IndexedCommand>;
  /** Ends the shell. */
  close(): Promise<void>;
}

/** Starts a shell; `promptMark` says by which mark a prompt is known, if not by its end. */
export async function openShell(
  spawner: Spawner,
  request: ShellRequest & { cwd?: string; promptMark?: StreamMark["kind"] },
): Promise<ShellSession> {
  // Sandboxes do not see the folder that shells of people have.
  const folder = testedSandbox === undefined ? undefined : tmpdir();
  const prepared = await prepareShell({ ...(folder !== undefined && { folder }), ...request });
  const raw: Buffer[] = [];
  const shown: Buffer[] = [];
  const marks: StreamMark[] = [];
  const log: string[] = [];
  const commands = new Map<string, IndexedCommand>();
  let lastId = 0;
  const index = new CommandIndex({ newId: () => `command-${++lastId}` });
  const waiting = new Set<() => void>();
  const take = (events: ReturnType<CommandIndex["take"]>): void => {
    for (const { command } of events) commands.set(command.id, command);
  };
  const scanner = new StreamScanner({ nonce: prepared.integrated ? prepared.nonce : undefined });
  const apply = (pieces: readonly StreamPiece[]): void => {
    for (const piece of pieces) {
      if (piece.kind === "text") {
        take(index.announce());
        const part = Buffer.from(piece.bytes.subarray(piece.start, piece.end));
        shown.push(part);
        log.push(`text: ${part.toString("utf8")}`);
      } else {
        marks.push(piece);
        log.push(piece.kind);
        take(index.take(piece, performance.now()));
      }
    }
  };
  const { cwd = "/tmp", promptMark = "promptEnd" } = request;
  const { command, args, env } = prepared;
  const run = await spawner.start(
    { kind: "tty", command, args, cwd, env },
    {
      bytes: (_stream, bytes) => {
        raw.push(Buffer.from(bytes));
        apply(scanner.scan(bytes));
        for (const check of waiting) check();
      },
      exit: () => {},
      end: () => {
        apply(scanner.end());
        take(index.end(scanner.offset, performance.now()));
      },
    },
  );
  const until = (isDone: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isDone()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const text = (): string => Buffer.concat(shown).toString("utf8");
  const type = (typed: string): void => void run.write(Buffer.from(typed));
  const countPrompts = (): number => marks.filter((mark) => mark.kind === promptMark).length;
  return {
    prepared,
    run,
    marks,
    log,
    get commands() {
      return [...commands.values()];
    },
    text,
    raw: () => Buffer.concat(raw).toString("latin1"),
    outputOf: (of) =>
      Buffer.concat(shown)
        .subarray(of.startOffset, of.state === "open" ? undefined : of.endOffset)
        .toString("utf8"),
    type,
    seen: (pattern, from = 0) => until(() => pattern.test(text().slice(from))),
    prompts: (count) => until(() => countPrompts() >= count),
    idle: async () => waitForSleep(await commandPid(run)),
    async runLine(line) {
      const before = countPrompts();
      const known = commands.size;
      type(`${line}\r`);
      await until(() => countPrompts() > before && commands.size > known);
      return [...commands.values()][known]!;
    },
    async close() {
      await run.end(500);
      run.release();
      await removeShellFolder(prepared);
      if (markPattern.test(text())) throw new Error(`a mark was shown: ${JSON.stringify(text())}`);
    },
  };
}

/** Resolves when a process has slept, without using the processor, for three looks in a row. */
async function waitForSleep(pid: number): Promise<void> {
  let last = "";
  for (let looks = 0; looks < 3;) {
    await sleep(10);
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    const [state, cpuTicks] = [fields[0], fields.slice(11, 13).join("+")];
    looks = state === "S" && cpuTicks === last ? looks + 1 : 0;
    last = cpuTicks;
  }
}
