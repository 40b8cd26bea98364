// The terminal engine: opens terminals, keeps count of them and of their memory, and closes them all.
import { randomUUID } from "node:crypto";
import {
  type Audience,
  type IsolationReport,
  type RequestVariables,
  type RunLimits,
  type Sandbox,
  type SandboxSpec,
  type ScreenSize,
  Spawner,
  type TreeChoice,
  SCREEN_VARIABLES,
  findExcess,
  mergeVariables,
  needsShell,
  strictestLimits,
} from "./process/index.ts";
import { TerminalError, invalidRequest } from "./terminal-error.ts";
import { textLimitBytes, makeOutput, OUTPUT_LIMITS } from "./output-limits.ts";
import { checkSize } from "./screen-size.ts";
import { Terminal } from "./terminal.ts";
import { RingBudget, type TerminalOutput } from "./view/index.ts";

/** How an engine works; every field has a default. */
export interface TerminalEngineOptions {
  /** Where commands run that name no directory. Default: the host's own. */
  readonly cwd?: string | undefined;
  /**
   * `login` (default): what the login shell sets up, less model providers' secrets, for an agent's command without pager
   * and prompts. Or a map, taken as it is but for a tty run's TERM. A request's `env` comes on top of either.
   */
  readonly environment?: "login" | Readonly<Record<string, string | undefined>> | undefined;
  /** Bytes of output text when the request sets no limit. Default 1 MiB. */
  readonly textBytes?: number | undefined;
  /** The most that a request may ask for. Default 16 MiB. */
  readonly maxTextBytes?: number | undefined;
  /** Raw bytes kept for clients that join later. Default 1 MiB. */
  readonly replayBytes?: number | undefined;
  /** Memory for the output of all terminals together. Default 512 MiB; beyond it terminals keep shorter tails. */
  readonly totalBytes?: number | undefined;
  /** Terminals that may be open at once. Default 1024. */
  readonly maxTerminals?: number | undefined;
  /** Time between TERM and KILL. Default 5 s. */
  readonly killGraceMs?: number | undefined;
  /** Limits for every terminal; a request may lower or add, and one above them is refused. */
  readonly limits?: RunLimits | undefined;
  readonly tree?: TreeChoice | undefined;
  /** Whether a `command` without `args` may be a line for the shell. Default true; false allows programs only. */
  readonly allowShell?: boolean | undefined;
  /** `helper` wherever there is one. */
  readonly forkBy?: "helper" | "child_process" | undefined;
  /** A folder of the caller's own for FIFOs and programs, which no sandbox sees. Default: one in the temporary folder. */
  readonly privateFolder?: string | undefined;
}

/** A terminal to open. */
export interface TerminalRequest {
  /** A program, or with no `args` a line for the shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** `text` (default): pipes. `tty`: a pseudo-terminal. */
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
  /** The id of a sandbox to run in; see `TerminalEngine.openSandbox`. */
  readonly sandbox?: string | undefined;
}

/** Runs commands in terminals. One for a whole host; `close` ends everything it started. */
export class TerminalEngine {
  readonly #options: TerminalEngineOptions;
  readonly #spawner: Spawner;
  readonly #budget: RingBudget;
  readonly #terminals = new Map<string, Terminal>();
  #opening = 0;
  #closed: Promise<void> | undefined;

  constructor(options: TerminalEngineOptions = {}) {
    this.#options = options;
    this.#spawner = new Spawner({ forkBy: options.forkBy, privateFolder: options.privateFolder });
    this.#budget = new RingBudget({ totalBytes: options.totalBytes ?? OUTPUT_LIMITS.totalBytes });
    if ((options.environment ?? "login") === "login") {
      // The capture of the login shell takes seconds: it begins before the first command needs it.
      void this.#spawner.buildEnvironment({ audience: "person", hasScreen: false });
    }
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

  /** The isolation that this machine offers; found once, by trying. */
  isolation(): Promise<IsolationReport> {
    return this.#spawner.isolation();
  }

  /** Opens a sandbox for terminals; rejects with `not_supported` where the machine has no backend. */
  openSandbox(spec: SandboxSpec): Promise<Sandbox> {
    return this.#spawner.openSandbox(spec);
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
    if (this.#options.allowShell === false && args.length === 0 && needsShell(command, cwd, env["PATH"])) {
      throw new TerminalError(
        "invalid_request",
        "The command needs a shell, and allowShell is false. Pass a program with args.",
        { field: "command" },
      );
    }
    const id = randomUUID();
    const checked = checkSize(size ?? {});
    const terminal = new Terminal({
      id,
      kind,
      command,
      args,
      cwd,
      size: checked,
      output: this.#makeOutput(request, kind, checked),
      killGraceMs: this.#options.killGraceMs,
      onClosed: () => void this.#terminals.delete(id),
    });
    const limits = this.#limitsOf(request);
    const tree = request.tree ?? this.#options.tree;
    await terminal.start((sink) =>
      this.#spawner.start(
        { kind, command, args, cwd, env, size: checked, limits, tree, sandbox: request.sandbox },
        sink,
      ),
    );
    return terminal;
  }

  #limitsOf({ limits = {} }: TerminalRequest): RunLimits {
    const { limits: ceiling = {} } = this.#options;
    const excess = findExcess(limits, ceiling);
    if (excess !== undefined) throw invalidRequest(`limits.${excess.name}`, `at most ${excess.ceiling}`);
    return strictestLimits(ceiling, limits);
  }

  async #environment(request: TerminalRequest, kind: "text" | "tty"): Promise<Record<string, string>> {
    const { environment = "login" } = this.#options;
    if (environment !== "login") {
      return mergeVariables({ ...environment, ...(kind === "tty" && SCREEN_VARIABLES) }, request.env);
    }
    return this.#spawner.buildEnvironment({
      audience: request.audience ?? "agent-command",
      hasScreen: kind === "tty",
      keepSecrets: request.keepSecrets,
      variables: request.env,
    });
  }

  #makeOutput(
    { outputByteLimit, audience }: TerminalRequest,
    kind: "text" | "tty",
    size: ScreenSize,
  ): TerminalOutput {
    if (outputByteLimit !== undefined && !(outputByteLimit >= 0)) {
      throw invalidRequest("outputByteLimit", "a number of bytes, 0 or more");
    }
    return makeOutput({
      kind,
      size,
      textLimitBytes: textLimitBytes(outputByteLimit, this.#options),
      replayBytes: this.#options.replayBytes,
      isFoldedOnRequest: audience === "person",
      budget: this.#budget,
    });
  }

  async #closeNow(): Promise<void> {
    await Promise.all(this.terminals.map((terminal) => terminal.close()));
    await this.#spawner.close();
  }
}
