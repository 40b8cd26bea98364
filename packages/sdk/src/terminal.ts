// The terminals of the caller's sessions: what they show, followed live, and typing into them.
import type { TerminalSize } from "@holdfast/ahp";
import type {
  NewTerminalRequest,
  TerminalEvent as WireTerminalEvent,
  TerminalEventOf,
  TerminalStatus,
  TerminalText,
} from "@holdfast/protocol";
import type { CallOptions, Connection, HostRequest } from "./connection.ts";
import { EventStream, type Retry } from "./event-stream.ts";

export type { TerminalStatus, TerminalText } from "@holdfast/protocol";

/** One event of a terminal's stream, its bytes decoded; offsets count bytes from the first one. `close` is the last. */
export type TerminalEvent =
  | { type: "output"; data: { offset: number; bytes: Uint8Array; stream?: "error" } }
  | Exclude<WireTerminalEvent, TerminalEventOf<"output">>;

/** A command to run in a new terminal. */
export type NewTerminal = NewTerminalRequest;

/** Where a piece of a text command's input belongs. */
export interface TerminalInputOptions extends CallOptions {
  /** The offset of its first byte in all of the input; with it, a piece may be sent again. */
  readonly offset?: number;
  /** Whether the input ends with it. */
  readonly end?: boolean;
}

/** How a terminal is followed. */
export interface TerminalStreamOptions extends CallOptions {
  /** The offset of the first byte wanted. */
  readonly after?: number;
  /** Whether a command that was made `paced` waits for this stream, so that it misses nothing. */
  readonly paced?: boolean;
}

/** The operations on terminals. */
export class Terminals {
  readonly #connection: Connection;
  readonly #retry: Retry;

  constructor(connection: Connection, retry: Retry) {
    this.#connection = connection;
    this.#retry = retry;
  }

  /** Runs a command in a new terminal, which continues when nobody follows it; only the owner can do this. */
  create(terminal: NewTerminal, { signal }: CallOptions = {}): Promise<TerminalStatus> {
    const request: HostRequest = {
      method: "POST",
      path: "/sdk/acp/terminals",
      body: { ...terminal },
      signal,
    };
    return this.#connection.askFor("terminal", request);
  }

  /** The terminals of all the caller's sessions, or of one. */
  list(options: CallOptions & { readonly sessionKey?: string } = {}): Promise<TerminalStatus[]> {
    const query = { session: options.sessionKey };
    const request: HostRequest = { method: "GET", path: "/sdk/acp/terminals", query, signal: options.signal };
    return this.#connection.askFor("terminals", request);
  }

  /** A terminal's newest output as text without escape sequences, at most `limitBytes` bytes. */
  output(id: string, options: CallOptions & { readonly limitBytes?: number } = {}): Promise<TerminalText> {
    const { limitBytes, signal } = options;
    return this.#connection.askFor("output", {
      method: "GET",
      path: `${pathOf(id)}/output`,
      query: { limitBytes },
      signal,
    });
  }

  /** A terminal's bytes from an offset, or from the first byte that is kept, then new ones as they arrive. */
  stream(id: string, options: TerminalStreamOptions = {}): EventStream<TerminalEvent> {
    const after = options.after === undefined ? undefined : String(options.after);
    const paced = options.paced === true ? true : undefined;
    const open = (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> =>
      this.#connection.send({
        method: "GET",
        path: `${pathOf(id)}/stream`,
        query: { after: lastEventId, paced },
        headers: { "Last-Event-ID": lastEventId },
        signal,
      });
    return new EventStream<TerminalEvent>({
      after,
      signal: options.signal,
      retry: this.#retry,
      open: (signal) => open(after, signal),
      canReopen: () => true,
      reopen: ({ lastEventId }, signal) => open(lastEventId, signal),
      read: readTerminalEvent,
      isLast: ({ type }) => type === "close",
      mayEndAfter: () => false,
    });
  }

  /** Types into a terminal, or writes to a text command's input; resolves when it can accept more. */
  async input(id: string, input: string | Uint8Array, options: TerminalInputOptions = {}): Promise<void> {
    const { offset, end, signal } = options;
    const data = typeof input === "string" ? { text: input } : { bytes: encodeBase64(input) };
    const body = { ...data, ...(offset !== undefined && { offset }), ...(end !== undefined && { end }) };
    await this.#connection.ask({ method: "POST", path: `${pathOf(id)}/input`, body, signal });
  }

  /** Changes the size of a terminal's screen; returns the resulting size. */
  resize(id: string, { cols, rows }: TerminalSize, { signal }: CallOptions = {}): Promise<TerminalSize> {
    return this.#connection.askFor("size", {
      method: "POST",
      path: `${pathOf(id)}/resize`,
      body: { cols, rows },
      signal,
    });
  }

  /** Takes a terminal over to type into it: the agent can still read it, but no longer decides when it ends. */
  claim(id: string, options: CallOptions = {}): Promise<TerminalStatus> {
    return this.#claimFor("client", id, options);
  }

  /** Gives a terminal that was taken over back to the session whose agent made it. */
  giveBack(id: string, options: CallOptions = {}): Promise<TerminalStatus> {
    return this.#claimFor("session", id, options);
  }

  /** Interrupts the program in a terminal, as Ctrl-C does. */
  async interrupt(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({ method: "POST", path: `${pathOf(id)}/interrupt`, signal });
  }

  /** Ends a terminal's command and every process it started. */
  async kill(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({ method: "POST", path: `${pathOf(id)}/kill`, signal });
  }

  #claimFor(kind: "client" | "session", id: string, { signal }: CallOptions): Promise<TerminalStatus> {
    const path = `${pathOf(id)}/claim`;
    return this.#connection.askFor("terminal", { method: "POST", path, body: { kind }, signal });
  }
}

function pathOf(id: string): string {
  return `/sdk/acp/terminals/${encodeURIComponent(id)}`;
}

function readTerminalEvent(type: string, data: unknown): TerminalEvent {
  if (type !== "output") return { type, data } as TerminalEvent;
  const { offset, bytes, stream } = data as TerminalEventOf<"output">["data"];
  return { type, data: { offset, bytes: decodeBase64(bytes), ...(stream !== undefined && { stream }) } };
}

/** The number of arguments that a call can take on every platform. */
const bytesAtOnce = 8192;

// Base64 with what browsers and Node both have.
function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += bytesAtOnce) {
    text += String.fromCharCode(...bytes.subarray(start, start + bytesAtOnce));
  }
  return btoa(text);
}

function decodeBase64(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  // Not by `Uint8Array.from`: that goes through an iterator, at thirty times the cost.
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = characters.charCodeAt(index);
  return bytes;
}
