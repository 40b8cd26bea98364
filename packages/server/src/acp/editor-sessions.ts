// The sessions of one ACP client: created, listed, loaded, resumed, prompted, by the path of every other client.
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Action, makeId, parseSessionKey, ROOT_URI, type SessionState, sessionUri } from "@holdfast/ahp";
import { maySee, type Request, requireAccepted, type Submission, submitterOf } from "@holdfast/core";
import { type Connection, ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { HostError, LIMITS } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";
import type { AcpHost } from "./acp-host.ts";
import { AttachedSession, type Start } from "./attached-session.ts";
import { readPrompt } from "./content.ts";
import type { EditorFeatures } from "./features.ts";
import type { LentParts } from "./lent-editor.ts";
import {
  invalidParams,
  membersOf,
  ownMembers,
  readCursor,
  readFolder,
  readOptionalText,
  readServerNames,
  readText,
} from "./params.ts";
import { endOfPrompt } from "./prompt-end.ts";
import { describeOptions, describeSettings } from "./session-state.ts";

export interface EditorSessionsParts {
  readonly host: AcpHost;
  readonly caller: Caller;
  readonly followsTerminals: boolean;
  readonly rpc: Connection;
  readonly features: EditorFeatures;
  /** How the editor calls itself. */
  readonly name: string;
  readonly lends: LentParts;
  /** Begins the ids of the turns that this client starts; the same after a reconnect. */
  readonly clientId: string;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly report: (error: unknown) => string;
  readonly now: () => Date;
}

/** Sessions that one client may follow. */
const maxAttached = 64;
const pageSessions = 100;

/** Sessions by their keys, which are their ids in ACP. Its connection closes it. */
export class EditorSessions {
  readonly #parts: EditorSessionsParts;
  readonly #attached = new Map<string, AttachedSession>();
  /** Prompts of this client that wait for the end of their turn, by session. */
  readonly #prompts = new Map<string, Set<Promise<unknown>>>();

  constructor(parts: EditorSessionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#attached.size;
  }

  close(): void {
    for (const session of this.#attached.values()) session.close();
    this.#attached.clear();
  }

  async create(params: unknown): Promise<object> {
    const { session: joined, host } = this.#parts;
    if (joined !== undefined) return this.#join(this.#find(joined));
    const { uri } = ownMembers(params);
    const known = typeof uri === "string" ? host.ahp.hub.state(uri, "session") : undefined;
    // The response to an earlier request was lost.
    if (known !== undefined && maySee(this.#parts.caller, known.owner)) return this.#attachNew(known);
    const { hub } = host.ahp;
    await hub.recording.requireNow();
    const { result = {} } = requireAccepted(
      await this.#submit(ROOT_URI, this.#newSession(params)),
      "INTERNAL",
    );
    await hub.recording.settled();
    const created = hub.state(result.uri ?? "", "session");
    if (created === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    const offered = new Set(host.ahp.sessions.mcpServers);
    const ignored = readServerNames(params).filter((name) => !offered.has(name));
    return this.#attachNew(created, ignored);
  }

  async load(params: unknown): Promise<object> {
    const state = this.#find(readText(params, "sessionId"));
    if (this.#hasPrompt(state.key)) throw new HostError("ACP_TURN_ACTIVE");
    const session = this.#attach(state);
    const seq = await session.replay();
    await session.greet();
    this.#followLater(session, { from: "history", seq });
    return { ...this.#settings(session), _meta: { holdfast: { place: String(seq) } } };
  }

  resume(params: unknown): object {
    const cursor = readCursor(params);
    const state = this.#find(readText(params, "sessionId"));
    const known = this.#attached.get(state.key);
    if (known !== undefined && cursor === undefined) return this.#settings(known);
    if (this.#hasPrompt(state.key)) throw new HostError("ACP_TURN_ACTIVE");
    const { lastSeq } = this.#parts.host.ahp.hub;
    if (cursor !== undefined && cursor.seq > lastSeq) throw new HostError("EVENTS_LOST");
    const session = this.#attach(state);
    this.#followLater(
      session,
      cursor === undefined ? { from: "now", seq: lastSeq } : { from: "cursor", cursor },
    );
    const own = {
      ...(cursor === undefined && { place: String(lastSeq) }),
      // A client that was away withdraws the others.
      questions: state.inputNeeded.map(({ id }) => id),
    };
    return { ...this.#settings(session), _meta: { holdfast: own } };
  }

  /** A page of the sessions that the client may see, the newest activity first. */
  list(params: unknown): object {
    const { host, caller } = this.#parts;
    const cwd = readOptionalText(params, "cwd");
    const cursor = readOptionalText(params, "cursor");
    if (cursor !== undefined && !isListCursor(cursor)) throw invalidParams("cursor: not one of this host's");
    const page = host.ahp.sessions.list({
      isOpen: true,
      limit: pageSessions,
      ...(cursor !== undefined && { cursor }),
    });
    const sessions = page.sessions
      .filter(({ summary }) => maySee(caller, summary.owner))
      .map(({ summary: { key, title, label, lastActivityAt, workingDirectories, provider, phase } }) => ({
        sessionId: key,
        cwd: folderOf(workingDirectories[0]),
        title: label ?? title,
        updatedAt: lastActivityAt,
        _meta: { holdfast: { agent: provider, status: phase.status } },
      }))
      .filter((session) => cwd === undefined || session.cwd === cwd);
    return { sessions, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) };
  }

  /** Begins a turn, or queues it behind another client's; answered when it has ended and everything of it was sent. */
  async prompt(params: unknown, signal: AbortSignal): Promise<object> {
    const session = this.#followed(readText(params, "sessionId"));
    const message = readPrompt(params);
    const turnId = this.#turnId(params);
    const started = this.#begin(session, turnId, message);
    const cancel = (): void => {
      // A connection that closes aborts its requests, too, and must not end the turn.
      if (this.#parts.rpc.isOpen) void this.#cancelTurn(session.key);
    };
    signal.addEventListener("abort", cancel, { once: true });
    const ended = Promise.resolve(started).then(() => session.ended(turnId));
    const prompts = this.#promptsOf(session.key).add(ended);
    try {
      return endOfPrompt(await ended);
    } finally {
      signal.removeEventListener("abort", cancel);
      prompts.delete(ended);
    }
  }

  async cancel(params: unknown): Promise<void> {
    await this.#cancelTurn(readText(params, "sessionId"));
  }

  /** Stops following a session. A turn that this client still waits for is cancelled, as ACP asks; the session stays. */
  async detach(params: unknown): Promise<object> {
    const key = readText(params, "sessionId");
    if (this.#hasPrompt(key)) {
      await this.#cancelTurn(key);
      await Promise.allSettled(this.#promptsOf(key));
    }
    this.#attached.get(key)?.close();
    this.#attached.delete(key);
    return {};
  }

  /** Deletes a session for everybody; one that is not there is as deleted as can be. */
  async delete(params: unknown): Promise<object> {
    const key = readText(params, "sessionId");
    const { host, caller } = this.#parts;
    const state = this.#lookUp(key);
    if (state === undefined) return {};
    await this.detach(params);
    await host.deleteSession(key, caller);
    return {};
  }

  async setMode(params: unknown): Promise<object> {
    const { resource } = this.#find(readText(params, "sessionId"));
    const modeId = readText(params, "modeId", LIMITS.modelLength);
    await this.#require(resource, { type: "session/modeChanged", modeId });
    return {};
  }

  async setOption(params: unknown): Promise<object> {
    const { resource } = this.#find(readText(params, "sessionId"));
    const configId = readText(params, "configId", LIMITS.modelLength);
    const { value } = membersOf(params);
    if (typeof value !== "string" && typeof value !== "boolean") {
      throw invalidParams("value: expected a text, or true or false");
    }
    await this.#require(resource, { type: "session/configChanged", config: { [configId]: value } });
    const { configOptions } = this.#find(readText(params, "sessionId"));
    return { configOptions: describeOptions(configOptions, this.#parts.features) };
  }

  fork(params: unknown): never {
    const { provider } = this.#find(readText(params, "sessionId"));
    throw new RpcError(
      ErrorCode.methodNotFound,
      `Sessions of ${provider} cannot be forked: the host does not offer session/fork. Create a new session instead.`,
      { code: "METHOD_NOT_ALLOWED" },
    );
  }

  #newSession(params: unknown): Request {
    const { host, agent, caller } = this.#parts;
    const own = ownMembers(params);
    const wanted = typeof own["agent"] === "string" ? own["agent"] : agent;
    const offered = new Set(host.ahp.sessions.mcpServers);
    const mcpServers = readServerNames(params).filter((name) => offered.has(name));
    return {
      type: "root/createSession",
      ...(typeof own["uri"] === "string" && { uri: makeId("session URI", own["uri"]) }),
      options: {
        cwd: readFolder(params),
        ...(wanted !== undefined && { agent_id: wanted }),
        ...(mcpServers.length > 0 && { mcpServers }),
      },
      awaitsAgent: true,
      ...(caller.kind === "app" && caller.name !== undefined && { appName: caller.name }),
    };
  }

  #attachNew(state: SessionState, ignored: readonly string[] = []): object {
    const session = this.#attach(state);
    const seq = this.#parts.host.ahp.hub.lastSeq;
    this.#followLater(session, { from: "now", seq }, () => session.greet());
    const own = { place: String(seq), ...(ignored.length > 0 && { ignoredMcpServers: ignored }) };
    return { sessionId: session.key, ...this.#settings(session), _meta: { holdfast: own } };
  }

  /** A session that was there before: its history follows the response, which names it. */
  #join(state: SessionState): object {
    const session = this.#attach(state);
    setImmediate(() => {
      session
        .replay()
        .then(async (seq) => {
          await session.greet();
          session.follow({ from: "history", seq });
        })
        .catch((error: unknown) => void this.#parts.report(error));
    });
    return { sessionId: session.key, ...this.#settings(session) };
  }

  #settings(session: AttachedSession): object {
    const { state } = session;
    return state === undefined ? {} : describeSettings(state, this.#parts.features);
  }

  #attach(state: SessionState): AttachedSession {
    this.#attached.get(state.key)?.close();
    this.#attached.delete(state.key);
    if (this.#attached.size >= maxAttached) {
      throw new RpcError(ErrorCode.tooBusy, `At most ${maxAttached} sessions can be followed at once.`);
    }
    const { clientId } = this.#parts;
    const session = new AttachedSession({
      ...this.#parts,
      state,
      isOwnTurn: (turnId) => turnId.startsWith(`${clientId}.`),
    });
    this.#attached.set(state.key, session);
    return session;
  }

  /** After the response to the current request, so that a client knows the session when its first update arrives. */
  #followLater(session: AttachedSession, start: Start, first: () => Promise<void> = async () => {}): void {
    setImmediate(() => {
      first()
        .then(() => session.follow(start))
        .catch((error: unknown) => void this.#parts.report(error));
    });
  }

  /** A session that the client follows; one that it names without having opened it is followed from now on. */
  #followed(key: string): AttachedSession {
    const attached = this.#attached.get(key);
    if (attached?.state !== undefined) return attached;
    const session = this.#attach(this.#find(key));
    session.follow({ from: "now", seq: this.#parts.host.ahp.hub.lastSeq });
    return session;
  }

  #begin(
    session: AttachedSession,
    turnId: string,
    message: ReturnType<typeof readPrompt>,
  ): void | Promise<void> {
    const { host, now } = this.#parts;
    host.ahp.sessions.find(session.chatUri);
    const chat = host.ahp.hub.state(session.chatUri, "chat");
    if (chat?.queuedMessages.some(({ id }) => String(id) === turnId) === true) return;
    const start = {
      type: "chat/turnStarted",
      turnId: makeId("turn", turnId),
      startedAt: now().toISOString(),
      message,
    } as const;
    const queue = {
      type: "chat/pendingMessageSet",
      kind: "queued",
      pending: { id: makeId("pending message", turnId), message },
    } as const;
    const conclude = (submission: Submission): void | Promise<void> => {
      const isBusy = submission.outcome === "rejected" && submission.code === "ACP_TURN_ACTIVE";
      if (isBusy) return this.#require(session.chatUri, queue);
      requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
    };
    const submission = this.#submit(session.chatUri, start);
    return submission instanceof Promise ? submission.then(conclude) : conclude(submission);
  }

  /** A turn that is sent again, after a lost connection, has the id that it had. */
  #turnId(params: unknown): string {
    const { clientId } = this.#parts;
    const { turnId } = ownMembers(params);
    if (turnId !== undefined) {
      const isOwn = typeof turnId === "string" && turnId.startsWith(`${clientId}.`);
      if (isOwn && turnId.length <= LIMITS.turnNameLength) return turnId;
      throw invalidParams("_meta.holdfast.turnId: expected the client's id, a dot and a name");
    }
    return `${clientId}.${randomUUID()}`;
  }

  #hasPrompt(key: string): boolean {
    return this.#promptsOf(key).size > 0;
  }

  #promptsOf(key: string): Set<Promise<unknown>> {
    const prompts = this.#prompts.get(key) ?? new Set();
    this.#prompts.set(key, prompts);
    return prompts;
  }

  async #cancelTurn(key: string): Promise<void> {
    const { host, caller } = this.#parts;
    await host.cancelTurn(key, undefined, caller);
  }

  #submit(uri: string, submitted: Action | Request): Submission | Promise<Submission> {
    const { host, caller } = this.#parts;
    return host.ahp.submit(uri, submitted, submitterOf(caller));
  }

  async #require(uri: string, submitted: Action | Request): Promise<void> {
    requireAccepted(await this.#submit(uri, submitted), "ACP_SESSION_NOT_FOUND");
  }

  #find(key: string): SessionState {
    const state = this.#lookUp(key);
    if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return state;
  }

  /** An open session that the client may see. */
  #lookUp(key: string): SessionState | undefined {
    const { host, caller } = this.#parts;
    const { hub } = host.ahp;
    const parsed = parseSessionKey(key);
    const direct = parsed && hub.state(sessionUri(parsed.sessionId), "session");
    const state =
      direct?.key === key ? direct : hub.list("session").find((each) => each.state.key === key)?.state;
    return state !== undefined && maySee(caller, state.owner) ? state : undefined;
  }
}

function folderOf(uri: string | undefined): string {
  return uri?.startsWith("file:") === true ? fileURLToPath(uri) : "/";
}

function isListCursor(cursor: string): boolean {
  const [at = "", uri = ""] = cursor.split(" ");
  return !Number.isNaN(Date.parse(at)) && uri !== "";
}
