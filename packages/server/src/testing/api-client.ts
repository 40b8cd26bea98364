// HTTP client of tests: requests, raw sockets and event streams.
import { type IncomingMessage, request as httpRequest } from "node:http";

/** One frame of a stream. */
export interface Frame {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly id: string | undefined;
}

/** A parser for one stream. */
export class EventParser {
  readonly comments: string[] = [];
  #rest = "";
  #event: string | undefined;
  #data: string | undefined;
  #id: string | undefined;

  /** Takes more text and gives the frames that it completes. */
  push(text: string): Frame[] {
    // Python's clients split lines at these too.
    if (/[\u0085\u2028\u2029\v\f]/.test(text)) throw new Error("A bare line separator would split a line");
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#readLine(line));
  }

  /** The stream has ended; an unterminated tail would have been lost. */
  end(): void {
    if (this.#rest !== "" || this.#event !== undefined || this.#data !== undefined) {
      throw new Error(`The stream ends in mid-frame: ${JSON.stringify(this.#rest)}`);
    }
  }

  #readLine(line: string): Frame[] {
    if (line === "") return this.#dispatch();
    if (line.startsWith(":")) this.comments.push(line.slice(1).trim());
    else if (line.startsWith("event: ")) this.#event = onlyOnce("event", this.#event, line.slice(7));
    else if (line.startsWith("id: ")) this.#id = onlyOnce("id", this.#id, line.slice(4));
    else if (line.startsWith("data: ")) {
      if (this.#event === undefined) throw new Error("Data before its event line");
      this.#data = onlyOnce("data", this.#data, line.slice(6));
    } else if (line !== "retry: 100") throw new Error(`No client knows this line: ${JSON.stringify(line)}`);
    return [];
  }

  #dispatch(): Frame[] {
    const event = this.#event;
    const data = this.#data;
    const id = this.#id;
    this.#event = undefined;
    this.#data = undefined;
    this.#id = undefined;
    if (event === undefined && data === undefined) return [];
    if (event === undefined || data === undefined) throw new Error("A frame needs an event and its data");
    return [{ event, data: JSON.parse(data) as Frame["data"], id }];
  }
}

function onlyOnce(name: string, before: string | undefined, value: string): string {
  if (before !== undefined) throw new Error(`A frame has two ${name} lines`);
  return value;
}

/** An answer; that it is JSON was checked. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

interface RequestOptions {
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
class EventStream implements AsyncIterable<Frame> {
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
