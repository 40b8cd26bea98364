// One agent process and the ACP v1 connection to it: handshake, sessions, prompts, and a clean end.
import { Connection, type RawJson, type RepeatedTextOptions, ndjsonFraming } from "@holdfast/jsonrpc";
import type { Keeper, KeeperRun, KeeperExit, KeeperRunRequest } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import {
  ACP_VERSION,
  type AcpContent,
  type AcpInitializeResult,
  type AcpPermissionOption,
  type AcpPromptResult,
  type AcpSessionResult,
  type AcpToolCall,
  type AcpUpdate,
  CLIENT_CAPABILITIES,
} from "./acp.ts";
import type { Patience } from "../patience.ts";
import { StderrTail } from "./stderr-tail.ts";

/** The parameters that name a session, whatever else is in them. */
export interface OfSession {
  readonly sessionId: string;
}

/** What a session does for its agent. */
export interface AgentServices {
  update(update: AcpUpdate): void;
  /** The same update with another text: an agent's answer comes in many of them. */
  updateText(update: AcpUpdate, text: string): void;
  requestPermission(
    params: OfSession & { toolCall: AcpToolCall; options: readonly AcpPermissionOption[] },
    signal: AbortSignal,
  ): Promise<object>;
  readFile(
    params: OfSession & { path: string; line?: number | null; limit?: number | null },
    signal: AbortSignal,
  ): Promise<object>;
  writeFile(params: OfSession & { path: string; content: string }, signal: AbortSignal): Promise<object>;
  createTerminal(params: OfSession, signal: AbortSignal): Promise<object>;
  terminalOutput(params: OfSession & { terminalId: string }): RawJson;
  waitForTerminalExit(params: OfSession & { terminalId: string }, signal: AbortSignal): Promise<object>;
  killTerminal(params: OfSession & { terminalId: string }): Promise<object>;
  releaseTerminal(params: OfSession & { terminalId: string }): Promise<object>;
  elicit(
    params: Partial<OfSession> & Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<object>;
  /** Something odd that is worth a line in the log. */
  warn(message: string): void;
}

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
  readonly #patience: Patience;
  #initialized: AcpInitializeResult | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    run: KeeperRun,
    connection: Connection,
    exited: Promise<AgentExit>,
    patience: Patience,
  ) {
    this.#run = run;
    this.#connection = connection;
    this.#patience = patience;
    this.exited = exited;
  }

  /** Starts the process; `initialize` comes next. */
  static async start(
    keeper: Keeper,
    request: Omit<KeeperRunRequest, "kind">,
    services: AgentServices,
    patience: Patience,
  ): Promise<AgentConnection> {
    const stderr = new StderrTail();
    let resolveExit = (_exit: AgentExit): void => {};
    const exited = new Promise<AgentExit>((resolve) => {
      resolveExit = resolve;
    });
    // The connection is there before the process: one that dies at once is heard to its end as well.
    const link: Link = { run: undefined, onDrain: () => {} };
    const connection = connect(link, services);
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
    return new AgentConnection(run, connection, exited, patience);
  }

  /** Shakes hands; on failure nothing is left behind. */
  async initialize(): Promise<void> {
    try {
      this.#initialized = await this.#shakeHands();
    } catch (error) {
      await this.close();
      const { stderrTail } = await this.exited;
      throw explainFailedStart(error, stderrTail);
    }
  }

  /** What the agent said in the handshake. */
  get info(): AcpInitializeResult {
    return this.#initialized ?? { protocolVersion: ACP_VERSION };
  }

  get pid(): number {
    return this.#run.pid;
  }

  newSession(cwd: string): Promise<AcpSessionResult> {
    return this.#ask("session/new", { cwd, mcpServers: [] });
  }

  /** `session/resume` does not replay the history, `session/load` does; the caller knows which the agent has. */
  reopenSession(
    method: "session/resume" | "session/load",
    sessionId: string,
    cwd: string,
  ): Promise<AcpSessionResult> {
    return this.#ask(method, { sessionId, cwd, mcpServers: [] }, sessionId);
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
  async #ask<Result>(method: string, params: object, orderKey?: string): Promise<Result> {
    const { handshakeMs } = this.#patience;
    const tooSlow = new AbortController();
    const timer = setTimeout(() => {
      tooSlow.abort(new Error(`no answer to ${method} within ${handshakeMs / 1000} s`));
    }, handshakeMs);
    const order = orderKey === undefined ? {} : { orderKey };
    try {
      return (await this.#connection.request(method, params, { ...order, signal: tooSlow.signal })) as Result;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What a connection writes to, once it is there. */
interface Link {
  run: KeeperRun | undefined;
  onDrain: () => void;
}

/** Agents send their answers as thousands of updates that differ in their text alone. */
function piecesOfText(services: AgentServices): RepeatedTextOptions {
  return {
    method: "session/update",
    read: (params) => {
      const update = (params as { update?: AcpUpdate } | undefined)?.update;
      if (typeof update?.toolCallId === "string") return undefined;
      return (update?.["content"] as AcpContent | undefined)?.text;
    },
    handle: (params, text) => services.updateText((params as { update: AcpUpdate }).update, text),
  };
}

function connect(link: Link, services: AgentServices): Connection {
  return new Connection({
    framing: ndjsonFraming(),
    sink: {
      write: (chunks) => {
        let more = true;
        for (const chunk of chunks) {
          more = link.run?.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk) ?? true;
        }
        return more;
      },
      onDrain: (listener) => {
        link.onDrain = listener;
      },
    },
    cancelMethod: "$/cancel_request",
    repeatedText: piecesOfText(services),
    orderKey: (method, params) =>
      method === "session/update" ? (params as OfSession | undefined)?.sessionId : undefined,
    onWarning: (warning) => services.warn(`${warning.kind}: ${JSON.stringify(warning)}`.slice(0, 500)),
    notifications: {
      "session/update": (params) => services.update((params as { update: AcpUpdate }).update),
    },
    requests: {
      "session/request_permission": (params, { signal }) =>
        services.requestPermission(params as never, signal),
      "fs/read_text_file": (params, { signal }) => services.readFile(params as never, signal),
      "fs/write_text_file": (params, { signal }) => services.writeFile(params as never, signal),
      "terminal/create": (params, { signal }) => services.createTerminal(params as never, signal),
      "terminal/output": (params) => services.terminalOutput(params as never),
      "terminal/wait_for_exit": (params, { signal }) => services.waitForTerminalExit(params as never, signal),
      "terminal/kill": (params) => services.killTerminal(params as never),
      "terminal/release": (params) => services.releaseTerminal(params as never),
      "elicitation/create": (params, { signal }) => services.elicit(params as never, signal),
    },
  });
}

function explainFailedStart(error: unknown, stderrTail: readonly string[]): HostError {
  if (error instanceof HostError) return error;
  const words = error instanceof Error ? error.message : String(error);
  const said = stderrTail.length === 0 ? "" : ` Its last words: ${stderrTail.slice(-5).join(" | ")}`;
  return new HostError(
    "ACP_SESSION_INIT_FAILED",
    `The agent did not complete the handshake: ${words}.${said}`,
    { cause: error },
  );
}
