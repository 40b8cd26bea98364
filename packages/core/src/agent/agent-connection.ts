// One agent process and the ACP v1 connection to it: handshake, sessions, prompts, and a clean end.
import type { Connection } from "@holdfast/jsonrpc";
import type { Keeper, KeeperRun, KeeperExit, KeeperRunRequest } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import type { Patience } from "../patience.ts";
import {
  ACP_VERSION,
  type AcpInitializeResult,
  type AcpMcpServer,
  type AcpPromptResult,
  type AcpSessionResult,
  CLIENT_CAPABILITIES,
} from "./acp.ts";
import type { AgentServices } from "./agent-services.ts";
import { type AgentLink, openConnection } from "./agent-wire.ts";
import { explainFailedStart } from "./failed-start.ts";
import { type Redact, StderrTail } from "./stderr-tail.ts";
import { UpdateGate } from "./update-gate.ts";

export type { AgentServices, OfSession } from "./agent-services.ts";

/** How an agent's process ended. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: readonly string[];
}

/** An agent that has been started. Its session owns it and closes it. */
export class AgentConnection {
  /** Resolves when the process has ended, however it did. */
  readonly exited: Promise<AgentExit>;
  readonly #run: KeeperRun;
  readonly #connection: Connection;
  readonly #gate: UpdateGate;
  readonly #patience: Patience;
  #initialized: AcpInitializeResult | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    run: KeeperRun,
    connection: Connection,
    gate: UpdateGate,
    exited: Promise<AgentExit>,
    patience: Patience,
  ) {
    this.#run = run;
    this.#connection = connection;
    this.#gate = gate;
    this.#patience = patience;
    this.exited = exited;
  }

  /** Starts the process; `initialize` comes next. What it says on stderr is kept without secrets. */
  static async start(
    keeper: Keeper,
    request: Omit<KeeperRunRequest, "kind">,
    services: AgentServices,
    patience: Patience,
    redact?: Redact,
  ): Promise<AgentConnection> {
    const stderr = new StderrTail(redact);
    let resolveExit = (_exit: AgentExit): void => {};
    const exited = new Promise<AgentExit>((resolve) => {
      resolveExit = resolve;
    });
    // The connection is there before the process: one that dies at once is heard to its end as well.
    const link: AgentLink = { run: undefined, onDrain: () => {} };
    const gate = new UpdateGate();
    const connection = openConnection(link, services, gate);
    const run = await keeper.start(
      { ...request, kind: "stdio" },
      {
        bytes: (stream, bytes) => (stream === "output" ? connection.push(bytes) : stderr.push(bytes)),
        exit: ({ exitCode, signal }: KeeperExit) => {
          connection.end();
          resolveExit({ exitCode, signal, stderrTail: stderr.lines });
        },
        end: () => {},
      },
    );
    link.run = run;
    run.onDrain(() => link.onDrain());
    return new AgentConnection(run, connection, gate, exited, patience);
  }

  /** Shakes hands; on failure nothing is left behind. */
  async initialize(): Promise<void> {
    try {
      this.#initialized = await this.#shakeHands();
    } catch (error) {
      await this.close();
      const { stderrTail } = await this.exited;
      throw explainFailedStart("The agent did not complete the handshake", error, stderrTail);
    }
  }

  /** What the agent said in the handshake. */
  get info(): AcpInitializeResult {
    return this.#initialized ?? { protocolVersion: ACP_VERSION };
  }

  get pid(): number {
    return this.#run.pid;
  }

  async newSession(cwd: string, mcpServers: readonly AcpMcpServer[]): Promise<AcpSessionResult> {
    const result = await this.#ask<AcpSessionResult>("session/new", { cwd, mcpServers });
    if (result.sessionId !== undefined) this.#gate.enter(result.sessionId);
    return result;
  }

  /** `session/resume` does not tell the history again, `session/load` does; what is told again is dropped. */
  reopenSession(
    method: "session/resume" | "session/load",
    sessionId: string,
    cwd: string,
    mcpServers: readonly AcpMcpServer[],
  ): Promise<AcpSessionResult> {
    const params = { sessionId, cwd, mcpServers };
    const patience = { orderKey: sessionId, timeoutMs: this.#patience.loadMs };
    return this.#gate.duringReplay(() => this.#ask(method, params, patience));
  }

  /** Leaves a session: what the agent still says of it is not heard, and `closes` tells the agent. */
  async leaveSession(sessionId: string, closes: boolean): Promise<void> {
    this.#gate.leave(sessionId);
    if (closes) await this.#ask("session/close", { sessionId });
  }

  /** The answer may take as long as it takes; it comes after every update that was sent before it and, where awaited directly, before the next. */
  prompt(sessionId: string, prompt: readonly object[]): Promise<AcpPromptResult> {
    const answer = this.#connection.request("session/prompt", { sessionId, prompt }, { orderKey: sessionId });
    return answer as Promise<AcpPromptResult>;
  }

  cancel(sessionId: string): void {
    this.#connection.notify("session/cancel", { sessionId });
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return this.#ask("session/set_mode", { sessionId, modeId });
  }

  setModel(sessionId: string, modelId: string): Promise<unknown> {
    return this.#ask("session/set_model", { sessionId, modelId });
  }

  setConfigOption(sessionId: string, configId: string, value: string | boolean): Promise<AcpSessionResult> {
    return this.#ask("session/set_config_option", {
      sessionId,
      configId,
      ...(typeof value === "boolean" ? { type: "boolean", value } : { value }),
    });
  }

  /** End of input and a grace period first: some agents save their history then. After that, the whole tree. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  /** Ends the process at once: it does not answer. */
  async kill(): Promise<void> {
    await this.#run.end(0);
    await this.close();
  }

  async #closeNow(): Promise<void> {
    this.#run.endInput();
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patience.endOfInputMs);
    });
    await Promise.race([this.exited, bound]);
    clearTimeout(timer);
    await this.#run.end(this.#patience.killMs);
    await this.exited;
    this.#connection.close();
    this.#run.release();
  }

  async #shakeHands(): Promise<AcpInitializeResult> {
    const result = await this.#ask<AcpInitializeResult>("initialize", {
      protocolVersion: ACP_VERSION,
      clientCapabilities: CLIENT_CAPABILITIES,
      clientInfo: { name: "holdfast", version: "0.0.0" },
    });
    // Some agents echo the number they were asked for: the shape says more than the number.
    if (result.agentCapabilities === undefined && result.protocolVersion !== ACP_VERSION) {
      throw new HostError(
        "ACP_SESSION_INIT_FAILED",
        `The agent insists on ACP version ${result.protocolVersion}; Holdfast speaks version ${ACP_VERSION}. Use an older version of the agent.`,
      );
    }
    return result;
  }

  /** A request that an agent can answer without thinking, and so in bounded time. */
  async #ask<Result>(
    method: string,
    params: object,
    {
      orderKey,
      timeoutMs = this.#patience.handshakeMs,
    }: { readonly orderKey?: string; readonly timeoutMs?: number } = {},
  ): Promise<Result> {
    const tooSlow = new AbortController();
    const timer = setTimeout(() => {
      tooSlow.abort(new Error(`no answer to ${method} within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const order = orderKey === undefined ? {} : { orderKey };
    try {
      return (await this.#connection.request(method, params, { ...order, signal: tooSlow.signal })) as Result;
    } finally {
      clearTimeout(timer);
    }
  }
}
