// The sessions of one ACP client: created, listed, loaded, resumed, prompted, by the path of every other client.
import { type Action, ROOT_URI, type SessionState } from "@holdfast/ahp";
import { maySee, type Request, requireAccepted, type Submission, submitterOf } from "@holdfast/core";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { HostError, LIMITS } from "@holdfast/protocol";
import { AttachedSession, type EditorParts, type Start } from "./attached-session.ts";
import { EditorPrompts } from "./editor-prompts.ts";
import {
  invalidParams,
  membersOf,
  ownMembers,
  readCursor,
  readFolder,
  readServerNames,
  readText,
  readWantedId,
} from "./params.ts";
import { describeOptions, describeSettings } from "./session-state.ts";
import { findVisible, listVisible, lookUpById, lookUpVisible } from "./visible-sessions.ts";

export interface EditorSessionsParts extends EditorParts {
  /** Begins the ids of the turns that this client starts; the same after a reconnect. */
  readonly clientId: string;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly now: () => Date;
}

const UNKNOWN_PLACE =
  "The place in _meta.holdfast.after is not one that this host sent. Load the session with session/load.";
/** Sessions that one client may follow. */
const maxAttached = 64;

/** Sessions by their keys, which are their ids in ACP. Its connection closes it. */
export class EditorSessions {
  readonly #parts: EditorSessionsParts;
  readonly #attached = new Map<string, AttachedSession>();
  readonly #prompts: EditorPrompts;
  /** How often each question was asked. */
  readonly #asked = new Map<string, number>();
  /** Sessions that are being created for this client. */
  #newSessions = 0;
  #isClosed = false;

  constructor(parts: EditorSessionsParts) {
    this.#parts = parts;
    this.#prompts = new EditorPrompts(parts);
  }

  get size(): number {
    return this.#attached.size;
  }

  isFollowing(key: string): boolean {
    return this.#attached.has(key);
  }

  close(): void {
    this.#isClosed = true;
    for (const session of this.#attached.values()) session.close();
    this.#attached.clear();
  }

  async create(params: unknown): Promise<object> {
    const { session: joined, host } = this.#parts;
    if (joined !== undefined) return this.#join(this.#find(joined));
    const wantedId = readWantedId(params);
    const known = wantedId === undefined ? undefined : lookUpById(host, wantedId);
    // The response to an earlier request was lost.
    if (known !== undefined && maySee(this.#parts.caller, known.owner)) return this.#attachNew(known);
    const offered = new Set(host.ahp.sessions.mcpServers);
    const ignored = readServerNames(params).filter((name) => !offered.has(name));
    return this.#create(this.#newSession(params), ignored);
  }

  async load(params: unknown): Promise<object> {
    const state = this.#find(readText(params, "sessionId"));
    if (this.#prompts.has(state.key)) throw new HostError("ACP_TURN_ACTIVE");
    const session = this.#attach(state);
    const seq = await session.replay().catch((error: unknown) => {
      session.close();
      throw error;
    });
    await session.greet();
    this.#followLater(session, { from: "history", seq });
    return { ...this.#settings(session), _meta: { holdfast: { place: String(seq) } } };
  }

  resume(params: unknown): object {
    const cursor = readCursor(params);
    const state = this.#find(readText(params, "sessionId"));
    const known = this.#attached.get(state.key);
    if (known !== undefined && !known.isOver && cursor === undefined) {
      known.askAgain();
      return this.#settings(known);
    }
    if (this.#prompts.has(state.key)) throw new HostError("ACP_TURN_ACTIVE");
    const { lastSeq } = this.#parts.host.ahp.hub;
    if (cursor !== undefined && cursor.seq > lastSeq) throw new HostError("EVENTS_LOST", UNKNOWN_PLACE);
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

  list(params: unknown): object {
    return listVisible(this.#parts.host, this.#parts.caller, params);
  }

  prompt(params: unknown, signal: AbortSignal): Promise<object> {
    return this.#prompts.run(this.#followed(readText(params, "sessionId")), params, signal);
  }

  async cancel(params: unknown): Promise<void> {
    const key = readText(params, "sessionId");
    const session = this.#attached.get(key);
    const { host, caller } = this.#parts;
    await (session === undefined ? host.cancelTurn(key, {}, caller) : this.#prompts.cancel(session));
  }

  /** Stops following a session. A turn that this client still waits for is cancelled, as ACP asks; the session stays. */
  async detach(params: unknown): Promise<object> {
    const key = readText(params, "sessionId");
    const session = this.#attached.get(key);
    if (session !== undefined) await this.#prompts.cancelOwn(session);
    session?.close();
    return {};
  }

  /** Deletes a session for everybody; one that is not there is as deleted as can be. */
  async delete(params: unknown): Promise<object> {
    const key = readText(params, "sessionId");
    const { host, caller } = this.#parts;
    const state = lookUpVisible(host, caller, key);
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
      throw invalidParams("value: expected a string, true or false");
    }
    await this.#require(resource, { type: "session/configChanged", config: { [configId]: value } });
    const { configOptions } = this.#find(readText(params, "sessionId"));
    return { configOptions: describeOptions(configOptions, this.#parts.features) };
  }

  /** A new session that begins with the context of another, where its agent can. */
  async fork(params: unknown): Promise<object> {
    const { resource } = this.#find(readText(params, "sessionId"));
    const { cwd } = membersOf(params);
    return this.#create({
      type: "root/createSession",
      forkOf: resource,
      options: cwd === undefined ? {} : { cwd: readFolder(params) },
      awaitsAgent: true,
      ...this.#appName,
    });
  }

  /** Submits the request for a new session, and follows it. */
  async #create(request: Request, ignoredServers: readonly string[] = []): Promise<object> {
    this.#requireRoom();
    this.#newSessions += 1;
    let created: SessionState | undefined;
    try {
      created = await this.#submitNew(request);
    } finally {
      this.#newSessions -= 1;
    }
    if (created === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return this.#attachNew(created, ignoredServers);
  }

  async #submitNew(request: Request): Promise<SessionState | undefined> {
    const { hub } = this.#parts.host.ahp;
    await hub.recording.requireNow();
    const { result = {} } = requireAccepted(await this.#submit(ROOT_URI, request), "INTERNAL");
    await hub.recording.settled();
    return hub.state(result.uri ?? "", "session");
  }

  #requireRoom(): void {
    if (this.#attached.size + this.#newSessions < maxAttached) return;
    throw new RpcError(ErrorCode.tooBusy, `At most ${maxAttached} sessions can be followed at once.`);
  }

  get #appName(): { readonly appName?: string } {
    const { caller } = this.#parts;
    return caller.kind === "app" && caller.name !== undefined ? { appName: caller.name } : {};
  }

  #newSession(params: unknown): Request {
    const { host, agent } = this.#parts;
    const own = ownMembers(params);
    const sessionId = readWantedId(params);
    const wanted = typeof own["agent"] === "string" ? own["agent"] : agent;
    const offered = new Set(host.ahp.sessions.mcpServers);
    const mcpServers = readServerNames(params).filter((name) => offered.has(name));
    return {
      type: "root/createSession",
      ...(sessionId !== undefined && { name: { sessionId } }),
      options: {
        cwd: readFolder(params),
        ...(wanted !== undefined && { agent_id: wanted }),
        ...(mcpServers.length > 0 && { mcpServers }),
      },
      awaitsAgent: true,
      ...this.#appName,
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
        .catch((error: unknown) => this.#giveUp(session, error));
    });
    return { sessionId: session.key, ...this.#settings(session) };
  }

  #settings(session: AttachedSession): object {
    const { state } = session;
    return state === undefined ? {} : describeSettings(state, this.#parts.features);
  }

  #attach(state: SessionState): AttachedSession {
    // One that is over may have a prompt that still waits.
    this.#attached.get(state.key)?.end();
    this.#requireRoom();
    const { clientId } = this.#parts;
    const session: AttachedSession = new AttachedSession({
      ...this.#parts,
      state,
      isOwnTurn: (turnId) => turnId.startsWith(`${clientId}.`),
      asked: this.#asked,
      onClosed: () => {
        if (this.#attached.get(state.key) === session) this.#attached.delete(state.key);
      },
    });
    // The connection may have ended while the session was being created.
    if (this.#isClosed) session.close();
    else this.#attached.set(state.key, session);
    return session;
  }

  /** After the response to the current request, so that a client knows the session when its first update arrives. */
  #followLater(session: AttachedSession, start: Start, first: () => Promise<void> = async () => {}): void {
    setImmediate(() => {
      first()
        .then(() => session.follow(start))
        .catch((error: unknown) => this.#giveUp(session, error));
    });
  }

  #giveUp(session: AttachedSession, error: unknown): void {
    session.close();
    this.#parts.report(error);
  }

  /** A session that the client follows; one that it names without having opened it is followed from now on. */
  #followed(key: string): AttachedSession {
    const attached = this.#attached.get(key);
    if (attached?.isOver === false) return attached;
    const session = this.#attach(this.#find(key));
    try {
      session.follow({ from: "now", seq: this.#parts.host.ahp.hub.lastSeq });
    } catch (error) {
      session.close();
      throw error;
    }
    return session;
  }

  #submit(uri: string, submitted: Action | Request): Submission | Promise<Submission> {
    const { host, caller } = this.#parts;
    return host.ahp.submit(uri, submitted, submitterOf(caller));
  }

  async #require(uri: string, submitted: Action | Request): Promise<void> {
    requireAccepted(await this.#submit(uri, submitted), "ACP_SESSION_NOT_FOUND");
  }

  #find(key: string): SessionState {
    const { host, caller } = this.#parts;
    return findVisible(host, caller, key);
  }
}
