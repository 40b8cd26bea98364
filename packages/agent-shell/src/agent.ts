// The agent: a connection to one client, its sessions and turns, from the first message to a clean end.
import { Connection, ndjsonFraming, streamSink } from "@holdfast/jsonrpc";
import { Client } from "./client.ts";
import { SlashCommands } from "./command/catalogue.ts";
import { makeRequestHandlers } from "./handlers.ts";
import { isObject } from "./acp/params.ts";
import { within } from "./timeout.ts";
import { FolderStore, MemoryStore } from "./session/session-store.ts";
import { Sessions } from "./session/sessions.ts";
import { Turns } from "./turn/run-turn.ts";
import type { MessageSource, ReadableLike, Warning, WritableLike } from "@holdfast/jsonrpc";
import type { AgentMethods } from "./acp/agent-methods.ts";
import type { ClientMethods } from "./acp/client-methods.ts";

/** Streams and settings of the agent. */
export interface ShellAgentOptions {
  readonly input: ReadableLike & MessageSource;
  readonly output: WritableLike;
  /** Where sessions are kept; without it they are gone with the process. */
  readonly stateFolder?: string | undefined;
  /** Offers also the commands that clients are tested with. */
  readonly hasTestCommands?: boolean;
  /** Receives internal errors: a bug, a session that could not be saved. */
  readonly onFault: (error: unknown) => void;
}

/** How long an end waits for turns to end, and again for sessions to be saved: together under a second (S21). */
const END_PATIENCE_MS = 350;

/** The built-in agent of Holdfast, serving one client. */
export class ShellAgent {
  readonly #connection: Connection<AgentMethods, ClientMethods>;
  readonly #client: Client;
  readonly #sessions: Sessions;
  readonly #turns = new Turns();
  readonly #onFault: (error: unknown) => void;
  readonly #closed: Promise<void>;
  #markClosed: () => void = () => undefined;
  #isClosing = false;

  constructor({ input, output, stateFolder, hasTestCommands = false, onFault }: ShellAgentOptions) {
    this.#onFault = onFault;
    this.#sessions = new Sessions(
      stateFolder === undefined ? new MemoryStore() : new FolderStore(stateFolder, onFault),
    );
    this.#connection = new Connection<AgentMethods, ClientMethods>({
      framing: ndjsonFraming(),
      // The client has gone: there is nothing left to do, and nowhere to report it.
      sink: streamSink(output, () => void this.#endInput()),
      source: input,
      cancelMethod: "$/cancel_request",
      requests: makeRequestHandlers({
        client: () => this.#client,
        commands: new SlashCommands({ hasTestCommands }),
        sessions: this.#sessions,
        turns: this.#turns,
      }),
      notifications: {
        "session/cancel": (params) => {
          if (isObject(params)) void this.#turns.cancel(String(params["sessionId"]));
        },
      },
      onWarning: (warning) => {
        this.#warn(warning);
      },
    });
    this.#client = new Client(this.#connection);
    this.#closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
    this.#readFrom(input);
  }

  /** Resolves when the client is gone or `close` was called, and everything is put away. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Ends everything in order: turns are cancelled and answered, terminals released, sessions saved (S21). */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await within(this.#turns.cancelAll(), END_PATIENCE_MS);
    this.#client.abandonTerminals();
    this.#connection.close();
    await this.#putAway();
  }

  #readFrom(input: ReadableLike): void {
    input.on("data", (chunk) => {
      this.#connection.push(chunk);
    });
    const onEnd = (): void => void this.#endInput();
    input.on("end", onEnd);
    input.on("error", onEnd);
    input.on("close", onEnd);
  }

  /** The client answers nothing any more, but may still read: it is asked to end what runs (S21). */
  async #endInput(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const ended = this.#turns.cancelAll();
    this.#client.abandonTerminals();
    this.#connection.end();
    await within(ended, END_PATIENCE_MS);
    await this.#putAway();
  }

  async #putAway(): Promise<void> {
    await within(this.#sessions.flush(), END_PATIENCE_MS);
    this.#markClosed();
  }

  #warn(warning: Warning): void {
    if (warning.kind === "handler-failed" && !this.#isClosing) this.#onFault(warning.error);
  }
}
