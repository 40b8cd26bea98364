// ACP's five terminal methods, for any client: hand the parameters in, hand the results back (T30–T39).
import { TerminalEngine, type TerminalEngineOptions } from "../engine.ts";
import { TerminalError } from "../terminal-error.ts";
import type { Terminal } from "../terminal.ts";
import { type CreateRequest, readCreateParams } from "./create-params.ts";
import { HeldTerminals } from "./held-terminals.ts";
import { checkRoots } from "./roots.ts";
import {
  type CreateTerminalParams,
  type TerminalOutputResult,
  type TerminalParams,
  type WaitForExitResult,
  renderOutputResult,
  toExitStatus,
} from "./shapes.ts";
import type { CommandRequest, TerminalEvent, Verdict } from "./terminal-event.ts";

/** How the adapter works; the engine's options apply as well. */
export interface AcpTerminalsOptions extends TerminalEngineOptions {
  /** The directory of a session, for commands that name none. */
  readonly sessionCwd?: ((sessionId: string) => string | undefined) | undefined;
  /** Commands may run only in these folders and below. Default: anywhere. */
  readonly allowedRoots?: readonly string[] | undefined;
  /** Looks at each command before it runs. */
  readonly validate?: ((request: CommandRequest) => Verdict | Promise<Verdict>) | undefined;
  /** Asks a person, when `validate` says so. Without it, asking is refusing. */
  readonly ask?: ((request: CommandRequest, signal: AbortSignal | undefined) => Promise<boolean>) | undefined;
  /** Hears of everything that happens. */
  readonly onEvent?: ((event: TerminalEvent) => void) | undefined;
  /** Adds the fields of an older documentation to exit statuses. Default false: the protocol forbids extra fields. */
  readonly olderShapes?: boolean | undefined;
}

/** A request that can be cancelled, as `$/cancel_request` wants it. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Serves `terminal/*` of any number of sessions. */
export class AcpTerminals {
  readonly #options: AcpTerminalsOptions;
  readonly #engine: TerminalEngine;
  readonly #sessions = new Map<string, HeldTerminals<Terminal>>();

  constructor(options: AcpTerminalsOptions = {}) {
    this.#options = options;
    this.#engine = new TerminalEngine(options);
  }

  /** The engine beneath, for what ACP has no word for. */
  get engine(): TerminalEngine {
    return this.#engine;
  }

  /** `terminal/create`: answers as soon as the command runs. */
  async createTerminal(
    params: CreateTerminalParams,
    { signal }: RequestOptions = {},
  ): Promise<{ terminalId: string }> {
    const request = readCreateParams(
      params,
      (sessionId) => this.#options.sessionCwd?.(sessionId) ?? this.#options.cwd ?? process.cwd(),
    );
    const command = describeCommand(request);
    let terminal: Terminal;
    try {
      await this.#permit(command, signal);
      terminal = await this.#engine.open(request.terminal);
    } catch (error) {
      if (error instanceof TerminalError) {
        this.#tell({ type: "refused", ...command, code: error.code, reason: error.message });
      }
      throw error;
    }
    const terminalId = terminal.id;
    if (signal?.aborted === true) {
      await terminal.close();
      throw cancelled();
    }
    this.#session(request.sessionId).add(terminal);
    this.#tell({
      type: "created",
      ...command,
      terminalId,
      pid: terminal.pid,
      tree: terminal.tree,
      limits: terminal.limits,
    });
    void terminal.exited.then((exit) =>
      this.#tell({ type: "exited", sessionId: request.sessionId, terminalId, exit }),
    );
    return { terminalId };
  }

  /** `terminal/output`: what there is now. */
  async terminalOutput(params: TerminalParams): Promise<TerminalOutputResult> {
    const terminal = this.#find(params);
    return { ...terminal.output.answer(), ...this.#exitField(terminal) };
  }

  /** The same result as ready JSON in UTF-8; a poll costs in what is new since the last one. */
  async terminalOutputJson(params: TerminalParams): Promise<Uint8Array[]> {
    const terminal = this.#find(params);
    return renderOutputResult(terminal.output.answerJson(), this.#exitField(terminal).exitStatus);
  }

  /** `terminal/wait_for_exit`: answers after the last byte; always answers. */
  async waitForTerminalExit(
    params: TerminalParams,
    { signal }: RequestOptions = {},
  ): Promise<WaitForExitResult> {
    const waiting = this.#require(params).wait(params.terminalId);
    const { exitCode, signal: exitSignal } = await unlessAborted(waiting, signal);
    const older = this.#options.olderShapes === true;
    return {
      exitCode,
      signal: exitSignal,
      ...(older && { exitStatus: toExitStatus({ exitCode, signal: exitSignal }, older) }),
    };
  }

  /** `terminal/kill`: ends the whole tree; the terminal stays readable. */
  async killTerminal(params: TerminalParams): Promise<Record<string, never>> {
    const left = await this.#find(params).kill();
    this.#tell({ type: "killed", sessionId: params.sessionId, terminalId: params.terminalId, left });
    return {};
  }

  /** `terminal/release`: ends what runs and forgets the id; an unknown one is fine. */
  async releaseTerminal(params: TerminalParams): Promise<Record<string, never>> {
    const { sessionId, terminalId } = params;
    const released = await this.#sessions.get(sessionId)?.release(terminalId);
    if (released !== undefined) this.#tell({ type: "released", sessionId, terminalId, background: released });
    return {};
  }

  /** A person takes the terminal over: the agent's release will not end it. */
  takeOver(params: TerminalParams): void {
    this.#require(params).hold(params.terminalId, "person");
    this.#tell({ type: "taken-over", sessionId: params.sessionId, terminalId: params.terminalId });
  }

  /** And gives it back. */
  giveBack(params: TerminalParams): void {
    this.#require(params).hold(params.terminalId, "agent");
    this.#tell({ type: "given-back", sessionId: params.sessionId, terminalId: params.terminalId });
  }

  /** Lets the command go on without the agent: a pending wait is answered without a status. */
  detach(params: TerminalParams): void {
    this.#require(params).hold(params.terminalId, "background");
    this.#tell({ type: "detached", sessionId: params.sessionId, terminalId: params.terminalId });
  }

  /** The terminal behind an id, also after its release: a tool call goes on showing it. */
  display({ sessionId, terminalId }: TerminalParams): Terminal | undefined {
    return this.#sessions.get(sessionId)?.display(terminalId);
  }

  /** What a session's commands left running after their release. */
  async background(sessionId: string): Promise<readonly Terminal[]> {
    return (await this.#sessions.get(sessionId)?.listBackground()) ?? [];
  }

  /** Ends everything that a session started, background work too. */
  async closeSession(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    await session?.close();
  }

  /** Ends everything. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((sessionId) => this.closeSession(sessionId)));
    await this.#engine.close();
  }

  async #permit(command: CommandRequest, signal: AbortSignal | undefined): Promise<void> {
    await checkRoots(command.cwd, this.#options.allowedRoots);
    const verdict = (await this.#options.validate?.(command)) ?? { verdict: "allow" };
    throwIfAborted(signal);
    if (verdict.verdict === "allow") return;
    if (verdict.verdict === "ask" && (await this.#options.ask?.(command, signal)) === true) return;
    throwIfAborted(signal);
    throw new TerminalError(
      "denied",
      verdict.verdict === "deny" ? verdict.reason : `Nobody allowed ${command.command} to run`,
      { field: "command" },
    );
  }

  #session(sessionId: string): HeldTerminals<Terminal> {
    let session = this.#sessions.get(sessionId);
    if (session === undefined) this.#sessions.set(sessionId, (session = new HeldTerminals()));
    return session;
  }

  #require({ sessionId, terminalId }: TerminalParams): HeldTerminals<Terminal> {
    const session = this.#sessions.get(sessionId);
    if (session?.find(terminalId) === undefined) {
      throw new TerminalError(
        "terminal_not_found",
        `No terminal ${terminalId} in session ${sessionId}; it was released, or never created`,
        { field: "terminalId" },
      );
    }
    return session;
  }

  #find(params: TerminalParams): Terminal {
    return this.#require(params).find(params.terminalId) as Terminal;
  }

  #exitField(terminal: Terminal): Pick<TerminalOutputResult, "exitStatus"> {
    const { state } = terminal;
    return state.name === "exited"
      ? { exitStatus: toExitStatus(state.exit, this.#options.olderShapes === true) }
      : {};
  }

  #tell(event: TerminalEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A faulty hook must not change what happens to the command it was told about.
    }
  }
}

function describeCommand({ sessionId, terminal: { command, args, cwd } }: CreateRequest): CommandRequest {
  return { sessionId, command, args, cwd };
}

function cancelled(): TerminalError {
  return new TerminalError("cancelled", "The request was cancelled");
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled();
}

/** The wait goes on for others; this request alone is answered as cancelled. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then((value) => {
      signal.removeEventListener("abort", abort);
      resolve(value);
    });
  });
}
