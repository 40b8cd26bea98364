// A model for tests: an HTTP server on loopback that speaks Anthropic's and OpenAI's APIs and says what a script says.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { messagesWriter, modelList, readMessagesRequest, wholeMessage } from "./anthropic.ts";
import { objectOf } from "./json.ts";
import { chatWriter, readChatRequest, wholeCompletion } from "./openai.ts";
import { nameCall, placeOf, type ModelRequest, type ModelStep, type NamedCall } from "./script.ts";

/** A request that the model got for a prompt of a script. */
export interface ScriptedRequest extends ModelRequest {
  readonly prompt: string;
  readonly round: number;
  /** How its answer ended: `open` while it is being sent, `cut` when the agent hung up. */
  answer: "open" | "complete" | "cut";
}

/** Said where no script applies, for example when an agent asks for a title. */
const sideAnswer: ModelStep = { text: ["A title"] };

/** A scripted model. Programs that use it as their proxy reach nothing, and what they tried is kept. */
export class ModelServer {
  readonly #server: Server;
  readonly #scripts = new Map<string, readonly ModelStep[]>();
  readonly #requests: ScriptedRequest[] = [];
  readonly #outside: string[] = [];
  readonly #faults: string[] = [];
  #lastId = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#respond(request, response).catch((error: unknown) => {
        this.#faults.push(String(error));
        response.destroy();
      });
    });
    server.on("connect", (request: IncomingMessage, socket: Duplex) => {
      this.#outside.push(request.url ?? "");
      // The program may hang up first, which is as good.
      socket.on("error", () => undefined).end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
  }

  static async start(): Promise<ModelServer> {
    const server = createServer();
    const model = new ModelServer(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return model;
  }

  /** Its address without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Addresses other than its own that programs tried to reach through it. */
  get outside(): readonly string[] {
    return this.#outside;
  }

  /** Requests that no script could answer. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Says, to a prompt with this mark, one step after another: the next one follows a tool's result. */
  play(prompt: string, steps: readonly ModelStep[]): void {
    this.#scripts.set(prompt, steps);
  }

  /** The requests for a prompt, in order. */
  requests(prompt: string): readonly ScriptedRequest[] {
    return this.#requests.filter((request) => request.prompt === prompt);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? "/";
    if (!target.startsWith("/")) {
      this.#outside.push(target);
      return sendJson(response, 403, { error: { message: "Only the model is reachable" } });
    }
    const { pathname } = new URL(target, this.url);
    const body = objectOf(await readJson(request));
    switch (`${request.method} ${pathname}`) {
      case "POST /v1/messages":
        return this.#reply(readMessagesRequest(body), response);
      case "POST /v1/chat/completions":
        return this.#reply(readChatRequest(body), response);
      case "POST /v1/messages/count_tokens":
        return sendJson(response, 200, { input_tokens: 10 });
      case "GET /v1/models":
        return sendJson(response, 200, modelList);
      default:
        return sendJson(response, 404, { error: { type: "not_found_error", message: pathname } });
    }
  }

  async #reply(request: ModelRequest, response: ServerResponse): Promise<void> {
    const place = placeOf(request);
    const step = place === undefined ? sideAnswer : this.#scripts.get(place.prompt)?.[place.round];
    if (step === undefined) {
      this.#faults.push(`No script for round ${place?.round} of ${place?.prompt}`);
      return sendJson(response, 400, { error: { type: "invalid_request_error", message: "No script" } });
    }
    const scripted: ScriptedRequest | undefined = place && { ...request, ...place, answer: "open" };
    if (scripted !== undefined) this.#requests.push(scripted);
    const calls = step.call === undefined ? [] : [nameCall(step.call, request.tools, this.#nextId("call"))];
    response.on("close", () => {
      if (scripted !== undefined) scripted.answer = response.writableFinished ? "complete" : "cut";
    });
    if (request.isStream) await this.#stream(request, step, calls, response);
    else this.#sendWhole(request, step, calls, response);
  }

  async #stream(
    { api }: ModelRequest,
    step: ModelStep,
    calls: readonly NamedCall[],
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const makeWriter = api === "anthropic" ? messagesWriter : chatWriter;
    const writer = makeWriter(this.#nextId("message"), (text) => void response.write(text));
    writer.start();
    for (const piece of step.text ?? []) {
      if (typeof piece === "string") writer.text(piece);
      else if ("pauseMs" in piece) await sleep(piece.pauseMs);
      else await piece.until;
      if (response.destroyed) return;
    }
    for (const call of calls) writer.call(call);
    writer.end(calls.length > 0);
    response.end();
  }

  #sendWhole(
    { api }: ModelRequest,
    step: ModelStep,
    calls: readonly NamedCall[],
    response: ServerResponse,
  ): void {
    const text = (step.text ?? []).filter((piece) => typeof piece === "string").join("");
    const whole = api === "anthropic" ? wholeMessage : wholeCompletion;
    sendJson(response, 200, whole(this.#nextId("message"), text, calls));
  }

  #nextId(kind: string): string {
    this.#lastId += 1;
    return `${kind}_${this.#lastId}`;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text === "" ? {} : JSON.parse(text);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
