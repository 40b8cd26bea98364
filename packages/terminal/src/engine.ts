// The terminal engine: opens terminals, keeps count of them and of their memory, and closes them all.
import { randomUUID } from "node:crypto";
import {
  type Audience,
  LoginEnvironment,
  type RequestVariables,
  type RunLimits,
  type ScreenSize,
  Spawner,
  type TreeChoice,
  buildEnvironment,
  DEFAULT_SIZE,
} from "./process/index.ts";
import { TerminalError, invalidRequest } from "./terminal-error.ts";
import { Terminal } from "./terminal.ts";
import { RingBudget, TerminalOutput } from "./view/index.ts";

const mebibyte = 1024 * 1024;

/** How an engine works; every field has a default. */
export interface TerminalEngineOptions {
  /** Where commands run that name no directory. Default: the host's own. */
  readonly cwd?: string | undefined;
  /** `login`: what the login shell sets up. Or a map, taken as it is. */
  readonly environment?: "login" | Readonly<Record<string, string | undefined>> | undefined;
  /** Bytes of output that an answer has when the request sets no limit. Default 1 MiB. */
  readonly answerBytes?: number | undefined;
  /** The most that a request may ask for. Default 16 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Raw bytes kept for who looks later. Default 1 MiB. */
  readonly replayBytes?: number | undefined;
  /** Memory for the output of all terminals together. Default 512 MiB; beyond it terminals keep shorter tails. */
  readonly totalBytes?: number | undefined;
  /** Terminals that may be open at once. Default 1024. */
  readonly maxTerminals?: number | undefined;
  /** Time between TERM and KILL. Default 5 s. */
  readonly killGraceMs?: number | undefined;
  /** Limits for every terminal; a request may lower or add. */
  readonly limits?: RunLimits | undefined;
  readonly tree?: TreeChoice | undefined;
  /** `helper` wherever there is one. */
  readonly forkBy?: "helper" | "child_process" | undefined;
}

/** A terminal to open. */
export interface TerminalRequest {
  /** A program, or with no `args` a line for the shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** `text` (default): pipes. `tty`: a pseudo terminal. */
  readonly kind?: "text" | "tty" | undefined;
  /** Absolute. */
  readonly cwd?: string | undefined;
  readonly env?: RequestVariables | undefined;
  /** Default: `agent-command`, which has no pager, no prompts and no provider secrets. */
  readonly audience?: Audience | undefined;
  /** Provider secrets that this command may see. */
  readonly keepSecrets?: readonly string[] | undefined;
  readonly outputByteLimit?: number | undefined;
  readonly size?: Partial<ScreenSize> | undefined;
  readonly limits?: RunLimits | undefined;
  readonly tree?: TreeChoice | undefined;
}

/** Runs commands in terminals. One for a whole host; `close` ends everything it started. */
export class TerminalEngine {
  readonly #options: TerminalEngineOptions;
  readonly #spawner: Spawner;
  readonly #login: LoginEnvironment;
  readonly #budget: RingBudget;
  readonly #terminals = new Map<string, Terminal>();
  #opening = 0;
  #closed: Promise<void> | undefined;

  constructor(options: TerminalEngineOptions = {}) {
    this.#options = options;
    this.#spawner = new Spawner({ forkBy: options.forkBy });
    this.#login = new LoginEnvironment(this.#spawner);
    this.#budget = new RingBudget({ totalBytes: options.totalBytes ?? 512 * mebibyte });
  }

  /** The spawn helper's pid; undefined without one. */
  get helperPid(): number | undefined {
    return this.#spawner.helperPid;
  }

  /** Every terminal that is not closed. */
  get terminals(): readonly Terminal[] {
    return [...this.#terminals.values()];
  }

  /** Starts a command; rejects with a `TerminalError` that says what is wrong, and then leaves nothing behind. */
  async open(request: TerminalRequest): Promise<Terminal> {
    if (this.#closed !== undefined) throw new TerminalError("closed", "The terminal engine is closed");
    const most = this.#options.maxTerminals ?? 1024;
    if (this.#terminals.size + this.#opening >= most) {
      throw new TerminalError("too_many_terminals", `${most} terminals are open already; release some first`);
    }
    this.#opening += 1;
    try {
      const terminal = await this.#start(request);
      this.#terminals.set(terminal.id, terminal);
      return terminal;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Ends every terminal and the helper. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#closeNow();
    return this.#closed;
  }

  async #start(request: TerminalRequest): Promise<Terminal> {
    const { command, args = [], kind = "text", size } = request;
    const cwd = request.cwd ?? this.#options.cwd ?? process.cwd();
    const env = await this.#environment(request, kind);
    const id = randomUUID();
    const output = this.#makeOutput(request, kind);
    const parts = {
      spawner: this.#spawner,
      output,
      killGraceMs: this.#options.killGraceMs ?? 5000,
      onClosed: () => void this.#terminals.delete(id),
    };
    const limits = { ...this.#options.limits, ...request.limits };
    const tree = request.tree ?? this.#options.tree;
    return Terminal.start({ id, kind, command, args, cwd }, parts, (sink) =>
      this.#spawner.run({ kind, command, args, cwd, env, size, limits, tree }, sink),
    );
  }

  async #environment(request: TerminalRequest, kind: "text" | "tty"): Promise<Record<string, string>> {
    const { environment = "login" } = this.#options;
    return buildEnvironment({
      base: environment === "login" ? await this.#login.get() : environment,
      audience: request.audience ?? "agent-command",
      hasScreen: kind === "tty",
      keepSecrets: request.keepSecrets,
      variables: request.env,
    });
  }

  #makeOutput({ outputByteLimit, size, audience }: TerminalRequest, kind: "text" | "tty"): TerminalOutput {
    const { answerBytes = mebibyte, maxAnswerBytes = 16 * mebibyte, replayBytes = mebibyte } = this.#options;
    if (outputByteLimit !== undefined && !(outputByteLimit >= 0)) {
      throw invalidRequest("outputByteLimit", "a number of bytes, 0 or more");
    }
    return new TerminalOutput({
      kind,
      answer: audience === "person" ? "lazy" : "eager",
      answerLimitBytes: Math.min(Math.floor(outputByteLimit ?? answerBytes), maxAnswerBytes),
      replayBytes,
      columns: size?.columns ?? DEFAULT_SIZE.columns,
      rows: size?.rows ?? DEFAULT_SIZE.rows,
      budget: this.#budget,
    });
  }

  async #closeNow(): Promise<void> {
    await Promise.all(this.terminals.map((terminal) => terminal.close()));
    await this.#spawner.close();
  }
}
