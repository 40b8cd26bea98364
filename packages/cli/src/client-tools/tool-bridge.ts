// The bridge between an agent's MCP client on stdio and the host's MCP server of lent tools (E826).
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { NdjsonSplitter } from "@holdfast/jsonrpc";
import { EndpointError, type EndpointProblem, type HostEndpoint } from "./host-endpoint.ts";

export interface ToolBridgeParts {
  readonly input: Readable;
  readonly output: Writable;
  readonly endpoint: HostEndpoint;
}

/** The host takes no larger message. */
const maxLineBytes = 1024 * 1024;
/** More than the calls that a host lets wait. */
const maxRequests = 32;
const parseError = -32_700;
const invalidRequest = -32_600;
const hostProblem = -32_000;
const listChanged = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });

type Id = string | number;

/** A message, as far as the bridge looks at it. */
interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly requestId?: Id };
}

export class ToolBridge {
  readonly #parts: ToolBridgeParts;
  /** Requests that wait for the host, by their ids. */
  readonly #open = new Map<Id, AbortController>();
  readonly #over = new AbortController();
  #isFollowing = false;

  constructor(parts: ToolBridgeParts) {
    this.#parts = parts;
  }

  /** Resolves when the agent's input has ended; calls that wait are cancelled then. */
  async run(): Promise<void> {
    const { input, output, endpoint } = this.#parts;
    const splitter = new NdjsonSplitter(
      {
        message: (text) => this.#take(text),
        noise: (text) => this.#take(text),
        tooLong: (head) =>
          this.#fail(idIn(head), invalidRequest, `A message has at most ${maxLineBytes} bytes.`),
      },
      { maxLineBytes },
    );
    try {
      await new Promise<void>((resolve) => {
        input.on("data", (chunk: Buffer) => splitter.push(chunk));
        for (const event of ["end", "error", "close"]) input.once(event, () => resolve());
        // Nobody reads the responses any more.
        output.on("error", () => resolve());
      });
    } finally {
      this.#over.abort();
      for (const left of this.#open.values()) left.abort();
      endpoint.close();
    }
  }

  #take(text: string): void {
    if (text.trim() === "") return;
    const message = readMessage(text);
    if (message === undefined) return this.#fail(null, parseError, "The line is not JSON.");
    if (Array.isArray(message)) return this.#fail(null, invalidRequest, "Batches are not supported.");
    const { id, method, params } = message;
    if (method === "notifications/cancelled") {
      // The host cancels a call whose connection is closed. A second request could overtake the call.
      if (params?.requestId !== undefined) this.#open.get(params.requestId)?.abort();
      return;
    }
    if (id === undefined || method === undefined) {
      void this.#parts.endpoint.post(text, {}, this.#over.signal).catch(ignoreLost);
      return;
    }
    if (this.#open.has(id)) {
      return this.#fail(id, invalidRequest, "A request with this id is waiting already.");
    }
    if (this.#open.size >= maxRequests) {
      return this.#fail(id, hostProblem, `At most ${maxRequests} requests wait at once.`);
    }
    void this.#forward(text, id, method);
  }

  async #forward(text: string, id: Id, method: string): Promise<void> {
    const left = new AbortController();
    this.#open.set(id, left);
    try {
      const { endpoint } = this.#parts;
      const key = method === "tools/call" ? { "idempotency-key": randomUUID() } : undefined;
      const { status, headers, body } = await endpoint.post(text, { ...key }, left.signal);
      const answer = readMessage(body);
      if (answer === undefined || !("jsonrpc" in answer)) {
        return this.#fail(id, hostProblem, `The host answered with status ${status}.`);
      }
      if (method === "initialize") this.#begin(headers["mcp-session-id"], answer);
      this.#write(body);
    } catch (error) {
      // A cancelled request gets no response.
      if (left.signal.aborted) return;
      if (error instanceof EndpointError) this.#failRequest(id, method, error);
      else this.#fail(id, hostProblem, String(error));
    } finally {
      this.#open.delete(id);
    }
  }

  /** The agent is connected: from now on it hears of changes. */
  #begin(sessionId: string | string[] | undefined, answer: object): void {
    const { endpoint } = this.#parts;
    const { result } = answer as { readonly result?: { readonly protocolVersion?: unknown } };
    const version = result?.protocolVersion;
    endpoint.agree({
      ...(typeof sessionId === "string" && { "mcp-session-id": sessionId }),
      ...(typeof version === "string" && { "mcp-protocol-version": version }),
    });
    if (this.#isFollowing || version === undefined) return;
    this.#isFollowing = true;
    // The tools may have changed while the host was away.
    const follow = endpoint.follow(
      (text) => this.#write(text),
      () => this.#write(listChanged),
      this.#over.signal,
    );
    void follow.catch(ignoreLost);
  }

  /** The failure of a call is a result, which the agent's model reads. */
  #failRequest(id: Id, method: string, { code, message }: EndpointError): void {
    if (method !== "tools/call") return this.#fail(id, hostProblem, message, code);
    const content = [{ type: "text", text: message }];
    const result = { content, structuredContent: { error: { code, message } }, isError: true };
    this.#write(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #fail(id: Id | null, code: number, message: string, problem?: EndpointProblem): void {
    const error = { code, message, ...(problem !== undefined && { data: { code: problem } }) };
    this.#write(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  #write(text: string): void {
    const { input, output } = this.#parts;
    if (output.write(`${text}\n`) || input.isPaused()) return;
    // An agent that does not read its responses is not read.
    input.pause();
    output.once("drain", () => input.resume());
  }
}

function readMessage(text: string): Message | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}

function idIn(head: string): Id | null {
  const [, id = "null"] = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(head) ?? [];
  return JSON.parse(id) as Id | null;
}

/** A notification has no response, and a stream that is over is no loss. */
function ignoreLost(): void {}
