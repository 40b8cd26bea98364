// ACP's terminal methods for authors of clients: sessions by id, with hooks for permissions and audit (T30–T39).
import { TerminalEngine, type TerminalEngineOptions } from "../engine.ts";
import type { Sandbox, SandboxSpec } from "../process/port.ts";
import { TerminalError } from "../terminal-error.ts";
import type { Terminal } from "../terminal.ts";
import { AcpSession, type AcpTerminalOwner, throwIfAborted } from "./acp-session.ts";
import type { RuleName, RuleSet } from "../policy/index.ts";
import { CommandRules, listOf, type RuledCommand, variablesOf } from "./command-rules.ts";
import { HeldTerminals, type Holder } from "./held-terminals.ts";
import { checkRoots } from "./roots.ts";
import {
  type AcpExitStatus,
  type CreateTerminalParams,
  type OlderExitStatus,
  type TerminalOutputResult,
  type TerminalParams,
  type WaitForExitResult,
  toExitStatus,
} from "./shapes.ts";
import type { CommandRequest, TerminalEvent, CommandDecision } from "./terminal-event.ts";

/** How the adapter works; the engine's options apply as well. */
export interface AcpTerminalsOptions extends TerminalEngineOptions {
  /** The directory of a session, for commands that name none. */
  readonly sessionCwd?: ((sessionId: string) => string | undefined) | undefined;
  /** Commands may run only in these folders and below. Default: anywhere. */
  readonly allowedRoots?: readonly string[] | undefined;
  /** Rules that decide about each command before `validate`; of both decisions the stricter holds. */
  readonly policy?: RuleSet | readonly RuleSet[] | undefined;
  /** Looks at each command before it runs. */
  readonly validate?: ((request: CommandRequest) => CommandDecision | Promise<CommandDecision>) | undefined;
  /** Asks a person, when the policy or `validate` says so. Without it, asking is refusing. */
  readonly ask?: ((request: CommandRequest, signal: AbortSignal | undefined) => Promise<boolean>) | undefined;
  /** Receives every event. */
  readonly onEvent?: ((event: TerminalEvent) => void) | undefined;
  /** Runs the commands of each session in one sandbox. Default: no sandbox. */
  readonly isolation?: IsolationOptions | undefined;
  /** Adds the fields of an older documentation to exit statuses. Default false: the protocol forbids extra fields. */
  readonly olderShapes?: boolean | undefined;
}

/** The sandbox of each session; paths are absolute, and those that do not exist are left out. */
export interface IsolationOptions extends Partial<Omit<SandboxSpec, "level">> {
  /** `guard`: everything but hidden and read-only paths. `workspace`: changes only below `writable`. */
  readonly level: SandboxSpec["level"];
  /** Runs commands without a sandbox where the machine has none. Default false: they are refused. */
  readonly isOptional?: boolean | undefined;
}

/** A request that can be cancelled, as `$/cancel_request` wants it. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Serves `terminal/*` of any number of sessions. */
export class AcpTerminals {
  readonly #options: AcpTerminalsOptions;
  readonly #engine: TerminalEngine;
  readonly #rules: CommandRules | undefined;
  readonly #sessions = new Map<string, AcpSession<Terminal>>();
  readonly #sandboxes = new Map<string, Promise<Sandbox | undefined>>();

  constructor(options: AcpTerminalsOptions = {}) {
    this.#options = options;
    if (options.policy !== undefined) this.#rules = new CommandRules(listOf(options.policy), options);
    this.#engine = new TerminalEngine(options);
  }

  /** The engine beneath, for what ACP has no word for. */
  get engine(): TerminalEngine {
    return this.#engine;
  }

  /** `terminal/create`: responds as soon as the command runs. */
  async createTerminal(
    params: CreateTerminalParams,
    { signal }: RequestOptions = {},
  ): Promise<{ terminalId: string }> {
    const sessionId = params?.sessionId;
    const session = this.#session(sessionId);
    // At once, so that requests at the same time share it.
    if (typeof sessionId === "string") this.#sessions.set(sessionId, session);
    return session.create(params, signal);
  }

  /** `terminal/output`: what there is now. */
  async terminalOutput({ sessionId, terminalId }: TerminalParams): Promise<TerminalOutputResult> {
    const { exitStatus, ...tail } = this.#session(sessionId).output(terminalId);
    return { ...tail, ...(exitStatus !== undefined && { exitStatus: this.#toStatus(exitStatus) }) };
  }

  /** The same result as ready JSON in UTF-8; a poll costs in what is new since the last one. */
  async terminalOutputJson({ sessionId, terminalId }: TerminalParams): Promise<Uint8Array[]> {
    return this.#session(sessionId).outputJson(terminalId, (status) => this.#toStatus(status));
  }

  /** `terminal/wait_for_exit`: responds after the last byte; always responds. */
  async waitForTerminalExit(
    { sessionId, terminalId }: TerminalParams,
    { signal }: RequestOptions = {},
  ): Promise<WaitForExitResult> {
    const status = await this.#session(sessionId).waitForExit(terminalId, signal);
    return this.#options.olderShapes === true ? { ...status, exitStatus: this.#toStatus(status) } : status;
  }

  /** `terminal/kill`: ends the whole tree; the terminal stays readable. */
  async killTerminal({ sessionId, terminalId }: TerminalParams): Promise<Record<string, never>> {
    const left = await this.#session(sessionId).kill(terminalId);
    this.#report({ type: "killed", sessionId, terminalId, left });
    return {};
  }

  /** `terminal/release`: ends what runs and forgets the id; an unknown one is fine. */
  async releaseTerminal({ sessionId, terminalId }: TerminalParams): Promise<Record<string, never>> {
    const background = await this.#sessions.get(sessionId)?.release(terminalId);
    if (background !== undefined) this.#report({ type: "released", sessionId, terminalId, background });
    return {};
  }

  /** A person takes the terminal over: the agent's release will not end it. */
  takeOver(params: TerminalParams): void {
    this.#setHolder(params, "person", "taken-over");
  }

  /** And gives it back. */
  giveBack(params: TerminalParams): void {
    this.#setHolder(params, "agent", "given-back");
  }

  /** Lets the command continue without the agent: a pending wait resolves without a status. */
  detach(params: TerminalParams): void {
    this.#setHolder(params, "background", "detached");
  }

  /** The terminal behind an id, also after its release: a tool call continues to show it. */
  display({ sessionId, terminalId }: TerminalParams): Terminal | undefined {
    return this.#sessions.get(sessionId)?.held.display(terminalId);
  }

  /** Processes that a session's commands left running after their release. */
  async background(sessionId: string): Promise<readonly Terminal[]> {
    return (await this.#sessions.get(sessionId)?.held.listBackground()) ?? [];
  }

  /** Ends everything that a session started or is about to start, background work too. */
  async closeSession(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    const sandbox = this.#sandboxes.get(sessionId);
    // A request with this id from now on begins another session.
    this.#sessions.delete(sessionId);
    this.#sandboxes.delete(sessionId);
    await session?.close();
    await sandbox?.then(
      (opened) => opened?.close(),
      () => {},
    );
  }

  /** Ends everything. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((sessionId) => this.closeSession(sessionId)));
    await this.#engine.close();
  }

  #ownerOf(sessionId: string): AcpTerminalOwner<Terminal> {
    return {
      defaultCwd: () => this.#options.sessionCwd?.(sessionId) ?? this.#options.cwd ?? process.cwd(),
      create: async (request, hold, signal) => {
        const { command, args, cwd } = request;
        const asked: CommandRequest = { sessionId, command, args, cwd, env: variablesOf(request.env) };
        const ruled = this.#rules?.decide(asked);
        try {
          await this.#permit(asked, ruled, signal);
          const terminal = await hold(async () => {
            const sandbox = await this.#sandboxOf(sessionId);
            return this.#engine.open({ ...request, sandbox: sandbox?.id });
          });
          this.#reportCreated(asked, terminal, ruled?.rule);
          return terminal;
        } catch (error) {
          if (error instanceof TerminalError) {
            const { code, message: reason } = error;
            this.#report({ type: "refused", ...asked, code, reason, rule: ruled?.rule });
          }
          throw error;
        }
      },
    };
  }

  /** Opened for the first command; one that could not be opened is tried again for the next. */
  #sandboxOf(sessionId: string): Promise<Sandbox | undefined> {
    const { isolation } = this.#options;
    if (isolation === undefined) return Promise.resolve(undefined);
    const known = this.#sandboxes.get(sessionId);
    if (known !== undefined) return known;
    const opened = this.#openSandbox(isolation);
    this.#sandboxes.set(sessionId, opened);
    opened.catch(() => {
      if (this.#sandboxes.get(sessionId) === opened) this.#sandboxes.delete(sessionId);
    });
    return opened;
  }

  async #openSandbox({
    isOptional = false,
    level,
    ...paths
  }: IsolationOptions): Promise<Sandbox | undefined> {
    const spec = { level, hidden: [], visible: [], readOnly: [], writable: [], ...paths };
    try {
      return await this.#engine.openSandbox(spec);
    } catch (error) {
      if (isOptional && error instanceof TerminalError && error.code === "not_supported") return undefined;
      throw error;
    }
  }

  async #permit(
    command: CommandRequest,
    ruled: RuledCommand | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await checkRoots(command.cwd, this.#options.allowedRoots);
    const validated: CommandDecision =
      ruled?.decision.decision === "deny"
        ? ruled.decision
        : ((await this.#options.validate?.(command)) ?? { decision: "allow" });
    const decision = validated.decision === "allow" ? (ruled?.decision ?? validated) : validated;
    throwIfAborted(signal);
    if (decision.decision === "allow") return;
    if (decision.decision === "ask" && (await this.#options.ask?.(command, signal)) === true) return;
    throwIfAborted(signal);
    throw new TerminalError(
      "denied",
      decision.decision === "deny"
        ? decision.reason
        : `Running ${command.command} was denied. Ask the user before trying it again, or continue without it`,
      { field: "command" },
    );
  }

  #reportCreated(command: CommandRequest, terminal: Terminal, rule: RuleName | undefined): void {
    const { sessionId } = command;
    const { id: terminalId, pid, tree, limits } = terminal;
    this.#report({ type: "created", ...command, terminalId, pid, tree, limits, rule });
    void terminal.exited.then((exit) => this.#report({ type: "exited", sessionId, terminalId, exit }));
  }

  #setHolder(
    { sessionId, terminalId }: TerminalParams,
    holder: Holder,
    type: "taken-over" | "given-back" | "detached",
  ): void {
    const session = this.#session(sessionId);
    session.find(terminalId);
    session.held.hold(terminalId, holder);
    this.#report({ type, sessionId, terminalId });
  }

  #session(sessionId: string): AcpSession<Terminal> {
    const known = this.#sessions.get(sessionId);
    return known ?? new AcpSession(new HeldTerminals(), this.#ownerOf(sessionId));
  }

  #toStatus(status: AcpExitStatus): AcpExitStatus | OlderExitStatus {
    return toExitStatus(status, this.#options.olderShapes === true);
  }

  #report(event: TerminalEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A faulty hook must not change what happens to the command that the event is about.
    }
  }
}
