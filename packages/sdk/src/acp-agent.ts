// Sessions with agents: everything that the app API offers for them.
import type {
  AgentInfo,
  Attachment,
  ChatResponse,
  Session,
  SessionOptions,
  SessionPatch,
  SessionStatus,
  TurnEvent,
} from "@holdfast/protocol";
import {
  type AcpPermissionDecision,
  type AcpPermissionResolution,
  makePrintable,
  resolvePermission,
} from "./approval.ts";
import type { CallOptions, Connection, HostRequest } from "./connection.ts";
import { EventStream, type Retry, type StreamPlace } from "./event-stream.ts";

/** Options of a turn. */
export interface ChatOptions extends CallOptions {
  /** Waits behind the running turn instead of being refused. */
  readonly queue?: boolean;
  /** A turn that was started with this key is not started again: its response is returned instead. */
  readonly idempotencyKey?: string;
  /** Called when the connection of a stream breaks, before the client reconnects. */
  readonly onDisconnect?: () => void;
}

/** Which events of a session are wanted. */
export interface EventOptions extends CallOptions {
  /** The id of the last event that is known already; from the beginning if left out. */
  readonly after?: string;
  /** The one turn that is wanted. */
  readonly turnId?: string;
  /** Called when the connection breaks, before the client reconnects. */
  readonly onDisconnect?: () => void;
}

/** The operations on agents, sessions and turns. */
export class AcpAgent {
  readonly #connection: Connection;
  readonly #retry: Retry;

  constructor(connection: Connection, retry: Retry) {
    this.#connection = connection;
    this.#retry = retry;
  }

  /** The agents that the host knows, with their models if requested. */
  listAgents(options: CallOptions & { readonly includeModels?: boolean } = {}): Promise<AcpAgentInfo[]> {
    const { signal } = options;
    const query = { includeModels: options.includeModels === true ? true : undefined };
    return this.#connection.askFor("agents", { method: "GET", path: "/sdk/acp/agents", query, signal });
  }

  /** Starts an agent in a new session; the promise resolves when the session is ready. */
  createSession(session: AcpSessionOptions, { signal }: CallOptions = {}): Promise<AcpSession> {
    const path = "/sdk/acp/session";
    return this.#connection.askFor("session", { method: "POST", path, body: session, signal });
  }

  /** One session with its options and what last happened in it. */
  getSession(sessionKey: string, { signal }: CallOptions = {}): Promise<AcpSessionStatus> {
    return this.#connection.askFor("session", { method: "GET", path: pathOf(sessionKey), signal });
  }

  /** The sessions of this app; with `closed` also those that are over and still kept. */
  listSessions(options: CallOptions & { readonly closed?: boolean } = {}): Promise<AcpSessionStatus[]> {
    const { signal } = options;
    const query = { closed: options.closed === true ? true : undefined };
    return this.#connection.askFor("sessions", { method: "GET", path: "/sdk/acp/sessions", query, signal });
  }

  /** Changes a session's options from the next turn on. */
  async patchSession(
    sessionKey: string,
    patch: AcpRuntimeOptionPatch,
    { signal }: CallOptions = {},
  ): Promise<void> {
    await this.#connection.ask({ method: "PATCH", path: pathOf(sessionKey), body: patch, signal });
  }

  /** Stops the agent and closes the session; with `purge`, its history is deleted as well. */
  async closeSession(
    sessionKey: string,
    reason?: string,
    options: CallOptions & { readonly purge?: boolean } = {},
  ): Promise<void> {
    const query = { purge: options.purge === true ? true : undefined };
    const path = pathOf(sessionKey);
    const { signal } = options;
    await this.#connection.ask({ method: "DELETE", path, query, body: because(reason), signal });
  }

  /** Opens a closed session again; the next turn starts its agent. */
  reopenSession(sessionKey: string, { signal }: CallOptions = {}): Promise<AcpSessionStatus> {
    const path = `${pathOf(sessionKey)}/reopen`;
    return this.#connection.askFor("session", { method: "POST", path, signal });
  }

  /** Runs a turn and returns all of it; the session needs an approval policy, because nobody can be asked. */
  chat(
    sessionKey: string,
    message: string,
    attachments?: readonly AcpAttachment[],
    options: ChatOptions = {},
  ): Promise<AcpChatResponse> {
    const request = turnRequest(`${pathOf(sessionKey)}/chat`, message, attachments, options);
    return this.#connection.askFor("response", { ...request, signal: options.signal });
  }

  /** Runs a turn and yields its events as they arrive; `close` is the last, even if connections break. */
  streamChat(
    sessionKey: string,
    message: string,
    attachments?: readonly AcpAttachment[],
    options: ChatOptions = {},
  ): EventStream<AcpStreamEvent> {
    const request = turnRequest(`${pathOf(sessionKey)}/chat/stream`, message, attachments, options);
    return new EventStream<AcpStreamEvent>({
      signal: options.signal,
      retry: this.#retry,
      onDisconnect: options.onDisconnect,
      open: (signal) => this.#connection.send({ ...request, signal }),
      canReopen: ({ lastEventId, turnId }) => lastEventId !== undefined || turnId !== undefined,
      reopen: (place, signal) => this.#openEvents(sessionKey, place, signal),
      read: readTurnEvent,
      isLast: isClose,
      mayEndAfter: () => false,
    });
  }

  /** A session's events after an event, with those of the running turn; ends with that turn, or at once if none runs. */
  streamEvents(sessionKey: string, options: EventOptions = {}): EventStream<AcpStreamEvent> {
    const { after, turnId, signal, onDisconnect } = options;
    return new EventStream<AcpStreamEvent>({
      after,
      signal,
      retry: this.#retry,
      onDisconnect,
      open: (ownSignal) => this.#openEvents(sessionKey, { lastEventId: after, turnId }, ownSignal),
      canReopen: () => true,
      reopen: ({ lastEventId }, ownSignal) =>
        this.#openEvents(sessionKey, { lastEventId, turnId }, ownSignal),
      read: readTurnEvent,
      isLast: (event) => turnId !== undefined && isClose(event),
      mayEndAfter: (event) => event === undefined || isClose(event),
    });
  }

  /** Cancels the running turn, or the one of `turnId`, which may be queued; other queued messages stay. */
  async cancelTurn(
    sessionKey: string,
    reason?: string,
    { turnId, signal }: CallOptions & { readonly turnId?: string } = {},
  ): Promise<void> {
    const path = `${pathOf(sessionKey)}/cancel`;
    const body = turnId === undefined ? because(reason) : { turnId, ...because(reason) };
    await this.#connection.ask({ method: "POST", path, body, signal });
  }

  /** Answers a permission request. */
  resolvePermission(
    sessionKey: string,
    decision: AcpPermissionDecision,
    options: CallOptions = {},
  ): Promise<AcpPermissionResolution> {
    return resolvePermission(this.#connection, sessionKey, decision, options);
  }

  /** Creates a session and runs its first turn; if the turn cannot be run, the session is closed again. */
  async startChat(
    message: string,
    sessionOptions: AcpSessionOptions,
    options: CallOptions = {},
  ): Promise<{ session: AcpSession; response: AcpChatResponse }> {
    const session = await this.createSession(sessionOptions, options);
    try {
      return { session, response: await this.chat(session.session_key, message, undefined, options) };
    } catch (error) {
      // Nobody else knows its key. If it cannot be closed either, the first error is the one to report.
      await this.closeSession(session.session_key).catch(() => undefined);
      throw error;
    }
  }

  #openEvents(sessionKey: string, place: StreamPlace, signal: AbortSignal): Promise<Response> {
    const { lastEventId, turnId } = place;
    return this.#connection.send({
      method: "GET",
      path: `${pathOf(sessionKey)}/events`,
      query: { after: lastEventId, turn: turnId },
      headers: { "Last-Event-ID": lastEventId },
      signal,
    });
  }
}

function turnRequest(
  path: string,
  message: string,
  attachments: readonly AcpAttachment[] | undefined,
  { queue, idempotencyKey }: ChatOptions,
): HostRequest {
  const body = { message, attachments, queue };
  return { method: "POST", path, body, headers: { "Idempotency-Key": idempotencyKey } };
}

function pathOf(sessionKey: string): string {
  return `/sdk/acp/session/${encodeURIComponent(sessionKey)}`;
}

/** No reason, or an empty one, is no body at all. */
function because(reason: string | undefined): object | undefined {
  return reason === undefined || reason === "" ? undefined : { reason };
}

function readTurnEvent(type: string, data: unknown): AcpStreamEvent {
  const event = { type, data } as AcpStreamEvent;
  if (event.type === "permission_request") makePrintable(event.data.options);
  return event;
}

function isClose({ type }: AcpStreamEvent): boolean {
  return type === "close";
}

// The types of the app API under the names that RealtimeX's client gives them.

/** One agent as the list shows it. */
export type AcpAgentInfo = AgentInfo;
/** Options of a new session. */
export type AcpSessionOptions = SessionOptions;
/** A session as its creator sees it. */
export type AcpSession = Session;
/** A session with its options and what last happened in it. */
export type AcpSessionStatus = SessionStatus;
/** The options of a session that can be changed between turns. */
export type AcpRuntimeOptionPatch = SessionPatch;
/** A file that goes with a message, as a data URI. */
export type AcpAttachment = Attachment;
/** The whole of a finished turn. */
export type AcpChatResponse = ChatResponse;
/** One event of a turn, discriminated by `type`. A newer host may send types that are not listed here. */
export type AcpStreamEvent = TurnEvent;
