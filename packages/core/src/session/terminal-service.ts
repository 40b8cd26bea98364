// Runs commands for a session's agent, as terminals that it names, reads, waits for, kills and releases.
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { SessionClaim, TurnId } from "@holdfast/ahp";
import { ErrorCode, RawJson, RpcError } from "@holdfast/jsonrpc";
import { KeeperError } from "@holdfast/keeper/port";
import {
  type CreateTerminalParams,
  TerminalError,
  type WantedTerminal,
  readCreateParams,
  renderOutputResult,
} from "@holdfast/terminal/acp-parts";
import type { OfSession } from "../agent/agent-connection.ts";
import { coversCommand } from "../approval/coverage.ts";
import { isInside } from "../resource/files.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { AgentTerminals } from "./agent-terminals.ts";
import type { Deed, Deeds } from "./deeds.ts";
import type { ServiceContext } from "./service-context.ts";

const unknownTerminal = -32002;

/** `terminal/*` of one session. */
export class TerminalService {
  readonly #context: ServiceContext;
  readonly #deeds: Deeds;
  readonly #agent: AgentTerminals;
  readonly #starting = new Set<Promise<HostTerminal>>();

  constructor(context: ServiceContext, deeds: Deeds) {
    this.#context = context;
    this.#deeds = deeds;
    this.#agent = new AgentTerminals(context);
  }

  /** The claim of the turn that runs, for a tool call or for the one that is likely meant. */
  claimNow(toolCallId?: string): SessionClaim {
    return this.#agent.claimNow(toolCallId);
  }

  async create(params: OfSession, signal: AbortSignal): Promise<object> {
    const { terminal: wanted } = readParams(params, this.#context.roots[0] ?? "/");
    await checkDirectory(wanted.cwd);
    const inside = await isInside(wanted.cwd, this.#context.roots);
    const line = [wanted.command, ...wanted.args].join(" ");
    const deed = {
      what: "command",
      subject: line,
      cwd: wanted.cwd,
      isInside: inside,
      isCoveredBy: (call) => coversCommand(call, wanted, inside),
      question: { kind: "execute", title: "Run command", target: line },
      refusal: `Running ${line} was not allowed`,
    } as const satisfies Deed;
    const start = (covering?: { readonly toolCallId: string }): Promise<HostTerminal> =>
      this.#start(wanted, covering?.toolCallId, signal);
    const terminal = await this.#deeds.carryOut(deed, start, signal);
    return { terminalId: terminal.id };
  }

  output({ terminalId }: { terminalId: string }): RawJson {
    const terminal = this.#find(terminalId);
    this.#agent.use(terminal);
    const { state } = terminal;
    const exitStatus =
      state.name === "exited" ? { exitCode: state.exit.exitCode, signal: state.exit.signal } : undefined;
    return new RawJson(renderOutputResult(terminal.output.answerJson(), exitStatus));
  }

  async waitForExit({ terminalId }: { terminalId: string }, signal: AbortSignal): Promise<object> {
    this.#agent.use(this.#find(terminalId));
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(requestCancelled()), { once: true });
    });
    return Promise.race([this.#context.held.wait(terminalId), aborted]);
  }

  async kill({ terminalId }: { terminalId: string }): Promise<object> {
    const terminal = this.#find(terminalId);
    if (this.#agent.isTaken(terminal)) throw takenOver(terminalId);
    this.#agent.use(terminal);
    await terminal.kill();
    return {};
  }

  async release({ terminalId }: { terminalId: string }): Promise<object> {
    await this.#context.held.release(terminalId);
    return {};
  }

  /** What a turn leaves running is background work. */
  turnEnded(turnId: TurnId): void {
    this.#agent.turnEnded(turnId);
  }

  /** What people have taken over goes on without the session. */
  letGoTaken(): void {
    this.#agent.letGoTaken();
  }

  /** Resolves when nothing is being started any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#starting);
  }

  async #start(
    wanted: WantedTerminal,
    toolCallId: string | undefined,
    signal: AbortSignal,
  ): Promise<HostTerminal> {
    if (signal.aborted) throw requestCancelled();
    const starting = this.#startHeld(wanted, toolCallId, signal);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #startHeld(
    wanted: WantedTerminal,
    toolCallId: string | undefined,
    signal: AbortSignal,
  ): Promise<HostTerminal> {
    const claim = this.#agent.claimNow(toolCallId);
    const creating = this.#context.terminals.create(wanted, claim, this.#agent);
    const terminal = await creating.catch((error: unknown) => {
      throw error instanceof KeeperError
        ? new RpcError(ErrorCode.internalError, error.message, { code: error.code, field: error.field })
        : error;
    });
    if (signal.aborted) {
      // Whoever asked for it will never know its name: nothing would end it.
      await terminal.close();
      throw requestCancelled();
    }
    this.#agent.add(terminal, claim);
    return terminal;
  }

  #find(terminalId: string): HostTerminal {
    const terminal = this.#context.held.find(terminalId);
    if (terminal === undefined) {
      throw new RpcError(
        unknownTerminal,
        `No terminal ${terminalId} in this session; it was released, or never created`,
      );
    }
    return terminal;
  }
}

function readParams(params: OfSession, cwd: string): ReturnType<typeof readCreateParams> {
  try {
    return readCreateParams(params as CreateTerminalParams, () => cwd);
  } catch (error) {
    throw error instanceof TerminalError
      ? new RpcError(error.rpcCode, error.message, { code: error.code, field: error.field })
      : error;
  }
}

/** Nobody is asked about something that cannot work. */
async function checkDirectory(cwd: string): Promise<void> {
  if (!isAbsolute(cwd)) {
    throw new RpcError(ErrorCode.invalidParams, `cwd must be an absolute path, not ${JSON.stringify(cwd)}`);
  }
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new RpcError(ErrorCode.invalidParams, `Working directory not found: ${cwd}`);
  }
}

function requestCancelled(): RpcError {
  return new RpcError(ErrorCode.requestCancelled, "The request was cancelled");
}

function takenOver(terminalId: string): RpcError {
  return new RpcError(
    ErrorCode.invalidRequest,
    `A person has taken over terminal ${terminalId} and decides when it ends. Wait for its exit, or go on without it`,
  );
}
