// Runs git in the isolation of a session, with bounds on its time and output.
import path from "node:path";
import { HostError } from "@holdfast/protocol";
import { findSystemProgram } from "@holdfast/terminal/acp-parts";
import {
  type LimitScope,
  type ProcessPort,
  type Run,
  type RunExit,
  TerminalError,
} from "@holdfast/terminal/port";

/** One run of git, or of another program of the system. */
export interface GitRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment besides PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Default: git. */
  readonly program?: "git" | "cp" | undefined;
}

/** A run that failed: git said no, or a bound fired. */
export class GitError extends Error {
  override readonly name = "GitError";
  /** The bound that ended it. */
  readonly limit: "time" | "output" | undefined;

  constructor(message: string, limit?: "time" | "output") {
    super(message);
    this.limit = limit;
  }
}

export interface GitDeps {
  readonly processPort: Pick<ProcessPort, "start">;
  /** The sandbox to run in; its id is undefined where the session is not isolated. */
  readonly enter: () => Promise<{ readonly id: string | undefined }>;
  readonly scopes: () => readonly LimitScope[];
}

const defaultTimeoutMs = 10_000;
const defaultOutputBytes = 16 * 1024 * 1024;
const maxErrorBytes = 16 * 1024;

/** Whether this machine has git where programs of the system lie. */
export function hasGit(): boolean {
  return findSystemProgram("git") !== undefined;
}

/** The git of one session. `close` ends what runs and refuses the rest. */
export class Git {
  readonly #deps: GitDeps;
  readonly #running = new Set<Run>();
  #isClosed = false;

  constructor(deps: GitDeps) {
    this.#deps = deps;
  }

  /** The output of a run that succeeded; rejects with a `GitError` otherwise. */
  async run(request: GitRequest): Promise<Buffer> {
    const { program = "git", timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultOutputBytes } = request;
    const found = findSystemProgram(program);
    if (found === undefined) throw new HostError("CHANGES_UNAVAILABLE", missingProgram(program));
    const { id: sandbox } = await this.#deps.enter();
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let errorBytes = 0;
    let resolveExit = (_exit: RunExit): void => {};
    const exited = new Promise<RunExit>((resolve) => {
      resolveExit = resolve;
    });
    if (this.#isClosed) throw new GitError("The session is closed");
    const starting = this.#deps.processPort.start(
      {
        kind: "text",
        command: found,
        args: request.args,
        cwd: request.cwd,
        env: { ...request.env, PATH: `${path.dirname(found)}:/usr/bin:/bin` },
        hasInput: request.input !== undefined,
        separateError: true,
        limits: { wallClockMs: timeoutMs, outputBytes: maxOutputBytes },
        scopes: this.#deps.scopes(),
        sandbox,
      },
      {
        bytes: (stream, bytes) => {
          if (stream === "output") output.push(Buffer.from(bytes));
          else if ((errorBytes += bytes.length) <= maxErrorBytes) errors.push(Buffer.from(bytes));
        },
        exit: resolveExit,
        end: () => {},
      },
    );
    const run = await starting.catch((error: unknown) => {
      throw error instanceof TerminalError ? new GitError(error.message) : error;
    });
    this.#running.add(run);
    if (this.#isClosed) void run.end(0);
    if (request.input !== undefined) {
      run.write(request.input);
      run.endInput();
    }
    const exit = await exited;
    this.#running.delete(run);
    run.release();
    requireSuccess(request, exit, Buffer.concat(errors));
    return Buffer.concat(output);
  }

  close(): void {
    this.#isClosed = true;
    for (const run of this.#running) void run.end(0);
  }
}

function requireSuccess({ args }: GitRequest, { exitCode, signal, limit }: RunExit, errors: Buffer): void {
  const [subcommand = ""] = args;
  if (limit?.name === "wallClockMs") throw new GitError(`git ${subcommand} took too long`, "time");
  if (limit?.name === "outputBytes") throw new GitError(`git ${subcommand} printed too much`, "output");
  if (exitCode === 0) return;
  const [line = ""] = errors.toString("utf8").trim().split("\n");
  const reason = line.replace(/^(?:fatal|error): /, "");
  throw new GitError(reason === "" ? `git ${subcommand} ended with ${signal ?? exitCode}` : reason);
}

function missingProgram(program: string): string {
  return `There is no ${program} in this machine's system folders, so changes cannot be seen. Install ${program}.`;
}
