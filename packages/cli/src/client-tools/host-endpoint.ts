// The host's MCP server of lent tools, as the bridge reaches it: requests that outlive a restart of the host, and the stream.
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface EndpointOptions {
  readonly url: string;
  readonly token: string;
  /** How long a request waits for a host that is away. */
  readonly awayMs: number;
}

/** A response of the host. */
export interface EndpointResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Why the host gave no response. */
export type EndpointProblem = "CLIENT_TOOL_HOST_AWAY" | "CLIENT_TOOL_NO_ACCESS" | "CLIENT_TOOL_TOO_LARGE";

export class EndpointError extends Error {
  override readonly name = "EndpointError";
  readonly code: EndpointProblem;

  constructor(code: EndpointProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** A request that takes longer was taken: a connection to an address where nobody listens fails at once. */
const servedMs = 1000;
const retry = { firstMs: 50, lastMs: 1000 };
/** Between attempts to open the stream: nobody waits for it. */
const streamRetry = { firstMs: 50, lastMs: 5000 };
const maxResponseBytes = 16 * 1024 * 1024;
/** A line of the stream has a message of a hundred bytes. */
const maxStreamLineBytes = 64 * 1024;
const ok = 200;
const unauthorized = 401;
const tooManyRequests = 429;
const serverErrors = 500;
/** A host that stops, or a port that something else has for a moment. */
const awayStatuses = new Set([502, 503, 504]);

export class HostEndpoint {
  readonly #options: EndpointOptions;
  /** A separate one: the global agent may send requests to a proxy. */
  readonly #agent = new Agent({ keepAlive: true });
  /** Headers that later requests have, by what `initialize` agreed on. */
  #agreed: Readonly<Record<string, string>> = {};

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** Sends these headers from now on. */
  agree(headers: Readonly<Record<string, string>>): void {
    this.#agreed = headers;
  }

  /**
   * Sends a message, again and again while the host is away. No message acts twice: a call has a key by which every
   * host knows it.
   */
  async post(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<EndpointResponse> {
    const { awayMs, url } = this.#options;
    const all = {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    let awaySinceMs: number | undefined;
    for (let waitMs = retry.firstMs; ; waitMs = Math.min(waitMs * 2, retry.lastMs)) {
      const sentAtMs = performance.now();
      const response = await this.#send(body, all, signal).catch((error: unknown) => toAway(error, signal));
      if (!(response instanceof Error)) return response;
      const failedAtMs = performance.now();
      // The host was there, perhaps for an hour.
      if (failedAtMs - sentAtMs > servedMs) {
        awaySinceMs = undefined;
        waitMs = retry.firstMs;
      }
      awaySinceMs ??= failedAtMs;
      if (failedAtMs - awaySinceMs > awayMs) {
        const sentence = `The host at ${new URL(url).origin} has been away for ${awayMs / 1000} s.`;
        throw new EndpointError("CLIENT_TOOL_HOST_AWAY", sentence, response);
      }
      await sleep(waitMs, undefined, { signal });
    }
  }

  /** Holds the stream until the signal, or until the token is not valid any more; calls back with each message, and when the stream is back. */
  async follow(onMessage: (text: string) => void, onBack: () => void, signal: AbortSignal): Promise<void> {
    let isBack = false;
    for (
      let waitMs = streamRetry.firstMs;
      !signal.aborted;
      waitMs = Math.min(waitMs * 2, streamRetry.lastMs)
    ) {
      try {
        const response = await this.#open("GET", { accept: "text/event-stream" }, signal);
        if (response.statusCode === ok) {
          if (isBack) onBack();
          isBack = true;
          waitMs = streamRetry.firstMs;
          await readEvents(response, onMessage);
        } else {
          response.resume();
          if (isFinal(response.statusCode ?? 0)) return;
        }
      } catch {
        // The host is away; a request that waits for it reports it.
      }
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<EndpointResponse> {
    const response = await this.#open("POST", headers, signal, body);
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxResponseBytes) {
        throw new EndpointError("CLIENT_TOOL_TOO_LARGE", `A response has at most ${maxResponseBytes} bytes.`);
      }
      chunks.push(chunk);
    }
    const status = response.statusCode ?? 0;
    if (status === unauthorized) throw new EndpointError("CLIENT_TOOL_NO_ACCESS", noAccess);
    if (awayStatuses.has(status)) throw new Error(`The host answered with status ${status}.`);
    return { status, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") };
  }

  #open(
    method: "GET" | "POST",
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: string,
  ): Promise<IncomingMessage> {
    const { url, token } = this.#options;
    const all = { ...this.#agreed, ...headers, authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      const asked = request(url, { method, headers: all, agent: this.#agent, signal });
      asked.once("response", resolve);
      // Also after the response: it fails then, too.
      asked.on("error", reject);
      asked.end(body);
    });
  }
}

const noAccess =
  "The host does not accept the token of this session's tools: the session was closed, or its agent was started again.";

/** An error that may pass is returned; all others are thrown. */
function toAway(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted || error instanceof EndpointError) throw error;
  return error instanceof Error ? error : new Error(String(error));
}

function isFinal(status: number): boolean {
  return status !== tooManyRequests && status < serverErrors;
}

/** The data of each event, which the host writes on one line. */
async function readEvents(response: IncomingMessage, onMessage: (text: string) => void): Promise<void> {
  let rest = "";
  response.setEncoding("utf8");
  for await (const text of response as AsyncIterable<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxStreamLineBytes) throw new Error("The stream has a line that is too long.");
    for (const line of lines) if (line.startsWith("data: ")) onMessage(line.slice("data: ".length));
  }
}
