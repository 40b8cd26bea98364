// A plain client of any dialect: JSON in text frames, and everything it heard, in order.
import { once } from "node:events";
import { WebSocket, type ClientOptions } from "ws";
import type { Heard, HeardEnvelope, HeardResult, HeardSnapshot } from "./heard.ts";

/** How a client introduces itself. */
export interface Greeting {
  readonly clientId?: string;
  /** A version, or a number as before versions had three parts. */
  readonly version?: string | number;
  readonly subscriptions?: readonly string[];
  readonly meta?: object;
}

interface Waiter {
  readonly test: (heard: Heard) => boolean;
  readonly resolve: (heard: Heard) => void;
}

/** One open WebSocket. */
export class WireClient {
  readonly socket: WebSocket;
  readonly heard: Heard[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  readonly #waiters = new Set<Waiter>();
  #lastId = 0;
  #clientSeq = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on("close", resolve);
    });
    socket.on("message", (data: Buffer) => this.#take(JSON.parse(data.toString("utf8")) as Heard));
  }

  /** Opens a socket; rejects when the host refuses it. */
  static async open(
    address: string,
    protocols: readonly string[] = [],
    options: ClientOptions = {},
  ): Promise<WireClient> {
    const socket = new WebSocket(address, [...protocols], options);
    const client = new WireClient(socket);
    await once(socket, "open");
    return client;
  }

  /** The answer to `initialize`. */
  async initialize({
    clientId = "ada",
    version = "1.0.0",
    subscriptions = [],
    meta,
  }: Greeting = {}): Promise<HeardResult> {
    return this.request("initialize", {
      channel: "ahp-root://",
      ...(typeof version === "number" ? { protocolVersion: version } : { protocolVersions: [version] }),
      clientId,
      initialSubscriptions: subscriptions,
      ...(meta && { _meta: meta }),
    });
  }

  /** The result of a request; rejects with the answer when it is an error. */
  async request(method: string, params: object = {}): Promise<HeardResult> {
    const heard = await this.ask(method, params);
    if (heard.error !== undefined) throw new Error(`${heard.error.code} ${heard.error.message}`);
    // Some answer with nothing, which is compared as a whole.
    return heard.result as HeardResult;
  }

  /** The state of a channel, followed from now on; in the seed a channel is called a resource. */
  async subscribe(channel: string, options: object = {}): Promise<HeardSnapshot> {
    const { snapshot } = await this.request("subscribe", { channel, resource: channel, ...options });
    if (snapshot === undefined) throw new Error(`${channel} has no state`);
    return snapshot;
  }

  /** The whole answer to a request. */
  async ask(method: string, params: object = {}): Promise<Heard> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = this.#wait((heard) => heard.id === id);
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** Sends an action on a channel, or with what names its channel in it; gives its number. */
  dispatch(action: object, channel?: string, clientSeq = (this.#clientSeq += 1)): number {
    const params = { ...(channel !== undefined && { channel }), clientSeq, action };
    this.send({ jsonrpc: "2.0", method: "dispatchAction", params });
    return clientSeq;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** The first notification, heard or yet to come, that fits. */
  notified(test: (heard: Heard) => boolean): Promise<Heard> {
    const fits = (heard: Heard): boolean => heard.method !== undefined && test(heard);
    const there = this.heard.find(fits);
    return there ? Promise.resolve(there) : this.#wait(fits);
  }

  /** The first action of a type, heard or yet to come. */
  async action(
    type: string,
    test: (envelope: HeardEnvelope) => boolean = () => true,
  ): Promise<HeardEnvelope> {
    const fits = (heard: Heard): boolean => {
      const envelope = envelopeOf(heard);
      return envelope?.action.type === type && test(envelope);
    };
    const envelope = envelopeOf(await this.notified(fits));
    if (envelope === undefined) throw new Error("Not an action after all");
    return envelope;
  }

  /** All actions heard so far. */
  get actions(): HeardEnvelope[] {
    return this.heard.flatMap((heard) => envelopeOf(heard) ?? []);
  }

  /** The text that a terminal wrote, as far as it was heard. */
  output(): string {
    return this.actions.map(({ action }) => (action.type === "terminal/data" ? action.data : "")).join("");
  }

  /** Waits until terminals wrote a text; each piece is looked at once, however much there is. */
  async wrote(text: string): Promise<void> {
    let tail = "";
    await this.notified((heard) => {
      const { type, data = "" } = envelopeOf(heard)?.action ?? {};
      if (type !== "terminal/data") return false;
      const seen = tail + data;
      tail = seen.slice(-text.length);
      return seen.includes(text);
    });
  }

  close(): void {
    this.socket.close();
  }

  #wait(test: Waiter["test"]): Promise<Heard> {
    return new Promise((resolve) => {
      this.#waiters.add({ test, resolve });
    });
  }

  #take(heard: Heard): void {
    this.heard.push(heard);
    for (const waiter of this.#waiters) {
      if (!waiter.test(heard)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(heard);
    }
  }
}

function envelopeOf({ method, params }: Heard): HeardEnvelope | undefined {
  const { action, serverSeq } = params ?? {};
  if (method !== "action" || action === undefined || serverSeq === undefined) return undefined;
  return { ...params, action, serverSeq };
}
