// One AHP client on a WebSocket, from its first message to its last.
import { type Dialect, v1_0 } from "@holdfast/ahp/dialects";
import {
  Connection,
  ErrorCode,
  joinChunks,
  messageFraming,
  type MessageSink,
  RpcError,
  WarningLimit,
} from "@holdfast/jsonrpc";
import { type ConnectedClient, LIMITS } from "@holdfast/protocol";
import type { RawData, WebSocket } from "ws";
import type { Refusals } from "../auth/refusals.ts";
import { type AcceptedSocket, type ClientSocket, CLOSE_CODE } from "../socket/client-sockets.ts";
import { InboundMessages } from "../socket/inbound.ts";
import { SocketWriter } from "../socket/socket-writer.ts";
import type { ClientConnection, ClientRecord } from "./client-record.ts";
import { ClientSubscriptions } from "./client-subscriptions.ts";
import { Dispatcher } from "./dispatcher.ts";
import { type HandledMethod, handleRequest, type RequestHandlers } from "./handlers.ts";
import { type Handshake, type HandshakeDeps, initialize, reconnect } from "./handshake.ts";
import type { ResourceWatches } from "./resource-watches.ts";
import type { StartProgress } from "./start-progress.ts";
import { errorWithoutId, toRpcError } from "./rpc-error.ts";

export interface ConnectionDeps extends HandshakeDeps {
  readonly watches: ResourceWatches;
  readonly starts: StartProgress;
  readonly handlers: RequestHandlers;
  readonly refusals: Refusals;
  readonly now: () => Date;
}

interface Accepted extends AcceptedSocket {
  /** Names the credential that it was opened with. */
  readonly principal: string;
}

type State =
  | { readonly name: "new" }
  /** `initialize` or `reconnect` is being handled. */
  | { readonly name: "greeting" }
  | { readonly name: "open"; readonly subscriptions: ClientSubscriptions; readonly dispatcher: Dispatcher }
  | { readonly name: "closed" };

const maxRequests = 256;

/** A connection. It ends with its WebSocket. */
export class AhpConnection implements ClientConnection, ClientSocket {
  readonly #deps: ConnectionDeps;
  readonly #webSocket: WebSocket;
  /** Whether the host closed it, so that the client's code only repeats the host's. */
  #isClosedHere = false;
  readonly #principal: string;
  readonly #socket: SocketWriter;
  readonly #rpc: Connection;
  readonly #inbound: InboundMessages;
  readonly #warnings: WarningLimit;
  readonly #connectedAt: Date;
  #state: State = { name: "new" };
  /** Resolves when `initialize` or `reconnect` was handled. */
  #introduced: Promise<void> = Promise.resolve();
  #isAlive = true;

  constructor(deps: ConnectionDeps, { webSocket, socket, principal }: Accepted) {
    this.#deps = deps;
    this.#webSocket = webSocket;
    this.#principal = principal;
    this.#connectedAt = deps.now();
    this.#inbound = new InboundMessages(webSocket, (message) => this.#rpc.push(message.toString("utf8")));
    this.#socket = new SocketWriter({
      webSocket,
      socket,
      reading: this.#inbound,
      onRoom: () => this.#subscriptions?.delivery.drained(),
    });
    this.#warnings = new WarningLimit((line) => void deps.report(new Error(line)));
    this.#rpc = new Connection({
      framing: messageFraming(),
      sink: this.#sink(),
      source: this.#inbound.handling,
      requests: this.#requests(),
      notifications: {
        unsubscribe: (params) => this.#unsubscribe(params),
        dispatchAction: (params) => this.#dispatch(params),
      },
      orderKey: orderOf,
      limits: { incomingRequests: maxRequests, nestedLevels: LIMITS.nestedLevels },
      onWarning: (warning) => {
        if (warning.kind !== "handler-failed") return;
        const { method, error } = warning;
        this.#warnings.add(() => `${method} failed: ${error instanceof Error ? error.stack : String(error)}`);
      },
    });
    webSocket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    webSocket.on("pong", () => (this.#isAlive = true));
    webSocket.on("close", (code) => this.#inbound.end(() => this.#ended(code)));
    // The WebSocket sends a close code that names the error; its close event follows.
    webSocket.on("error", () => {});
  }

  /** Undefined until `initialize` or `reconnect`. */
  get client(): ConnectedClient | undefined {
    const subscriptions = this.#subscriptions;
    if (subscriptions === undefined) return undefined;
    const { clientId, principal, dialect, info } = subscriptions.record;
    return {
      clientId,
      ...info,
      // As versions are written: `v0_10` is a name for programs.
      dialect: dialect.name.replace(/^v(?=\d)/, "").replaceAll("_", "."),
      principal,
      connectedAt: this.#connectedAt.toISOString(),
      channelCount: subscriptions.size,
    };
  }

  /** Asks for a sign of life; a client that gave none since the last time is taken for gone, unless it was not read. */
  checkLife(): void {
    if (!this.#isAlive && !this.#inbound.isBehind) return this.#webSocket.terminate();
    this.#isAlive = false;
    this.#webSocket.ping();
  }

  /** Sends a heartbeat to a client of the `holdfast` dialect; a client that is behind has enough to read. */
  beat(frame: Buffer): void {
    if (this.#subscriptions?.dialect.name === "holdfast" && this.#socket.hasRoom) this.#socket.write(frame);
  }

  close(code: number, reason: string): void {
    this.#isClosedHere = true;
    this.#webSocket.close(code, reason);
    if (code !== CLOSE_CODE.revoked) return;
    this.#inbound.drop();
    this.#end();
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  replace(): void {
    this.close(CLOSE_CODE.replaced, "The same client has connected again.");
    this.#end();
  }

  get #subscriptions(): ClientSubscriptions | undefined {
    return this.#state.name === "open" ? this.#state.subscriptions : undefined;
  }

  get #dialect(): Dialect {
    return this.#subscriptions?.dialect ?? v1_0;
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (isBinary || !Buffer.isBuffer(data)) {
      this.close(CLOSE_CODE.unsupportedData, "Send one JSON message per text frame.");
      return;
    }
    this.#inbound.receive(data);
  }

  #sink(): MessageSink {
    return {
      write: (chunks) => {
        const message = joinChunks(chunks);
        this.#socket.writeText(typeof message === "string" ? message : new TextDecoder().decode(message));
        return true;
      },
      onDrain: () => {
        // It takes every answer: a client that does not read them is not listened to.
      },
    };
  }

  #requests(): Record<string, (params: unknown) => unknown> {
    const names = Object.keys(this.#deps.handlers) as HandledMethod[];
    const handled = names.map((name) => [name, (params: unknown) => this.#handle(name, params)] as const);
    return {
      ping: () => null,
      initialize: (params) => this.#introduce(this.#greet(initialize, params)),
      reconnect: (params) => this.#introduce(this.#greet(reconnect, params)),
      ...Object.fromEntries(handled),
    };
  }

  #introduce(answer: Promise<object>): Promise<unknown> {
    const translated = this.#translate(answer);
    // The answer itself is written first.
    this.#introduced = translated.then(nextTick, nextTick);
    return translated;
  }

  /** Only an initialized client gets responses (E66); a request sent together with `initialize` waits for it (E114). */
  async #handle(method: HandledMethod, params: unknown): Promise<unknown> {
    if (this.#state.name === "greeting") await this.#introduced;
    const subscriptions = this.#subscriptions;
    if (subscriptions === undefined) throw notIntroduced(method);
    const { handlers, port } = this.#deps;
    return this.#translate(
      handleRequest(handlers, port.hub.recording, subscriptions, method, params),
      method,
    );
  }

  #dispatch(params: unknown): void | Promise<void> {
    switch (this.#state.name) {
      case "greeting":
        return this.#introduced.then(() => this.#dispatch(params));
      case "open":
        return this.#state.dispatcher.take(params);
      case "new": {
        // An echo would need a client.
        return this.#socket.writeText(errorWithoutId(notIntroduced("dispatchAction")));
      }
      case "closed":
    }
  }

  async #translate(answer: Promise<unknown>, method = "initialize"): Promise<unknown> {
    try {
      return await answer;
    } catch (error) {
      const by = `client ${this.#principal}`;
      this.#deps.refusals.note(error, { request: `AHP ${method}`, by, hasCredential: true });
      throw toRpcError(error, this.#dialect, this.#deps.report);
    }
  }

  async #greet(handshake: Handshake, params: unknown): Promise<object> {
    if (this.#state.name !== "new") {
      throw new RpcError(ErrorCode.invalidRequest, "This connection is already initialized.");
    }
    this.#state = { name: "greeting" };
    try {
      return await handshake(this.#deps, this.#principal, params, (...opening) => this.#open(...opening));
    } catch (error) {
      this.#failGreeting(error);
      throw error;
    }
  }

  /** A client that speaks nothing known is sent away once it has its answer; any other may try again. */
  #failGreeting(error: unknown): void {
    if (this.#state.name !== "greeting") return;
    this.#state = { name: "new" };
    if (!(error instanceof RpcError) || error.code !== v1_0.errorNumbers.unsupportedProtocolVersion) return;
    setImmediate(() => this.close(CLOSE_CODE.unsupportedVersion, error.message));
  }

  #open(record: ClientRecord, how: "begin" | "resume"): ClientSubscriptions {
    if (this.#state.name !== "greeting") {
      throw new RpcError(ErrorCode.invalidRequest, "The connection is closed.");
    }
    const subscriptions: ClientSubscriptions = new ClientSubscriptions({
      ...this.#deps,
      record,
      socket: this.#socket,
      onWritten: (entry, written) => dispatcher.written(entry, written),
      onLeft: (uri) => dispatcher.left(uri),
      onOverflow: () => this.close(CLOSE_CODE.tryAgainLater, "Too slow. Reconnect to continue."),
    });
    const dispatcher = new Dispatcher({ ...this.#deps, socket: this.#socket }, subscriptions);
    this.#deps.records[how](record, this);
    this.#state = { name: "open", subscriptions, dispatcher };
    return subscriptions;
  }

  #unsubscribe(params: unknown): void {
    const subscriptions = this.#subscriptions;
    if (subscriptions === undefined) return;
    const read = subscriptions.dialect.readRequest("unsubscribe", params);
    if (!read.ok) return;
    const { channel } = read.value;
    this.#deps.watches.unsubscribe(channel, subscriptions);
    this.#deps.telemetry.unsubscribe(channel, subscriptions);
    this.#deps.reviews.unsubscribe(channel, subscriptions);
    subscriptions.delivery.drop(channel);
    const found = this.#deps.channels.findNow(subscriptions.dialect, channel);
    if (found) subscriptions.unsubscribe(found);
  }

  #ended(code: number): void {
    // A browser says so when its tab is closed or shows another page: nobody is there any more (Z710).
    const hasLeft = code === CLOSE_CODE.goingAway && !this.#isClosedHere;
    const { record } = this.#subscriptions ?? {};
    this.#end();
    if (hasLeft && record !== undefined) this.#deps.records.goneForGood(record);
  }

  #end(): void {
    const state = this.#state;
    this.#state = { name: "closed" };
    this.#rpc.end();
    this.#warnings.close();
    if (state.name !== "open") return;
    const { subscriptions } = state;
    this.#deps.watches.leave(subscriptions);
    this.#deps.telemetry.leave(subscriptions);
    this.#deps.starts.leave(subscriptions);
    this.#deps.reviews.leave(subscriptions);
    this.#deps.records.leave(subscriptions.record, this, subscriptions.leave());
  }
}

function notIntroduced(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `Send initialize before ${method}.`);
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Actions on one channel run in order, and no state is sent while another one is being prepared. */
function orderOf(method: string, params: unknown): string | undefined {
  switch (method) {
    case "initialize":
    case "reconnect":
    case "subscribe":
    case "unsubscribe":
      return "subscriptions";
    case "dispatchAction":
      return `actions ${channelOf(params)}`;
    default:
      return undefined;
  }
}

function channelOf(params: unknown): string {
  const { channel, action } = (params ?? {}) as { readonly channel?: unknown; readonly action?: unknown };
  const { session, terminal } = (action ?? {}) as { readonly session?: unknown; readonly terminal?: unknown };
  return [channel, session, terminal].find((uri) => typeof uri === "string") ?? "";
}
