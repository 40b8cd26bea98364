// One client at the other end of a WebSocket, from its first word to its last.
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import {
  Connection,
  ErrorCode,
  joinChunks,
  messageFraming,
  RpcError,
  type MessageSink,
} from "@holdfast/jsonrpc";
import { v1_0, type Dialect } from "@holdfast/ahp/dialects";
import type { ConnectedClient } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import type { ChannelViews } from "./channel-views.ts";
import type { Channels } from "./channels.ts";
import { ClientRecord } from "./client-record.ts";
import type { ClientConnection, ClientRecords } from "./client-records.ts";
import { CLOSE_CODE } from "./close-code.ts";
import { Conversation } from "./conversation.ts";
import { Dispatcher } from "./dispatcher.ts";
import { findAll, greet, readIntroduction, readReturn, takeUp } from "./handshake.ts";
import { handleRequest, type HandledMethod, type RequestHandlers } from "./handlers.ts";
import { InboundLimit } from "./inbound-limit.ts";
import { orderOf } from "./message-order.ts";
import { Outlet } from "./outlet.ts";
import { toRpcError } from "./rpc-error.ts";

/** What all connections share. */
export interface ConnectionTools {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly views: ChannelViews;
  readonly records: ClientRecords;
  readonly handlers: RequestHandlers;
  readonly version: string;
  readonly report: (error: unknown) => string;
  readonly now: () => Date;
}

/** What a connection is made from. */
export interface Accepted {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  /** Names the credential that it was opened with. */
  readonly principal: string;
}

type State =
  | { readonly name: "new" }
  /** The first words are being answered. */
  | { readonly name: "greeting" }
  | { readonly name: "open"; readonly conversation: Conversation; readonly dispatcher: Dispatcher }
  | { readonly name: "closed" };

/** Requests that may be open at once. */
const maxRequests = 256;

/** A connection. It ends with its WebSocket. */
export class AhpConnection implements ClientConnection {
  readonly #tools: ConnectionTools;
  readonly #webSocket: WebSocket;
  readonly #principal: string;
  readonly #outlet: Outlet;
  readonly #rpc: Connection;
  readonly #limit: InboundLimit;
  readonly #connectedAt: Date;
  #state: State = { name: "new" };
  /** Resolves when the first words are answered. */
  #introduced: Promise<void> = Promise.resolve();
  #isAlive = true;

  constructor(tools: ConnectionTools, { webSocket, socket, principal }: Accepted) {
    this.#tools = tools;
    this.#webSocket = webSocket;
    this.#principal = principal;
    this.#connectedAt = tools.now();
    this.#outlet = new Outlet(webSocket, socket, () => this.#conversation?.delivery.drained());
    this.#limit = new InboundLimit(webSocket);
    this.#rpc = new Connection({
      framing: messageFraming(),
      sink: this.#sink(),
      requests: this.#requests(),
      notifications: {
        unsubscribe: (params) => this.#unsubscribe(params),
        dispatchAction: (params) => this.#dispatch(params),
      },
      orderKey: orderOf,
      limits: { incomingRequests: maxRequests },
      onWarning: (warning) => {
        if (warning.kind === "handler-failed") tools.report(warning.error);
      },
    });
    webSocket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    webSocket.on("pong", () => (this.#isAlive = true));
    webSocket.on("close", () => this.#end());
    // What was wrong is in the close code that the WebSocket sends by itself; its close comes next.
    webSocket.on("error", () => {});
  }

  /** Who is at the other end; undefined until it has introduced itself. */
  get client(): ConnectedClient | undefined {
    const conversation = this.#conversation;
    if (conversation === undefined) return undefined;
    const { clientId, principal, dialect, info } = conversation.record;
    return {
      clientId,
      ...info,
      // As versions are written: `v0_10` is a name for programs.
      dialect: dialect.name.replace(/^v(\d+)_/, "$1."),
      principal,
      connectedAt: this.#connectedAt.toISOString(),
      channelCount: conversation.size,
    };
  }

  /** Asks for a sign of life; a client that gave none since the last time is taken for gone. */
  checkLife(): void {
    if (!this.#isAlive) return this.#webSocket.terminate();
    this.#isAlive = false;
    this.#webSocket.ping();
  }

  /** Ends it with a reason. */
  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
  }

  /** Cuts it off. */
  terminate(): void {
    this.#webSocket.terminate();
  }

  replace(): void {
    this.close(CLOSE_CODE.replaced, "The same client has connected anew.");
    this.#end();
  }

  get #conversation(): Conversation | undefined {
    return this.#state.name === "open" ? this.#state.conversation : undefined;
  }

  get #dialect(): Dialect {
    return this.#conversation?.dialect ?? v1_0;
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (isBinary || !Buffer.isBuffer(data)) {
      this.close(CLOSE_CODE.unsupportedData, "One JSON message in each text frame, please.");
      return;
    }
    this.#limit.take(data.length);
    this.#rpc.push(data.toString("utf8"));
  }

  #sink(): MessageSink {
    return {
      write: (chunks) => {
        const message = joinChunks(chunks);
        this.#outlet.writeText(typeof message === "string" ? message : new TextDecoder().decode(message));
        return true;
      },
      onDrain: () => {
        // It takes every answer: a client that does not read them is not listened to.
      },
    };
  }

  #requests(): Record<string, (params: unknown) => unknown> {
    const names = Object.keys(this.#tools.handlers) as HandledMethod[];
    const handled = names.map((name) => [name, (params: unknown) => this.#handle(name, params)] as const);
    return {
      ping: () => null,
      initialize: (params) => this.#introduce(this.#initialize(params)),
      reconnect: (params) => this.#introduce(this.#reconnect(params)),
      ...Object.fromEntries(handled),
    };
  }

  #introduce(answer: Promise<object>): Promise<unknown> {
    const translated = this.#translate(answer);
    // The answer itself is written first.
    this.#introduced = translated.then(nextTurn, nextTurn);
    return translated;
  }

  /** Only a client that has introduced itself is answered (E66); who asks in the same breath waits for that (E114). */
  async #handle(method: HandledMethod, params: unknown): Promise<unknown> {
    if (this.#state.name === "greeting") await this.#introduced;
    const conversation = this.#conversation;
    if (conversation === undefined) throw notIntroduced(method);
    return this.#translate(handleRequest(this.#tools.handlers, conversation, method, params));
  }

  #dispatch(params: unknown): void | Promise<void> {
    switch (this.#state.name) {
      case "greeting":
        return this.#introduced.then(() => this.#dispatch(params));
      case "open":
        return this.#state.dispatcher.take(params);
      case "new": {
        // A notification has no answer, and an echo would need a client; as with what is no JSON, the error has no id.
        const { code, message } = notIntroduced("dispatchAction");
        const error = { jsonrpc: "2.0", id: null, error: { code, message } };
        return this.#outlet.writeText(JSON.stringify(error));
      }
      case "closed":
    }
  }

  async #translate(answer: Promise<unknown>): Promise<unknown> {
    try {
      return await answer;
    } catch (error) {
      throw toRpcError(error, this.#dialect, this.#tools.report);
    }
  }

  async #initialize(params: unknown): Promise<object> {
    const { channels, records, version, port } = this.#tools;
    this.#beginGreeting();
    try {
      const introduction = readIntroduction(params);
      const { clientId, info, negotiation, initialSubscriptions } = introduction;
      if (!records.isFree(clientId, this.#principal)) {
        const { permissionDenied } = negotiation.dialect.errorNumbers;
        throw new RpcError(permissionDenied, "This clientId belongs to somebody else. Choose another one.");
      }
      const found = await findAll(channels, negotiation.dialect, initialSubscriptions);
      const record = new ClientRecord(clientId, this.#principal, negotiation.dialect, info);
      const conversation = this.#open(record, () => records.begin(record, this));
      // Which agents there are may have changed since somebody last looked.
      void port.tellAgents().catch((error: unknown) => this.#tools.report(error));
      return greet(conversation, introduction, found, { channels, version });
    } catch (error) {
      this.#failGreeting(error);
      throw error;
    }
  }

  async #reconnect(params: unknown): Promise<object> {
    const { channels, records, port, views } = this.#tools;
    this.#beginGreeting();
    try {
      const back = readReturn(params);
      const record = records.find(back.clientId, this.#principal);
      if (record === undefined) {
        throw new RpcError(
          this.#dialect.errorNumbers.notFound,
          "This client is not known here. Use initialize.",
        );
      }
      const found = await findAll(channels, record.dialect, back.subscriptions);
      const conversation = this.#open(record, () => records.resume(record, this));
      const { left } = record;
      record.left = undefined;
      const answer = takeUp(conversation, channels, back, found, left);
      for (const view of left?.views ?? []) views.giveBack(view);
      port.sessions.removeClient(record.clientId, new Set(found.map((each) => each?.uri ?? "")));
      return answer;
    } catch (error) {
      this.#failGreeting(error);
      throw error;
    }
  }

  #beginGreeting(): void {
    if (this.#state.name !== "new") {
      throw new RpcError(ErrorCode.invalidRequest, "This connection has been introduced already.");
    }
    this.#state = { name: "greeting" };
  }

  /** A client that speaks nothing known is sent away once it has its answer; any other may try again. */
  #failGreeting(error: unknown): void {
    if (this.#state.name !== "greeting") return;
    this.#state = { name: "new" };
    if (!(error instanceof RpcError) || error.code !== v1_0.errorNumbers.unsupportedProtocolVersion) return;
    setImmediate(() => this.close(CLOSE_CODE.unsupportedVersion, error.message));
  }

  #open(record: ClientRecord, join: () => void): Conversation {
    if (this.#state.name !== "greeting") {
      throw new RpcError(ErrorCode.invalidRequest, "The connection is over.");
    }
    const conversation: Conversation = new Conversation({
      ...this.#tools,
      record,
      outlet: this.#outlet,
      onWritten: (entry, written) => dispatcher.written(entry, written),
      onLeft: (uri) => dispatcher.left(uri),
      onOverflow: () => this.close(CLOSE_CODE.tryAgainLater, "Too slow: reconnect to go on."),
    });
    const dispatcher = new Dispatcher({ ...this.#tools, outlet: this.#outlet }, conversation);
    join();
    this.#state = { name: "open", conversation, dispatcher };
    return conversation;
  }

  #unsubscribe(params: unknown): void {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const read = conversation.dialect.readRequest("unsubscribe", params);
    const found = read.ok && this.#tools.channels.findNow(conversation.dialect, read.value.channel);
    if (found) conversation.unsubscribe(found);
  }

  #end(): void {
    const state = this.#state;
    this.#state = { name: "closed" };
    this.#limit.close();
    this.#rpc.end();
    if (state.name !== "open") return;
    const { conversation } = state;
    this.#tools.records.leave(conversation.record, this, conversation.leave());
  }
}

function notIntroduced(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `Introduce yourself with initialize before ${method}.`);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
