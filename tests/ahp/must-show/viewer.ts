// A client that sees everything through the reference reducers, can be cut off at any moment, and reconnects.
import { once } from "node:events";
import { WebSocket } from "ws";
import {
  reduceWireRoot,
  reduceWireTerminal,
  type ReferenceReducer,
} from "../../../packages/ahp/src/testing/wire/channels.ts";
import {
  currentVersion,
  fieldsOf,
  listOf,
  overTheWire,
  seedVersion,
  textOf,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "../../../packages/ahp/src/testing/wire/reference.ts";

/** In what the clients of two versions differ. */
export interface ViewerDialect {
  readonly version: string;
  readonly reference: ReferenceVersion;
  readonly rootUri: string;
  /** Name of a terminal in requests that create or end it. */
  readonly terminalField: "channel" | "terminal";
  terminalUri(name: string): string;
}

/** The seed's. */
export const SEED: ViewerDialect = {
  version: "0.1.0",
  reference: seedVersion,
  rootUri: "agenthost:/root",
  terminalField: "terminal",
  terminalUri: (name) => `agenthost:/terminal/${name}`,
};

/** The newest one. */
export const CURRENT: ViewerDialect = {
  version: "1.0.0",
  reference: currentVersion,
  rootUri: "ahp-root://",
  terminalField: "channel",
  terminalUri: (name) => `ahp-terminal:/${name}`,
};

/** How a viewer is made. */
export interface ViewerOptions {
  /** Where its WebSocket is, with the token. */
  readonly address: string;
  readonly clientId: string;
  readonly dialect: ViewerDialect;
  /** So much of a terminal's text is kept at least; the rest may go. Default: all. */
  readonly keptText?: number;
}

interface Unanswered {
  readonly clientSeq: number;
  readonly params: object;
}

/** One client over all its connections. */
export class Viewer {
  readonly clientId: string;
  readonly dialect: ViewerDialect;
  /** Number of updates that it received twice. */
  repeats = 0;
  /** Number of resets of a terminal that nobody cleared, and of states received in place of actions. */
  catchUps = 0;
  /** Reasons for which its actions were rejected. */
  readonly refusals: string[] = [];
  readonly #options: ViewerOptions;
  readonly #states = new Map<string, WireFields>();
  readonly #seen = new Map<string, number>();
  readonly #textLengths = new Map<string, number>();
  readonly #answers = new Map<number, (message: WireFields) => void>();
  readonly #checks = new Set<() => void>();
  /** Sent again after a loss, because nobody knows how far they came. */
  #unanswered: Unanswered[] = [];
  #socket: WebSocket | undefined;
  #isKnown = false;
  /** Whether it has introduced itself on this connection: before that nothing else is said. */
  #isReady = false;
  #lastSeen = 0;
  #lastId = 0;
  #clientSeq = 0;

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.clientId = options.clientId;
    this.dialect = options.dialect;
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** Its state of a channel. */
  state(uri: string): WireFields {
    return this.#states.get(uri) ?? {};
  }

  /** All text that a terminal shows it. */
  text(uri: string): string {
    return textOfContent(this.state(uri));
  }

  /** Introduces itself, or continues where it was cut off. */
  async connect(): Promise<void> {
    const socket = new WebSocket(this.#options.address);
    await once(socket, "open");
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      if (socket === this.#socket) this.#take(fieldsOf(JSON.parse(data.toString("utf8"))));
    });
    const { clientId, dialect } = this;
    if (this.#isKnown) {
      const subscriptions = [...this.#states.keys()];
      await this.request("reconnect", { clientId, lastSeenServerSeq: this.#lastSeen, subscriptions });
    } else {
      await this.request("initialize", {
        channel: dialect.rootUri,
        clientId,
        protocolVersions: [dialect.version],
        initialSubscriptions: [dialect.rootUri],
      });
      this.#isKnown = true;
    }
    this.#isReady = true;
    for (const { params } of this.#unanswered) this.#send({ method: "dispatchAction", params });
  }

  /** Is gone without a word. */
  async cut(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    this.#isReady = false;
    this.#answers.clear();
    socket.terminate();
    await once(socket, "close");
  }

  /** Makes a terminal that it holds. */
  async create(name: string): Promise<string> {
    const uri = this.dialect.terminalUri(name);
    const claim = { kind: "client", clientId: this.clientId };
    await this.request("createTerminal", { [this.dialect.terminalField]: uri, claim, cwd: "file:///tmp" });
    return uri;
  }

  /** Follows a channel from its state on. */
  async follow(uri: string): Promise<void> {
    await this.request("subscribe", { channel: uri, resource: uri });
  }

  /** The result of a request; rejects when it is refused. Nothing comes of one whose connection is cut. */
  request(method: string, params: object): Promise<WireFields> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) => {
        if (error !== undefined) return reject(new Error(`${method}: ${JSON.stringify(error)}`));
        // In this very tick: the next action continues from here.
        this.#takeResult(fieldsOf(result));
        resolve(fieldsOf(result));
      });
      this.#send({ id, method, params });
    });
  }

  /** Sends an action, now or when it is connected again. */
  dispatch(uri: string, action: ReferenceAction): void {
    this.#clientSeq += 1;
    const clientSeq = this.#clientSeq;
    const isSeed = this.dialect.terminalField === "terminal";
    const params = isSeed
      ? { clientSeq, action: { ...action, terminal: uri } }
      : { channel: uri, clientSeq, action };
    this.#unanswered.push({ clientSeq, params });
    if (this.#isReady) this.#send({ method: "dispatchAction", params });
  }

  /** Types into a terminal. */
  type(uri: string, data: string): void {
    this.dispatch(uri, { type: "terminal/input", data });
  }

  /** Resolves when something is so, which is looked at after each message. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isSo()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }

  /** Resolves when all that it sent is answered. */
  answered(): Promise<void> {
    return this.until(() => this.#unanswered.length === 0);
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  #take(message: WireFields): void {
    const { id, method, params } = message;
    if (typeof id === "number") {
      const answer = this.#answers.get(id);
      this.#answers.delete(id);
      answer?.(message);
    } else if (method === "action") this.#takeEnvelope(fieldsOf(params));
    for (const check of this.#checks) check();
  }

  #takeResult({ type, serverSeq, snapshot, snapshots, actions }: WireFields): void {
    if (typeof serverSeq === "number") this.#lastSeen = Math.max(this.#lastSeen, serverSeq);
    if (type === "snapshot") this.catchUps += 1;
    const states = snapshot === undefined ? listOf(snapshots) : [fieldsOf(snapshot)];
    for (const { resource, fromSeq, state } of states) {
      const uri = textOf(resource);
      this.#states.set(uri, fieldsOf(overTheWire(state)));
      this.#textLengths.set(uri, this.text(uri).length);
      this.#seen.set(uri, Number(fromSeq));
      this.#lastSeen = Math.max(this.#lastSeen, Number(fromSeq));
    }
    for (const envelope of listOf(actions)) this.#takeEnvelope(envelope);
  }

  #takeEnvelope({ channel, action, serverSeq, origin, rejectionReason }: WireFields): void {
    const { clientId, clientSeq } = fieldsOf(origin);
    const isOwn = clientId === this.clientId;
    if (isOwn) this.#unanswered = this.#unanswered.filter((each) => each.clientSeq !== clientSeq);
    const number = Number(serverSeq);
    this.#lastSeen = Math.max(this.#lastSeen, number);
    if (rejectionReason !== undefined) {
      if (isOwn) this.refusals.push(textOf(rejectionReason));
      return;
    }
    const uri = textOf(channel ?? fieldsOf(action)["terminal"] ?? this.dialect.rootUri);
    const taken = overTheWire(action) as ReferenceAction;
    // What is typed changes nothing, and its answer has the number of something else.
    if (taken.type === "terminal/input") return;
    if (number <= (this.#seen.get(uri) ?? 0)) {
      this.repeats += 1;
      return;
    }
    this.#seen.set(uri, number);
    if (taken.type === "terminal/cleared" && origin === undefined) this.catchUps += 1;
    this.#reduce(uri, taken);
  }

  #reduce(uri: string, action: ReferenceAction): void {
    const before = this.#states.get(uri);
    if (before === undefined) return;
    const reduce: ReferenceReducer = action.type.startsWith("root/") ? reduceWireRoot : reduceWireTerminal;
    this.#states.set(uri, reduce(before, action, this.dialect.reference));
    if (action.type === "terminal/cleared") this.#textLengths.set(uri, 0);
    if (action.type === "terminal/data") this.#noteText(uri, textOf(action["data"]).length);
  }

  /** Drops the oldest text once there is twice as much as is kept, so that it costs little. */
  #noteText(uri: string, length: number): void {
    const { keptText = Number.POSITIVE_INFINITY } = this.#options;
    const total = (this.#textLengths.get(uri) ?? 0) + length;
    this.#textLengths.set(uri, total);
    if (total <= 2 * keptText) return;
    const state = this.state(uri);
    const content: WireFields[] = [];
    let left = keptText;
    for (const part of listOf(state["content"]).toReversed()) {
      if (left <= 0) break;
      const field = part["type"] === "command" ? "output" : "value";
      const text = textOf(part[field]).slice(-left);
      left -= text.length;
      content.unshift({ ...part, [field]: text });
    }
    this.#states.set(uri, { ...state, content });
    this.#textLengths.set(uri, keptText - left);
  }
}

/** The text of a terminal's state. */
function textOfContent(state: WireFields): string {
  return listOf(state["content"])
    .map((part) => textOf(part[part["type"] === "command" ? "output" : "value"]))
    .join("");
}
