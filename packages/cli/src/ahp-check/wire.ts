// A plain client for checks: JSON in text frames, and everything that was heard, in order.
import { WebSocket } from "ws";

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A message of the host. */
export interface Heard {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params: Fields;
  readonly result?: unknown;
  readonly error?: { readonly code: unknown; readonly message: unknown; readonly data: Fields };
}

/** A check that found the host wrong. */
export class CheckFailure extends Error {
  override readonly name = "CheckFailure";
}

interface Waiter {
  readonly fits: (heard: Heard) => boolean;
  readonly resolve: (heard: Heard) => void;
  readonly fail: (reason: string) => void;
}

/** One WebSocket. Its opener closes it. */
export class Wire {
  readonly heard: Heard[] = [];
  readonly #socket: WebSocket;
  readonly #timeoutMs: number;
  readonly #waiters = new Set<Waiter>();
  readonly #closed: Promise<void>;
  #lastId = 0;

  private constructor(socket: WebSocket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    this.#closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.once("close", () => {
      for (const waiter of this.#waiters) waiter.fail("the host closed the connection");
    });
    socket.on("error", () => {
      // The close that follows is what counts.
    });
    socket.on("message", (data: Buffer) => this.#take(readHeard(data.toString("utf8"))));
  }

  /** Rejects when the host cannot be reached or refuses the connection. */
  static async open(url: string, timeoutMs: number): Promise<Wire> {
    const socket = new WebSocket(url, { handshakeTimeout: timeoutMs });
    const wire = new Wire(socket, timeoutMs);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return wire;
  }

  /** The response to a request, whether it succeeded or not. */
  ask(method: string, params: object): Promise<Heard> {
    this.#lastId += 1;
    const id = this.#lastId;
    const response = this.wait(
      `a response to ${method}`,
      (heard) => heard.id === id && heard.method === undefined,
    );
    this.sendText(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return response;
  }

  /** The result of a request that has to succeed. */
  async request(method: string, params: object): Promise<unknown> {
    const { result, error } = await this.ask(method, params);
    if (error === undefined) return result;
    throw new CheckFailure(`${method} failed with ${String(error.code)}: ${String(error.message)}`);
  }

  notify(method: string, params: object): void {
    this.sendText(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** The first message from a place on, heard or yet to come, that fits. */
  wait(what: string, fits: (heard: Heard) => boolean, from = this.heard.length): Promise<Heard> {
    const there = this.heard.slice(from).find(fits);
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        settle();
      };
      const waiter: Waiter = {
        fits,
        resolve: (heard) => end(() => resolve(heard)),
        fail: (reason) => end(() => reject(new CheckFailure(`${what} did not arrive: ${reason}`))),
      };
      const timer = setTimeout(() => waiter.fail(`nothing for ${this.#timeoutMs} ms`), this.#timeoutMs);
      this.#waiters.add(waiter);
      if (this.#socket.readyState === WebSocket.CLOSED) waiter.fail("the connection is closed");
    });
  }

  /** Resolves when everything that the host sent before has been heard. */
  async settle(rootUri: string): Promise<void> {
    await this.ask("ping", { channel: rootUri });
  }

  /** Resolves when the host has closed the connection; false when it does not. */
  async isClosed(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#timeoutMs);
    });
    const isClosed = await Promise.race([this.#closed.then(() => true), late]);
    clearTimeout(timer);
    return isClosed;
  }

  /** Cuts the connection as a lost network does. */
  async cut(): Promise<void> {
    this.#socket.terminate();
    await this.#closed;
  }

  close(): void {
    this.#socket.close();
  }

  #take(heard: Heard): void {
    this.heard.push(heard);
    for (const waiter of this.#waiters) {
      if (waiter.fits(heard)) waiter.resolve(heard);
    }
  }
}

function readHeard(text: string): Heard {
  const { id, method, params, result, error } = fieldsOf(JSON.parse(text));
  if (error === undefined) return { id, method, params: fieldsOf(params), result };
  const { code, message, data } = fieldsOf(error);
  return { id, method, params: fieldsOf(params), error: { code, message, data: fieldsOf(data) } };
}

/** The fields of an object; of anything else none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** The items of a list; of anything else none. */
export function itemsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
