// One agent process and the ACP v1 connection to it: handshake, sessions, prompts, and a clean end.
import { randomUUID } from "node:crypto";
import { type LimitFired, limitWords } from "@holdfast/ahp";
import { type Connection, ConnectionError, WarningLimit } from "@holdfast/jsonrpc";
import type {
  LimitBackends,
  ProcessPort,
  Run,
  RunExit,
  RunRequest,
  RunSink,
  TreeProcess,
} from "@holdfast/terminal/port";
import { describeAgentLimit } from "../limit/limit-kind.ts";
import type { StoredRun } from "../ports.ts";
import type { Timeouts } from "../timeouts.ts";
import { within } from "../within.ts";
import {
  ACP_VERSION,
  type AcpInitializeResult,
  type AcpMcpServer,
  type AcpPromptResult,
  type AcpSessionResult,
} from "./acp.ts";
import { ForeignOutput, OutputEnd, type Redact, StderrTail } from "./agent-output.ts";
import type { AgentLedger } from "./agent-ledger.ts";
import {
  type AgentLink,
  type AgentServices,
  openConnection,
  type SavedGate,
  UpdateGate,
} from "./agent-wire.ts";
import { OwnProcesses, type SavedProcesses } from "./background-processes.ts";
import { explainFailedHandshake, initializeParams, readInitialized } from "./handshake.ts";

export type { AgentRequest, AgentServices, OfSession } from "./agent-wire.ts";

/** How an agent's process ended. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: readonly string[];
  /** The host ended it because it had closed its output. */
  readonly closedOutput: boolean;
  /** The limit that it ran into. */
  readonly limit?: LimitFired | undefined;
}

/** The host's timeouts and identity, as far as a connection needs them. */
export interface AgentConnectionOptions {
  readonly timeouts: Timeouts;
  /** The host's version, which agents receive in the handshake (N280). */
  readonly clientVersion: string;
  readonly redact?: Redact | undefined;
  /** The name of the run. Default: that of the ledger, or a random one. */
  readonly name?: string | undefined;
  /** Keeps account of the run, so that another host can continue it. */
  readonly ledger?: AgentLedger | undefined;
}

/** A connection as the next host gets to know it. */
export interface SavedConnection extends SavedGate {
  readonly lastId: number;
  readonly info?: AcpInitializeResult | undefined;
  readonly own?: SavedProcesses | undefined;
}

const steeringMethod = "_session/steering";

/** An agent that has been started. Its session owns it and closes it. */
export class AgentConnection {
  /** Resolves when the process has ended, however it did. */
  readonly exited: Promise<AgentExit>;
  readonly #link: AgentLink;
  readonly #connection: Connection;
  readonly #gate: UpdateGate;
  readonly #timeouts: Timeouts;
  readonly #clientVersion: string;
  readonly #foreign: ForeignOutput;
  readonly #outputEnd: OutputEnd;
  readonly #redact: Redact;
  readonly #warnings: WarningLimit;
  readonly #stderr: StderrTail;
  #initialized: AcpInitializeResult | undefined;
  #own: OwnProcesses | undefined;
  #closing: Promise<void> | undefined;
  #resolveExit: (exit: AgentExit) => void = () => {};

  // The connection is made before the process: the output of one that dies at once is read to its end as well.
  private constructor(
    services: AgentServices,
    { timeouts, clientVersion, redact, ledger, name = randomUUID() }: AgentConnectionOptions,
    earlier?: { readonly saved: SavedConnection; readonly handledOffset: number },
  ) {
    this.#timeouts = timeouts;
    this.#clientVersion = clientVersion;
    this.#redact = redact ?? ((text) => text);
    this.#stderr = new StderrTail(redact);
    this.exited = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
    const link: AgentLink = { run: undefined, onDrain: () => {}, name: ledger?.name ?? name, ledger };
    this.#link = link;
    this.#foreign = new ForeignOutput(timeouts.firstMessageMs);
    this.#gate = new UpdateGate(earlier?.saved);
    this.#outputEnd = new OutputEnd(() => {
      link.run
        ?.end(timeouts.killGraceMs)
        .catch((error: unknown) => services.warn(`The agent could not be ended: ${String(error)}`));
    });
    this.#warnings = new WarningLimit((line) => services.warn(line));
    const continues = earlier && { handledOffset: earlier.handledOffset, lastId: earlier.saved.lastId };
    this.#connection = openConnection(link, services, this.#gate, this.#warnings, continues);
    ledger?.follow(this.#connection);
    this.#initialized = earlier?.saved.info;
    this.#own = earlier?.saved.own && new OwnProcesses(earlier.saved.own);
  }

  /** Starts the process; `initialize` comes next. Its stderr is kept without secrets. */
  static async start(
    processPort: ProcessPort,
    request: Omit<RunRequest, "kind">,
    services: AgentServices,
    options: AgentConnectionOptions,
  ): Promise<AgentConnection> {
    const agent = new AgentConnection(services, options);
    agent.#takeRun(await processPort.start({ ...request, kind: "stdio" }, agent.#sink));
    return agent;
  }

  /** The connection of an earlier host to an agent that still runs; nothing arrives before `attach`. */
  static restore(
    saved: SavedConnection,
    { handledOffset }: StoredRun,
    services: AgentServices,
    options: AgentConnectionOptions,
  ): AgentConnection {
    const agent = new AgentConnection(services, options, { saved, handledOffset });
    agent.#foreign.close();
    return agent;
  }

  /** Continues: open requests are handled again, then what the agent wrote meanwhile, and what it did not get is sent. */
  async attach(processPort: ProcessPort, runId: string, stored: StoredRun): Promise<void> {
    for (const { offset, text } of stored.requests) this.#connection.reopen(text, offset);
    const run = await processPort.attach(runId, this.#sink, { output: stored.handledOffset });
    this.#takeRun(run, stored);
  }

  /** The connection as the next host gets to know it. */
  get saved(): SavedConnection {
    return {
      ...this.#gate.saved,
      lastId: this.#connection.lastId,
      info: this.#initialized,
      own: this.#own?.saved,
    };
  }

  get #sink(): RunSink {
    const { ledger } = this.#link;
    return {
      bytes: (stream, bytes, offset) => {
        if (stream === "error") {
          this.#stderr.push(bytes);
          return ledger?.noteError(offset + bytes.length);
        }
        this.#foreign.push(bytes);
        this.#connection.push(bytes);
        ledger?.progressed();
      },
      outputEnded: () => this.#outputEnd.note(),
      exit: ({ exitCode, signal, limit: fired }: RunExit) => {
        this.#outputEnd.close();
        this.#connection.end();
        this.#warnings.close();
        const closedOutput = this.#outputEnd.hasEndedAgent;
        const limit = fired && describeAgentLimit(fired);
        this.#resolveExit({ exitCode, signal, stderrTail: this.#stderr.lines, closedOutput, limit });
      },
      end: () => {},
    };
  }

  #takeRun(run: Run, stored?: StoredRun): void {
    const link = this.#link;
    link.run = run;
    if (link.ledger === undefined) run.onDrain(() => link.onDrain());
    else link.ledger.attach(run, stored);
  }

  get #run(): Run {
    if (this.#link.run === undefined) throw new Error("The agent has not been started");
    return this.#link.run;
  }

  /** Shakes hands; on failure nothing is left behind. */
  async initialize(): Promise<void> {
    try {
      const shaken = this.#ask("initialize", initializeParams(this.#clientVersion)).then(readInitialized);
      this.#initialized = await Promise.race([shaken, this.#foreign.silence]);
    } catch (error) {
      await this.close();
      const { stderrTail } = await this.exited;
      throw explainFailedHandshake(this.#redact(this.#foreign.text), error, stderrTail);
    } finally {
      this.#foreign.close();
    }
  }

  /** The agent's part of the handshake. */
  get info(): AcpInitializeResult {
    return this.#initialized ?? { protocolVersion: ACP_VERSION };
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** The enforcers of limits on its tree. */
  get limitBackends(): LimitBackends | undefined {
    return this.#run.limitBackends;
  }

  /** Learns which processes are the agent's own, once: what comes later was started for somebody. */
  async noteOwnProcesses(servers: readonly AcpMcpServer[]): Promise<void> {
    this.#own ??= OwnProcesses.find(await this.#run.members(), servers);
  }

  /** Processes in its tree besides itself. */
  async listBackground(): Promise<readonly TreeProcess[]> {
    const own = this.#own;
    return own === undefined ? [] : own.findOthers(await this.#run.members());
  }

  /** Signs in by a method that needs no person. */
  async authenticate(methodId: string): Promise<void> {
    await this.#ask("authenticate", { methodId });
  }

  async newSession(cwd: string, mcpServers: readonly AcpMcpServer[]): Promise<AcpSessionResult> {
    const result = await this.#ask<AcpSessionResult>("session/new", { cwd, mcpServers });
    if (result.sessionId !== undefined) this.#gate.enter(result.sessionId);
    return result;
  }

  /** A new session with the context of another, which may be one of an earlier process. */
  async forkSession(
    sessionId: string,
    cwd: string,
    mcpServers: readonly AcpMcpServer[],
  ): Promise<AcpSessionResult> {
    const timeouts = { timeoutMs: this.#timeouts.loadMs };
    const fork = (): Promise<AcpSessionResult> =>
      this.#ask("session/fork", { sessionId, cwd, mcpServers }, timeouts);
    const result = await this.#gate.duringReplay(fork);
    if (result.sessionId !== undefined) this.#gate.enter(result.sessionId);
    return result;
  }

  /** `session/load` replays the history, `session/resume` does not; the replay is dropped. */
  reopenSession(
    method: "session/resume" | "session/load",
    sessionId: string,
    cwd: string,
    mcpServers: readonly AcpMcpServer[],
  ): Promise<AcpSessionResult> {
    const params = { sessionId, cwd, mcpServers };
    this.#gate.enter(sessionId);
    const timeouts = { orderKey: sessionId, timeoutMs: this.#timeouts.loadMs };
    return this.#gate.duringReplay(() => this.#ask(method, params, timeouts));
  }

  /** Leaves a session: its later updates are ignored, and `closes` sends `session/close`. */
  async leaveSession(sessionId: string, closes: boolean): Promise<void> {
    this.#gate.leave(sessionId);
    if (closes) await this.#ask("session/close", { sessionId });
  }

  /** The response may take any time; it comes after every update that was sent before it and, where awaited directly, before the next. */
  prompt(sessionId: string, prompt: readonly object[]): Promise<AcpPromptResult> {
    const answer = this.#connection.request("session/prompt", { sessionId, prompt }, { orderKey: sessionId });
    return answer as Promise<AcpPromptResult>;
  }

  /** The id of the last request, such as the prompt that was just sent. */
  get lastId(): number {
    return this.#connection.lastId;
  }

  /** The response to a prompt that an earlier host sent. */
  awaitPrompt(id: number, sessionId: string): Promise<AcpPromptResult> {
    const answer = this.#connection.awaitAgain(id, "session/prompt", { orderKey: sessionId });
    return answer as Promise<AcpPromptResult>;
  }

  /** Whether a message can join the turn that runs. */
  get canSteer(): boolean {
    return this.info._meta?.steering?.supported === true;
  }

  /** Puts a message into the running turn; whether the agent took it. */
  steer(sessionId: string, prompt: readonly object[]): Promise<boolean> {
    // Without a turn, the message stays the host's to send.
    const params = { sessionId, prompt, _meta: { steering: { idleBehavior: "promptRequired" } } };
    return readSteered(this.#connection.request(steeringMethod, params, { orderKey: sessionId }));
  }

  /** The same for a message that an earlier host sent. */
  awaitSteering(id: number, sessionId: string): Promise<boolean> {
    return readSteered(this.#connection.awaitAgain(id, steeringMethod, { orderKey: sessionId }));
  }

  cancel(sessionId: string): void {
    this.#connection.notify("session/cancel", { sessionId });
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return this.#ask("session/set_mode", { sessionId, modeId }, { orderKey: sessionId });
  }

  setModel(sessionId: string, modelId: string): Promise<AcpSessionResult | null> {
    return this.#ask("session/set_model", { sessionId, modelId }, { orderKey: sessionId });
  }

  setConfigOption(sessionId: string, configId: string, value: string | boolean): Promise<AcpSessionResult> {
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
    return this.#ask("session/set_config_option", { sessionId, configId, ...typed }, { orderKey: sessionId });
  }

  /** End of input and a grace period first: some agents save their history then. After that, the whole tree. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeNow().catch((error: unknown) => {
      // What could not be ended may be ended later.
      this.#closing = undefined;
      throw error;
    });
    return this.#closing;
  }

  /** Ends the process at once: it does not respond. */
  async kill(): Promise<void> {
    await this.#run.end(0);
    await this.close();
  }

  async #closeNow(): Promise<void> {
    this.#outputEnd.close();
    this.#run.endInput();
    await within(this.#timeouts.endOfInputMs, this.exited);
    await this.#run.end(this.#timeouts.killGraceMs);
    await this.exited;
    this.#connection.close();
    this.#link.ledger?.end();
    this.#run.release();
  }

  /** The end of the stream is noticed with the exit, which says more. */
  async #explainEnd(method: string, cause: ConnectionError): Promise<Error> {
    const { exitCode, signal, limit } = await this.exited;
    const how = limit === undefined ? (signal ?? `exit code ${exitCode ?? "unknown"}`) : limitWords(limit);
    return new Error(`its process ended before it answered ${method} (${how})`, { cause });
  }

  /** A request that an agent can answer without its model, and so in bounded time. */
  async #ask<Result>(
    method: string,
    params: object,
    {
      orderKey,
      timeoutMs = this.#timeouts.handshakeMs,
    }: { readonly orderKey?: string; readonly timeoutMs?: number } = {},
  ): Promise<Result> {
    const tooSlow = new AbortController();
    const timer = setTimeout(() => {
      tooSlow.abort(new Error(`no answer to ${method} within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const order = orderKey === undefined ? {} : { orderKey };
    try {
      return (await this.#connection.request(method, params, { ...order, signal: tooSlow.signal })) as Result;
    } catch (error) {
      throw error instanceof ConnectionError && error.kind === "ended"
        ? await this.#explainEnd(method, error)
        : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function readSteered(response: Promise<unknown>): Promise<boolean> {
  const { outcome } = (await response) as { readonly outcome?: unknown };
  return outcome === "injected";
}
