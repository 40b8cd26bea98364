// Bridge between an editor on stdio and the host's `/acp`: it outlives connections, so that a restart of the host is no end.
import { randomUUID } from "node:crypto";
import { makeId, sessionUri } from "@holdfast/ahp";
import {
  formatError,
  formatMessage,
  keyOf,
  type Message,
  ownMembers,
  readMessage,
  withOwnMembers,
} from "./message.ts";
import { sessionOf, SessionPlaces } from "./session-places.ts";

/** A connection to the host that is open. */
export interface HostEnd {
  send(text: string): void;
}

interface Pending {
  /** As the editor sent it. */
  readonly request: Message;
  /** As the host gets it, again after each loss. */
  readonly text: string;
}

interface Asked {
  readonly sessionId: string | undefined;
}

const parseError = -32700;
const invalidRequest = -32600;
const internalError = -32603;
/** Notifications that wait for the host; of more, the oldest are dropped. */
const maxUnsent = 1000;
/** Requests after which the host asks again what an editor left open. */
const asksAgain: ReadonlySet<string> = new Set(["session/load", "session/resume"]);
/** Answers that are kept for a host that asks again. */
const keptAnswers = 64;

/**
 * All that is known of the conversation: requests of the editor that wait, questions of the host at the editor, and how
 * far each session has come. It does not know where messages come from: `fromEditor` and `fromHost` take them.
 */
export class Bridge {
  readonly #toEditor: (text: string) => void;
  readonly #warn: (line: string) => void;
  readonly #clientId = randomUUID();
  readonly #places = new SessionPlaces();
  readonly #pending = new Map<string, Pending>();
  readonly #asked = new Map<string, Asked>();
  /** The editor's answers, by the id of the question. */
  readonly #answers = new Map<string, Asked & { readonly text: string }>();
  /** Notifications for a host that is not there. */
  #unsent: string[] = [];
  /** Updates of sessions that are being loaded: passed on with the response, so that a load that is cut off begins again. */
  readonly #loading = new Map<string, Message[]>();
  readonly #own = new Map<string, (response: Message) => void>();
  #initialize: Message | undefined;
  /** The host once it knows the editor and its sessions. */
  #host: HostEnd | undefined;
  /** The connection, also while it is being introduced: questions may come before all sessions are continued. */
  #connection: HostEnd | undefined;
  #turns = 0;
  #ownRequests = 0;

  constructor(toEditor: (text: string) => void, warn: (line: string) => void) {
    this.#toEditor = toEditor;
    this.#warn = warn;
  }

  /** Whether the editor waits for something. */
  get isAwaited(): boolean {
    return this.#pending.size > 0;
  }

  /** Takes a line of the editor. */
  fromEditor(text: string): void {
    const message = readMessage(text);
    if (message === undefined) {
      const code = text.trimStart().startsWith("[") ? invalidRequest : parseError;
      const sentence = code === parseError ? "This line is not JSON." : "ACP has no batches.";
      return this.#toEditor(formatError(null, code, sentence));
    }
    if (message.method === undefined) return this.#takeAnswer(message);
    if (message.id === undefined) return this.#notifyHost(message);
    const pending = { request: message, text: this.#forHost(message) };
    if (message.method === "initialize") this.#initialize = message;
    this.#pending.set(keyOf(message.id), pending);
    if (asksAgain.has(message.method)) this.#forgetAnswers(sessionOf(message));
    if (message.method === "session/load") this.#loading.set(sessionOf(message) ?? "", []);
    this.#host?.send(pending.text);
  }

  /** Takes a message of the host. */
  fromHost(text: string): void {
    const message = readMessage(text);
    if (message === undefined) return;
    const { id, method } = message;
    if (method === undefined) return this.#takeResponse(message);
    if (id !== undefined) return this.#takeQuestion(message);
    if (method === "session/update") return this.#takeUpdate(message);
    if (method === "$/cancel_request") this.#asked.delete(keyOf(message.params["requestId"]));
    this.#toEditor(text);
  }

  /** The host is there: introduces the editor again, continues its sessions, and repeats what was not answered. */
  async connected(host: HostEnd): Promise<void> {
    this.#connection = host;
    if (this.#initialize !== undefined && !this.#pending.has(keyOf(this.#initialize.id))) {
      const { params } = this.#initialize;
      const own = { clientId: this.#clientId };
      if ((await this.#ask(host, "initialize", params, own)) === LOST) return;
      for (const sessionId of this.#places.sessions) {
        if ((await this.#resume(host, sessionId)) === LOST) return;
      }
    }
    this.#host = host;
    for (const { text } of this.#pending.values()) host.send(text);
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const text of unsent) host.send(text);
  }

  /** The host is gone. What cannot be repeated fails; everything else waits. */
  disconnected(): void {
    this.#host = undefined;
    this.#connection = undefined;
    for (const [sessionId] of this.#loading) this.#loading.set(sessionId, []);
    for (const settle of this.#own.values()) settle(LOST);
    this.#own.clear();
    this.#fail((method) => method === "session/fork", "The host restarted before it answered. Try again.");
  }

  /** Nobody can be reached: whatever waits fails. */
  giveUp(sentence: string): void {
    this.#fail(() => true, sentence);
  }

  #fail(isMeant: (method: string) => boolean, sentence: string): void {
    for (const [key, { request }] of this.#pending) {
      if (!isMeant(request.method ?? "")) continue;
      this.#pending.delete(key);
      this.#loading.delete(sessionOf(request) ?? "");
      this.#toEditor(formatError(request.id, internalError, sentence, { code: "HOST_NOT_RUNNING" }));
    }
  }

  /** Names what must not happen twice when the request is repeated. */
  #forHost(message: Message): string {
    switch (message.method) {
      case "initialize":
        return withOwnMembers(message, { clientId: this.#clientId });
      case "session/new":
        return withOwnMembers(message, { uri: sessionUri(makeId("session", randomUUID())) });
      case "session/prompt":
        this.#turns += 1;
        return withOwnMembers(message, { turnId: `${this.#clientId}.${this.#turns}` });
      default:
        return message.text;
    }
  }

  #notifyHost({ text }: Message): void {
    if (this.#host !== undefined) return this.#host.send(text);
    this.#unsent.push(text);
    if (this.#unsent.length > maxUnsent) this.#unsent.shift();
  }

  #takeAnswer(answer: Message): void {
    const key = keyOf(answer.id);
    const asked = this.#asked.get(key);
    if (asked === undefined) return;
    this.#asked.delete(key);
    // The host may not have received it when the connection breaks: then it asks again.
    this.#answers.set(key, { ...asked, text: answer.text });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > keptAnswers && oldest !== undefined) this.#answers.delete(oldest);
    this.#connection?.send(answer.text);
  }

  /** The host asks an editor that opens a session what is still open; an earlier answer has not decided it. */
  #forgetAnswers(sessionId: string | undefined): void {
    // One that the host may not have yet is kept.
    if (this.#host === undefined) return;
    for (const [key, answer] of this.#answers) if (answer.sessionId === sessionId) this.#answers.delete(key);
  }

  #takeQuestion(question: Message): void {
    const key = keyOf(question.id);
    const answer = this.#answers.get(key);
    if (answer !== undefined) return this.#connection?.send(answer.text);
    if (this.#asked.has(key)) return;
    this.#asked.set(key, { sessionId: sessionOf(question) });
    this.#toEditor(question.text);
  }

  #takeUpdate(update: Message): void {
    const held = this.#loading.get(sessionOf(update) ?? "");
    if (held !== undefined) {
      held.push(update);
      return;
    }
    this.#places.noteUpdate(update);
    this.#toEditor(update.text);
  }

  #takeResponse(response: Message): void {
    const key = keyOf(response.id);
    const settle = this.#own.get(key);
    if (settle !== undefined) {
      this.#own.delete(key);
      return settle(response);
    }
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    const { request } = pending;
    if (request.method === "initialize") this.#showWarnings(ownMembers(response.result)["warnings"]);
    if (request.method === "session/load") this.#endLoading(sessionOf(request) ?? "");
    this.#places.noteResponse(request, response);
    this.#toEditor(response.text);
  }

  /** Shows which options of the command the editor cannot serve. */
  #showWarnings(warnings: unknown): void {
    if (!Array.isArray(warnings)) return;
    for (const warning of warnings) if (typeof warning === "string") this.#warn(warning);
  }

  #endLoading(sessionId: string): void {
    const held = this.#loading.get(sessionId) ?? [];
    this.#loading.delete(sessionId);
    for (const update of held) this.#toEditor(update.text);
  }

  /** Continues a session where the editor is; one that is gone is left to the next request that names it. */
  async #resume(host: HostEnd, sessionId: string): Promise<Message> {
    const params = { sessionId, cwd: "/", mcpServers: [] };
    const after = this.#places.cursor(sessionId);
    let response = await this.#ask(host, "session/resume", params, after === undefined ? {} : { after });
    if (response.hasError && after !== undefined && response !== LOST) {
      response = await this.#ask(host, "session/resume", params, {});
    }
    if (response === LOST) return LOST;
    if (response.hasError) this.#places.forget(sessionId);
    else this.#withdraw(sessionId, ownMembers(response.result)["questions"]);
    return response;
  }

  /** Questions that somebody else answered meanwhile. */
  #withdraw(sessionId: string, open: unknown): void {
    const ids = new Set(Array.isArray(open) ? open.map(keyOf) : []);
    for (const [key, asked] of this.#asked) {
      if (asked.sessionId !== sessionId || ids.has(key)) continue;
      this.#asked.delete(key);
      const requestId: unknown = JSON.parse(key);
      this.#toEditor(formatMessage({ method: "$/cancel_request", params: { requestId } }));
    }
  }

  /** A request of the bridge's own; resolves with `LOST` when the connection is lost first. */
  #ask(host: HostEnd, method: string, params: object, own: object): Promise<Message> {
    this.#ownRequests += 1;
    const id = `bridge-${this.#clientId}-${this.#ownRequests}`;
    const message: Message = { text: "", id, method, params: { ...params }, result: {}, hasError: false };
    return new Promise((resolve) => {
      this.#own.set(keyOf(id), resolve);
      host.send(withOwnMembers(message, { ...own }));
    });
  }
}

const LOST: Message = { text: "", id: null, method: undefined, params: {}, result: {}, hasError: true };
