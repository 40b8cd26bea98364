// A client of the app API as both families of SDKs behave: a JSON content type on everything, JSON read from everything.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { EventParser, type Frame } from "./event-parser.ts";

/** An answer; that it is JSON was checked. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request may have. */
export interface RequestOptions {
  readonly body?: unknown;
  /** Sent as it is, where the body is to be no JSON. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client of one server. */
export class ApiClient {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** An empty token is not sent; other headers go with every request. */
  constructor(url: string, token: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.#headers = { ...(token !== "" && { "x-api-key": token }), ...headers };
  }

  /** Sends a request and reads its JSON answer; any other answer throws. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const response = await this.#fetch(method, path, options);
    if (!response.headers.get("content-type")?.startsWith("application/json")) {
      throw new Error(`${method} ${path} gave no JSON: ${response.status} ${await response.text()}`);
    }
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Reply["body"],
    };
  }

  /** Creates a session and gives its key. */
  async createSession(options: object = {}): Promise<string> {
    const { body } = await this.send("POST", "/sdk/acp/session", { body: { agent_id: "shell", ...options } });
    return (body["session"] as { session_key: string }).session_key;
  }

  /** Begins a streamed turn; resolves when the stream is open. */
  stream(key: string, message = "hi", headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    const path = `/sdk/acp/session/${encodeURIComponent(key)}/chat/stream`;
    return this.open("POST", path, { body: { message }, headers });
  }

  /** Follows a session; `query` as it stands in the address. */
  follow(key: string, query = ""): Promise<EventStream> {
    return this.open("GET", `/sdk/acp/session/${encodeURIComponent(key)}/events${query}`);
  }

  /** Opens any stream; resolves when it is open, and throws what is answered instead. */
  async open(method: string, path: string, options: RequestOptions = {}): Promise<EventStream> {
    const abort = new AbortController();
    const response = await this.#fetch(method, path, options, abort.signal);
    if (response.body === null || response.status !== 200) throw new Error(await response.text());
    return new EventStream(response.headers, response.body, abort);
  }

  #fetch(
    method: string,
    path: string,
    { body, text, headers }: RequestOptions,
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: { "content-type": "application/json", ...this.#headers, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(text !== undefined && { body: text }),
      ...(signal && { signal }),
    });
  }
}

/** A stream as a client reads it. */
export class EventStream implements AsyncIterable<Frame> {
  readonly headers: Headers;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #abort: AbortController;
  readonly #parser = new EventParser();
  readonly #decoder = new TextDecoder();
  readonly #frames: Frame[] = [];

  constructor(headers: Headers, body: AsyncIterable<Uint8Array>, abort: AbortController) {
    this.headers = headers;
    this.#chunks = body[Symbol.asyncIterator]();
    this.#abort = abort;
  }

  /** The comments so far, heartbeats among them. */
  get comments(): readonly string[] {
    return this.#parser.comments;
  }

  /** The next frame; undefined at the end. */
  async next(): Promise<Frame | undefined> {
    while (this.#frames.length === 0) if (!(await this.#readChunk())) return undefined;
    return this.#frames.shift();
  }

  /** Reads until a comment has come. */
  async comment(): Promise<string> {
    while (this.comments.length === 0) if (!(await this.#readChunk())) throw new Error("No comment came");
    return this.comments[0] ?? "";
  }

  /** The rest of the stream, to its end. */
  async rest(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this) frames.push(frame);
    return frames;
  }

  /** The bytes of the rest of the stream, unread. */
  async bytes(): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for (let next = await this.#chunks.next(); next.done !== true; next = await this.#chunks.next()) {
      chunks.push(next.value);
    }
    return Buffer.concat(chunks);
  }

  /** Goes away without a word. */
  abort(): void {
    this.#abort.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    for (let frame = await this.next(); frame !== undefined; frame = await this.next()) yield frame;
  }

  async #readChunk(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) {
      this.#parser.end();
      return false;
    }
    this.#frames.push(...this.#parser.push(this.#decoder.decode(value, { stream: true })));
    return true;
  }
}

/** Sends a request with headers that `fetch` would not send, and gives status and JSON. */
export async function sendRaw(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<{ status: number | undefined; body: Record<string, unknown> }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { method, headers }, resolve).on("error", reject).end();
  });
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, body: JSON.parse(text) as Record<string, unknown> };
}
