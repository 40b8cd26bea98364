// A client of the soak: follows one session by its events, and misbehaves on request.
import { get, type ClientRequest, type IncomingMessage } from "node:http";

/** Events a follower received: the numbers in order, and a digest of each number's frames. */
export interface Heard {
  readonly ids: number[];
  readonly digests: number[];
}

/** Follows a session; after an interruption it resumes after the last number. */
export class Follower {
  readonly heard: Heard = { ids: [], digests: [] };
  readonly #url: string;
  readonly #token: string;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #rest = "";
  /** Frames without a number belong to the next one that has it; cut before it, they come again. */
  #unnumbered = "";
  #isClosed = false;
  connections = 0;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  get lastId(): number {
    return this.heard.ids.at(-1) ?? 0;
  }

  connect(): void {
    if (this.#isClosed) return;
    this.#rest = "";
    this.#unnumbered = "";
    this.connections += 1;
    const after = this.lastId === 0 ? "" : `?after=${this.lastId}`;
    const request = get(`${this.#url}${after}`, { headers: { "x-api-key": this.#token }, agent: false });
    this.#request = request;
    request.on("response", (response) => this.#read(request, response));
    request.on("error", () => this.#again(request));
  }

  /** Reads nothing for a while: the host must neither wait nor remember. */
  stall(timeMs: number): void {
    const response = this.#response;
    response?.pause();
    setTimeout(() => response?.resume(), timeMs);
  }

  /** Is gone without a word, and comes back. */
  vanish(awayMs: number): void {
    const request = this.#request;
    this.#request = undefined;
    this.#response = undefined;
    request?.destroy();
    setTimeout(() => this.connect(), awayMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#request?.destroy();
  }

  #read(request: ClientRequest, response: IncomingMessage): void {
    this.#response = response;
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      if (request === this.#request) this.#take(text);
    });
    response.on("end", () => this.#again(request));
    response.on("error", () => this.#again(request));
  }

  #again(request: ClientRequest): void {
    if (request !== this.#request) return;
    this.#request = undefined;
    setTimeout(() => this.connect(), 20);
  }

  #take(text: string): void {
    this.#rest += text;
    let end = this.#rest.indexOf("\n\n");
    while (end >= 0) {
      this.#takeFrame(this.#rest.slice(0, end));
      this.#rest = this.#rest.slice(end + 2);
      end = this.#rest.indexOf("\n\n");
    }
  }

  #takeFrame(frame: string): void {
    if (frame.startsWith(":")) return;
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    this.#unnumbered += frame;
    if (id === undefined) return;
    this.heard.ids.push(Number(id));
    this.heard.digests.push(digest(this.#unnumbered));
    this.#unnumbered = "";
  }
}

/** FNV-1a. */
function digest(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
