// A client that watches a terminal: it keeps the terminal's state and content from actions alone.
import {
  type Action,
  type ClientId,
  type TerminalClaim,
  type TerminalState,
  makeId,
  reduceTerminal,
} from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import type { LogReader } from "../channel/log-reader.ts";
import type { Submission } from "../submit/submission.ts";
import type { TerminalViewer } from "../terminal/terminal-subscriptions.ts";
import type { TerminalClient } from "./terminal-client.ts";
import { until } from "./agent-record.ts";

/** A client of a test that watches one terminal. */
export class WatchingClient {
  readonly clientId: ClientId;
  readonly uri: string;
  readonly actions: Action[] = [];
  readonly #client: TerminalClient;
  #state: TerminalState;
  #content: readonly TerminalPart[];
  #cursor: LogReader;
  #lastSeq: number;
  #clientSeq = 0;

  private constructor(client: TerminalClient, uri: string, name: string, viewer: TerminalViewer) {
    this.clientId = makeId("client", name);
    this.uri = uri;
    this.#client = client;
    const subscription = client.subscribe(uri, { clientId: this.clientId, ...viewer });
    if (subscription === undefined) throw new Error(`There is no terminal ${uri}`);
    this.#state = subscription.snapshot.state;
    this.#content = subscription.snapshot.content;
    this.#lastSeq = subscription.snapshot.seq;
    this.#cursor = subscription.cursor;
  }

  /** Begins to watch. */
  static async open(
    client: TerminalClient,
    uri: string,
    name: string,
    viewer: TerminalViewer = {},
  ): Promise<WatchingClient> {
    await client.load(uri);
    // As a transport says of every client that connects.
    client.clientBack(makeId("client", name));
    return new WatchingClient(client, uri, name, viewer);
  }

  /** The state as the actions so far leave it. */
  get state(): TerminalState {
    this.read();
    return this.#state;
  }

  /** The state when all that was dispatched so far has been published. */
  async next(): Promise<TerminalState> {
    await new Promise(setImmediate);
    return this.state;
  }

  /** The content, in parts. */
  get content(): readonly TerminalPart[] {
    this.read();
    return this.#content;
  }

  /** The content, as one text. */
  get text(): string {
    return this.content.map(({ text }) => text).join("");
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The types of the actions so far, without output. */
  get actionTypes(): readonly string[] {
    this.read();
    return this.actions.map(({ type }) => type).filter((type) => type !== "terminal/data");
  }

  /** Dispatches an action. */
  submit(action: Action): Submission {
    this.#clientSeq += 1;
    return this.#client.submit(this.uri, action, { clientId: this.clientId, clientSeq: this.#clientSeq });
  }

  type(data: string): Submission {
    return this.submit({ type: "terminal/input", data });
  }

  /** Claims for itself, or for the given holder. */
  claim(claim: TerminalClaim = { kind: "client", clientId: this.clientId }): Submission {
    return this.submit({ type: "terminal/claimed", claim });
  }

  /** Waits until what is shown contains a text. */
  async sees(text: string): Promise<void> {
    await until(() => this.text.includes(text));
  }

  async has(fits: (state: TerminalState) => boolean): Promise<TerminalState> {
    return until(() => fits(this.state) && this.state);
  }

  /** Reads all entries that there are. */
  read(): void {
    for (;;) {
      const reading = this.#cursor.read();
      if (reading.kind === "gap") throw new Error("The viewer fell off the log");
      if (reading.kind === "closed" || reading.entries.length === 0) return;
      for (const { action, serverSeq } of reading.entries) {
        this.actions.push(action);
        this.#lastSeq = serverSeq;
        if (!action.type.startsWith("terminal/")) throw new Error(`What is ${action.type} doing here?`);
        this.#content = showAction(this.#content, action);
        this.#state = reduceTerminal(this.#state, action as Parameters<typeof reduceTerminal>[1]);
      }
    }
  }

  close(): void {
    this.#cursor.close();
  }

  /** The connection breaks and comes back; false when too much was missed. */
  reconnect(): boolean {
    const cursor = this.#client.resume(this.uri, this.#lastSeq, { clientId: this.clientId });
    if (cursor !== undefined) this.#cursor = cursor;
    return cursor !== undefined;
  }
}

/** The content after an action, by the rules of the protocol's own reducer. */
export function showAction(parts: readonly TerminalPart[], action: Action): readonly TerminalPart[] {
  const last = parts.at(-1);
  switch (action.type) {
    case "terminal/data": {
      const isOpen = last !== undefined && (last.kind === "output" || last.end === undefined);
      return isOpen
        ? [...parts.slice(0, -1), { ...last, text: last.text + action.data }]
        : [...parts, { kind: "output", text: action.data }];
    }
    case "terminal/commandExecuted": {
      const { commandId, commandLine, startedAt } = action;
      return [...parts, { kind: "command", commandId, commandLine, text: "", startedAt }];
    }
    case "terminal/commandFinished": {
      const { commandId, exitCode, durationMs } = action;
      const end = {
        ...(exitCode !== undefined && { exitCode }),
        ...(durationMs !== undefined && { durationMs }),
      };
      return parts.map((part) =>
        part.kind === "command" && part.commandId === commandId ? { ...part, end } : part,
      );
    }
    case "terminal/cleared":
      return [];
    default:
      return parts;
  }
}
