// ACP's five terminal methods for one session: one implementation for the library and for the host (T30–T39).
import type { TreeProcess } from "../process/port.ts";
import { TerminalError } from "../terminal-error.ts";
import type { TerminalState } from "../terminal.ts";
import type { OutputTail, JsonOutputTail } from "../view/index.ts";
import { type WantedTerminal, readCreateParams } from "./create-params.ts";
import type { HeldTerminal, HeldTerminals } from "./held-terminals.ts";
import { type AcpExitStatus, type CreateTerminalParams, renderOutputResult } from "./shapes.ts";

/** A terminal as an agent uses it. */
export interface AcpTerminal extends HeldTerminal {
  readonly state: TerminalState;
  readonly output: { tail(): OutputTail; tailJson(): JsonOutputTail };
}

/** Opens a terminal and holds it for the agent; closes it again when the request was cancelled meanwhile. */
export type HoldTerminal<Terminal> = (open: () => Promise<Terminal>) => Promise<Terminal>;

/** Differences between the owners of agents' terminals: approvals, audit, and other users of a terminal. */
export interface AcpTerminalOwner<Terminal> {
  /** The directory of commands that name none. */
  defaultCwd(): string;
  /** Approves a command, opens its terminal through `hold`, and records it; rejects when it may not run. */
  create(
    request: WantedTerminal,
    hold: HoldTerminal<Terminal>,
    signal: AbortSignal | undefined,
    name: string | undefined,
  ): Promise<Terminal>;
  /** Called before the agent reads, awaits or ends a terminal; throws where it may not. */
  beforeUse?(terminal: Terminal, use: "output" | "wait" | "kill"): void;
}

/** `terminal/*` of one session. */
export class AcpSession<Terminal extends AcpTerminal> {
  readonly held: HeldTerminals<Terminal>;
  readonly #owner: AcpTerminalOwner<Terminal>;
  readonly #starting = new Set<Promise<Terminal>>();
  #isClosed = false;

  constructor(held: HeldTerminals<Terminal>, owner: AcpTerminalOwner<Terminal>) {
    this.held = held;
    this.#owner = owner;
  }

  /** `terminal/create`: responds as soon as the command runs. `name` is that of the request, where its owner names it. */
  async create(
    params: CreateTerminalParams,
    signal?: AbortSignal,
    name?: string,
  ): Promise<{ terminalId: string }> {
    const { terminal: request } = readCreateParams(params, () => this.#owner.defaultCwd());
    const hold: HoldTerminal<Terminal> = (open) => this.#hold(open, signal);
    const terminal = await this.#owner.create(request, hold, signal, name);
    return { terminalId: terminal.id };
  }

  /** `terminal/output`: what there is now. */
  output(terminalId: string): OutputTail & { readonly exitStatus: AcpExitStatus | undefined } {
    const terminal = this.#use(terminalId, "output");
    return { ...terminal.output.tail(), exitStatus: exitStatusOf(terminal) };
  }

  /** The same as ready JSON in UTF-8; a poll costs in what is new since the last one. */
  outputJson(terminalId: string, toStatus = (status: AcpExitStatus): AcpExitStatus => status): Uint8Array[] {
    const terminal = this.#use(terminalId, "output");
    const status = exitStatusOf(terminal);
    return renderOutputResult(terminal.output.tailJson(), status && toStatus(status));
  }

  /** `terminal/wait_for_exit`: responds after the last byte; always responds. */
  async waitForExit(terminalId: string, signal?: AbortSignal): Promise<AcpExitStatus> {
    this.#use(terminalId, "wait");
    return unlessAborted(this.held.wait(terminalId), signal);
  }

  /** `terminal/kill`: ends the whole tree; the terminal stays readable. Resolves with what could not be ended. */
  async kill(terminalId: string): Promise<readonly TreeProcess[]> {
    return this.#use(terminalId, "kill").kill();
  }

  /** `terminal/release`: ends what runs and forgets the id; an unknown one gives undefined. */
  release(terminalId: string): Promise<readonly TreeProcess[] | undefined> {
    return this.held.release(terminalId);
  }

  /** The terminal while the agent may name it. */
  find(terminalId: string): Terminal {
    const terminal = this.held.find(terminalId);
    if (terminal !== undefined) return terminal;
    throw new TerminalError(
      "terminal_not_found",
      `No terminal ${terminalId} in this session; it was released, or never created`,
      { field: "terminalId" },
    );
  }

  /** Resolves when no terminal is being started any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#starting);
  }

  /** Ends every terminal, refuses those that are not started yet, and ends those that are being started (T707). */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.held.close(), this.settled()]);
  }

  #use(terminalId: string, use: "output" | "wait" | "kill"): Terminal {
    const terminal = this.find(terminalId);
    this.#owner.beforeUse?.(terminal, use);
    return terminal;
  }

  async #hold(open: () => Promise<Terminal>, signal: AbortSignal | undefined): Promise<Terminal> {
    throwIfAborted(signal);
    if (this.#isClosed) throw closed();
    const starting = this.#open(open, signal);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #open(open: () => Promise<Terminal>, signal: AbortSignal | undefined): Promise<Terminal> {
    const terminal = await open();
    if (this.#isClosed || signal?.aborted === true) {
      // The agent will never know its name: nothing else would end it.
      await terminal.close();
      throw this.#isClosed ? closed() : cancelled();
    }
    this.held.add(terminal);
    return terminal;
  }
}

function exitStatusOf({ state }: AcpTerminal): AcpExitStatus | undefined {
  if (state.name === "running") return undefined;
  const { exitCode, signal } = state.exit;
  return { exitCode, signal };
}

function closed(): TerminalError {
  return new TerminalError("closed", "The session is closed");
}

function cancelled(): TerminalError {
  return new TerminalError("cancelled", "The request was cancelled");
}

/** Throws for a request that was cancelled. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled();
}

/** Other waits continue; only this request gets the error. */
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
