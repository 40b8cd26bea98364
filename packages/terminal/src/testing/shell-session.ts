// A real shell in a real PTY whose marks and bytes are written down, for tests of shell integration.
import type { Run, Spawner } from "../process/index.ts";
import {
  type PreparedShell,
  prepareShell,
  removeShellFolder,
  type ShellRequest,
} from "../shell-integration/index.ts";
import { CommandIndex, type IndexedCommand, ShellSequences, type StreamMark } from "../view/index.ts";

/** Raw bytes of one of our marks, wherever they stand. */
const markPattern = /\x1b\]633;/;

/** A shell that is typed into. */
export interface ShellSession {
  readonly prepared: PreparedShell;
  readonly run: Run;
  readonly marks: readonly StreamMark[];
  /** Marks and shown text in order, such as `promptStart`, `text: $ `. */
  readonly log: readonly string[];
  readonly commands: readonly IndexedCommand[];
  /** What is shown. */
  text(): string;
  /** What the shell wrote, marks and all. */
  raw(): string;
  outputOf(command: IndexedCommand): string;
  /** Types, without a newline. */
  type(text: string): void;
  /** Resolves when what is shown from `from` on matches. */
  seen(pattern: RegExp, from?: number): Promise<void>;
  /** Resolves when so many prompts have been shown in all. */
  prompts(count: number): Promise<void>;
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
  const prepared = await prepareShell(request);
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
  const sequences = new ShellSequences(
    {
      show: (bytes, start, end) => {
        take(index.announce());
        const part = Buffer.from(bytes.subarray(start, end));
        shown.push(part);
        log.push(`text: ${part.toString("utf8")}`);
      },
      mark: (mark) => {
        marks.push(mark);
        log.push(mark.kind);
        take(index.take(mark, performance.now()));
      },
    },
    { nonce: prepared.integrated ? prepared.nonce : undefined },
  );
  const { cwd = "/tmp", promptMark = "promptEnd" } = request;
  const { command, args, env } = prepared;
  const run = await spawner.run(
    { kind: "tty", command, args, cwd, env },
    {
      bytes: (_stream, buffer, length) => {
        raw.push(Buffer.from(buffer.subarray(0, length)));
        sequences.push(buffer.subarray(0, length));
        for (const check of waiting) check();
      },
      exit: () => {},
      end: () => {
        sequences.end();
        take(index.end(sequences.offset, performance.now()));
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
    async runLine(line) {
      const before = countPrompts();
      const known = commands.size;
      type(`${line}\r`);
      await until(() => countPrompts() > before && commands.size > known);
      return [...commands.values()][known]!;
    },
    async close() {
      await run.end(500);
      spawner.release(run);
      await removeShellFolder(prepared);
      if (markPattern.test(text())) throw new Error(`a mark was shown: ${JSON.stringify(text())}`);
    },
  };
}
