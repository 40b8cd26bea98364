// One ACP connection over streamable HTTP: messages come by POST, and leave by the event streams of the connection and its sessions.
import type { ServerResponse } from "node:http";
import { joinChunks, type MessageChunks, type MessageSink } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import { MAX_MESSAGE_BYTES } from "../socket/client-sockets.ts";
import { InboundPace } from "../socket/inbound.ts";
import { DEAF_BYTES } from "../socket/socket-writer.ts";
import { AcpConnection, type AcpClient, type AcpDeps } from "./acp-connection.ts";
import { MessageStream, type MessageStreamParts } from "./message-stream.ts";
import { membersOf } from "./params.ts";

export interface HttpConnectionParts extends Omit<MessageStreamParts, "onSent"> {
  readonly deps: AcpDeps;
  readonly client: AcpClient;
}

/** The name of the stream for messages that belong to no session. */
const connectionStream = "";
/** Above this, the sessions' updates stay in their logs. */
const roomCharacters = 256 * 1024;
const maxRoutes = 1024;
/** One for each session that it may follow, with some to spare; that of the connection comes on top. */
const maxSessionStreams = 128;
/** How long a message waits for a client to read what it has asked for. */
const roomMs = 10_000;
/** A message that looks like `initialize` and is answered by nothing is wrong. */
const initializeMs = 5000;

/** A connection; `close` ends it and its streams. */
export class HttpConnection {
  readonly connection: AcpConnection;
  readonly #parts: HttpConnectionParts;
  readonly #streams = new Map<string, MessageStream>();
  /** The session of each request that is not answered, by the JSON text of its id. */
  readonly #routes = new Map<string, string>();
  /** The session of each of the host's requests, so that its withdrawal follows it. */
  readonly #asked = new Map<string, string>();
  #waitingCharacters = 0;
  #onDrain: () => void = () => {};
  #isBlocked = false;
  #initialized: ((text: string) => void) | undefined;
  readonly #pace = new InboundPace();
  /** Done when the next message may be handled. */
  #turn: Promise<void> = Promise.resolve();
  #postedCharacters = 0;
  #lastUseMs = performance.now();

  constructor(parts: HttpConnectionParts) {
    this.#parts = parts;
    this.connection = new AcpConnection(parts.deps, parts.client, this.#sink());
  }

  /** How long nobody has used it; 0 while a stream is read. */
  get idleMs(): number {
    const isRead = [...this.#streams.values()].some(({ hasReader }) => hasReader);
    return isRead ? 0 : performance.now() - this.#lastUseMs;
  }

  /** Answers `initialize`, whose response is that of its request. */
  initialize(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new HostError(
            "INVALID_REQUEST",
            "The initialize message got no response. Send it as a request with an id.",
          ),
        );
      }, initializeMs);
      this.#initialized = (answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      this.connection.push(text);
    });
  }

  /** Takes a message of the client in its turn; its response, if it gets one, leaves by a stream. */
  async push(text: string, message: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#postedCharacters > MAX_MESSAGE_BYTES) throw new HostError("RATE_LIMITED");
    this.#postedCharacters += text.length;
    const turn = this.#turn.then(() => this.#waitForRoom());
    const waitMs = turn.then(() => this.#handle(text, message));
    this.#turn = waitMs.then(wait, () => undefined);
    try {
      await waitMs;
    } finally {
      this.#postedCharacters -= text.length;
    }
  }

  /** Handles a message; gives how long the next one waits. */
  #handle(text: string, message: Readonly<Record<string, unknown>>): number {
    this.#lastUseMs = performance.now();
    const { id, method, params } = message;
    const { sessionId } = membersOf(params);
    if (method !== undefined && id !== undefined && typeof sessionId === "string") {
      if (this.#routes.size >= maxRoutes) throw new HostError("RATE_LIMITED");
      this.#routes.set(JSON.stringify(id), sessionId);
    }
    this.connection.push(text);
    return this.#pace.take(text.length);
  }

  /** A client that does not read its responses is not listened to (B50). */
  async #waitForRoom(): Promise<void> {
    const { rpc } = this.connection;
    if (rpc.unsentBytes <= DEAF_BYTES) return;
    const isDrained = await Promise.race([rpc.drained().then(() => true), wait(roomMs).then(() => false)]);
    if (!isDrained) throw new HostError("RATE_LIMITED", "Read the streams of this connection first.");
  }

  /** Streams the messages of a session, or those of the connection, after the last that the reader has. */
  read(sessionId: string | undefined, reader: ServerResponse, lastEventId: number | undefined): void {
    this.#lastUseMs = performance.now();
    this.#stream(sessionId ?? connectionStream).attach(reader, lastEventId);
  }

  close(): void {
    this.connection.close();
    for (const stream of this.#streams.values()) stream.close();
  }

  #sink(): MessageSink {
    return {
      write: (chunks) => this.#write(chunks),
      onDrain: (listener) => (this.#onDrain = listener),
    };
  }

  #write(chunks: MessageChunks): boolean {
    const joined = joinChunks(chunks);
    const text = typeof joined === "string" ? joined : new TextDecoder().decode(joined);
    const answer = this.#initialized;
    if (answer !== undefined) {
      this.#initialized = undefined;
      answer(text);
      return true;
    }
    this.#waitingCharacters += text.length;
    const route = this.#routeOf(text);
    // A message of a session that can have no stream must not be lost, nor end the connection.
    this.#stream(this.#hasRoomFor(route) ? route : connectionStream).append(text);
    this.#isBlocked = this.#waitingCharacters > roomCharacters;
    return !this.#isBlocked;
  }

  /** Responses go where their request belongs, everything else by the session that it names. */
  #routeOf(text: string): string {
    const { id, method, params } = membersOf(JSON.parse(text));
    const { sessionId } = membersOf(params);
    if (method === undefined) return take(this.#routes, id);
    if (method === "$/cancel_request") return take(this.#asked, membersOf(params)["requestId"]);
    if (typeof sessionId !== "string") return connectionStream;
    if (id !== undefined) this.#asked.set(JSON.stringify(id), sessionId);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > maxRoutes && oldest !== undefined) this.#asked.delete(oldest);
    return sessionId;
  }

  #stream(name: string): MessageStream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    if (!this.#hasRoomFor(name)) {
      throw new HostError("RATE_LIMITED", "Too many streams of one connection. Open another connection.");
    }
    const stream = new MessageStream({ ...this.#parts, onSent: (size) => this.#noteSent(size) });
    this.#streams.set(name, stream);
    return stream;
  }

  /** Whether there is such a stream or may be one; those of sessions that the client has left make room. */
  #hasRoomFor(name: string): boolean {
    if (name === connectionStream || this.#streams.has(name)) return true;
    const others = [...this.#streams].filter(([other]) => other !== connectionStream);
    if (others.length < maxSessionStreams) return true;
    const left = others.find(([other, { isIdle }]) => isIdle && !this.connection.isFollowing(other));
    return left !== undefined && this.#streams.delete(left[0]);
  }

  #noteSent(sizeCharacters: number): void {
    this.#waitingCharacters = Math.max(0, this.#waitingCharacters - sizeCharacters);
    if (!this.#isBlocked || this.#waitingCharacters > roomCharacters / 4) return;
    this.#isBlocked = false;
    // A sink that is written to at this moment must return first.
    setImmediate(() => this.#onDrain());
  }
}

function wait(timeMs: number): Promise<void> {
  if (timeMs === 0) return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, timeMs).unref();
  });
}

/** The route of an id, which is needed once. */
function take(routes: Map<string, string>, id: unknown): string {
  const key = JSON.stringify(id);
  const route = routes.get(key);
  routes.delete(key);
  return route ?? connectionStream;
}
