// One terminal of the client with a command in it: created, waited for or killed, read, and always released.
import { untilAborted, within } from "./timeout.ts";
import type { ClientMethods, ExitStatus, TerminalOutput } from "./acp/client-methods.ts";
import type { Client } from "./client.ts";

/** The most of a command's output that is asked for and shown: its tail (S8). */
export const MAX_OUTPUT_BYTES = 32 * 1024;

/**
 * How long a cancelled turn waits for the client to end a command. Longer than a host's usual grace between TERM
 * and KILL (5 s), shorter than the time after which a host gives up on the agent (10 s).
 */
const KILL_PATIENCE_MS = 8000;

export interface TerminalRequest {
  readonly sessionId: string;
  readonly command: string;
  readonly cwd: string;
}

/** Result of a command: it exited, or a person took it over and it continues without the agent. */
export interface TerminalResult extends ExitStatus {
  readonly end: "exited" | "detached";
  readonly durationMs: number;
  readonly output: string;
  readonly isTruncated: boolean;
}

type TerminalMethod = "terminal/wait_for_exit" | "terminal/output" | "terminal/kill" | "terminal/release";

export class Terminal {
  readonly id: string;
  /** Resolves when the client has been asked to release it, whatever it answered. */
  readonly released: Promise<void>;
  readonly #client: Client;
  readonly #sessionId: string;
  readonly #startedAtMs: number;
  #markReleased: () => void = () => undefined;

  private constructor(client: Client, sessionId: string, id: string, startedAtMs: number) {
    this.id = id;
    this.#client = client;
    this.#sessionId = sessionId;
    this.#startedAtMs = startedAtMs;
    this.released = new Promise((resolve) => {
      this.#markReleased = resolve;
    });
  }

  /** Starts a command (S6). An abort cancels the request; a terminal that is created anyway is released. */
  static async open(client: Client, request: TerminalRequest, signal: AbortSignal): Promise<Terminal> {
    const startedAtMs = performance.now();
    const creating = client
      .request(
        "terminal/create",
        { ...request, outputByteLimit: MAX_OUTPUT_BYTES, _meta: { holdfast: { tty: true } } },
        { signal, whenAborted: "keep-waiting" },
      )
      .then(({ terminalId }) => new Terminal(client, request.sessionId, terminalId, startedAtMs));
    try {
      return await untilAborted(creating, signal);
    } catch (error) {
      creating.then(
        (terminal) => {
          terminal.abandon();
        },
        // It was never created: nothing to give back.
        () => undefined,
      );
      throw error;
    }
  }

  /** Resolves when the command has ended, with its output; an abort kills it. `undefined`: it could not be killed. */
  async finish(signal: AbortSignal): Promise<TerminalResult | undefined> {
    const finishing = this.#call("terminal/wait_for_exit").then((exit) => this.#result(exit));
    try {
      return await untilAborted(finishing, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      const killing = this.#call("terminal/kill").then(() => finishing);
      return within(killing, KILL_PATIENCE_MS);
    }
  }

  /** Gives the terminal back and waits until the client has done its part. */
  async release(): Promise<void> {
    // A client that fails or hangs here still has the terminal: there is nothing left to do about it.
    await within(this.#release(), KILL_PATIENCE_MS);
  }

  /** Gives the terminal back without waiting for an answer. */
  abandon(): void {
    void within(this.#release(), KILL_PATIENCE_MS);
  }

  #release(): Promise<unknown> {
    this.#markReleased();
    return this.#call("terminal/release");
  }

  async #result({ exitCode = null, signal = null }: Partial<ExitStatus>): Promise<TerminalResult> {
    const durationMs = Math.round(performance.now() - this.#startedAtMs);
    const { output, truncated, exitStatus } = await this.#call("terminal/output");
    const isUnknown = exitCode === null && signal === null;
    const end = isUnknown && isAbsent(exitStatus) ? "detached" : "exited";
    return { end, exitCode, signal, durationMs, output, isTruncated: truncated };
  }

  #call<Method extends TerminalMethod>(method: Method): Promise<ClientMethods["requests"][Method]["result"]> {
    return this.#client.request(method, { sessionId: this.#sessionId, terminalId: this.id });
  }
}

function isAbsent(exitStatus: TerminalOutput["exitStatus"]): boolean {
  return exitStatus === undefined || exitStatus === null;
}
