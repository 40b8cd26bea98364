// The client at the other end: its capabilities, the updates and requests sent to it, and its terminals.
import { untilAborted } from "./timeout.ts";
import { Terminal } from "./terminal.ts";
import type { Connection, RequestOptions } from "@holdfast/jsonrpc";
import type { AgentMethods } from "./acp/agent-methods.ts";
import type { ClientCapabilities, ClientMethods } from "./acp/client-methods.ts";
import type { SessionUpdate } from "./acp/session-update.ts";
import type { TerminalRequest } from "./terminal.ts";

type ClientRequests = ClientMethods["requests"];

export class Client {
  readonly #connection: Connection<AgentMethods, ClientMethods>;
  readonly #terminals = new Set<Terminal>();
  #capabilities: ClientCapabilities | undefined;

  constructor(connection: Connection<AgentMethods, ClientMethods>) {
    this.#connection = connection;
  }

  /** Undefined before `initialize`. */
  get capabilities(): ClientCapabilities | undefined {
    return this.#capabilities;
  }

  set capabilities(capabilities: ClientCapabilities) {
    this.#capabilities = capabilities;
  }

  /** Sends an update; `false` means that the client reads slowly and `drained` is to be waited for. */
  send(sessionId: string, update: SessionUpdate): boolean {
    return this.#connection.notify("session/update", { sessionId, update });
  }

  /** Resolves when the client takes more; rejects when the signal aborts before. */
  drained(signal: AbortSignal): Promise<void> {
    return untilAborted(this.#connection.drained(), signal);
  }

  /** Sends a request; an abort cancels it and stops waiting at once, unless the options say otherwise. */
  request<Method extends keyof ClientRequests>(
    method: Method,
    params: ClientRequests[Method]["params"],
    options?: RequestOptions,
  ): Promise<ClientRequests[Method]["result"]> {
    return this.#connection.request(method, params, options);
  }

  /** Starts a command in a terminal of the client. The caller releases it. */
  async openTerminal(request: TerminalRequest, signal: AbortSignal): Promise<Terminal> {
    const terminal = await Terminal.open(this, request, signal);
    this.#terminals.add(terminal);
    void terminal.released.then(() => this.#terminals.delete(terminal));
    return terminal;
  }

  /** Gives all terminals back without waiting for an answer; the client ends what still runs in them. */
  abandonTerminals(): void {
    for (const terminal of this.#terminals) terminal.abandon();
  }
}
