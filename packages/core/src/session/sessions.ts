// All sessions of the host: creates them, finds them for their owners, closes them.
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import {
  type Actor,
  ROOT_URI,
  type RuntimeOptions,
  defaultChatUri,
  formatSessionKey,
  makeId,
  newChatState,
  newSessionState,
  sessionUri,
  summarizeChat,
  summarizeSession,
} from "@holdfast/ahp";
import { type Config, HostError, type SessionOptions } from "@holdfast/protocol";
import type { AgentEntries, AgentEntry } from "../agent/agent-entry.ts";
import { HostSession } from "./host-session.ts";
import type { SessionTools } from "./session-tools.ts";

/** The rules that new sessions are held to. */
export type SessionRules = Pick<Config, "defaults" | "allowedAgents" | "maxSessions" | "acp"> & {
  readonly defaultCwd: string;
};

/** The sessions of one host. `close` closes them all. */
export class Sessions {
  readonly #tools: SessionTools;
  readonly #entries: AgentEntries;
  readonly #rules: SessionRules;
  readonly #sessions = new Map<string, HostSession>();

  constructor(tools: SessionTools, entries: AgentEntries, rules: SessionRules) {
    this.#tools = tools;
    this.#entries = entries;
    this.#rules = rules;
  }

  get all(): readonly HostSession[] {
    return [...this.#sessions.values()];
  }

  /** A session by its key; a closed or unknown one is an error. */
  get(key: string): HostSession {
    const session = this.#sessions.get(key);
    if (session === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return session;
  }

  /** Starts an agent in a new session; resolves when it is ready. */
  async create(options: SessionOptions): Promise<HostSession> {
    const entry = this.#admit(options.agent_id);
    const runtimeOptions = await this.#chooseOptions(options);
    if (this.#sessions.size >= this.#rules.maxSessions) throw new HostError("ACP_MAX_SESSIONS");
    const session = this.#open(entry, options, runtimeOptions);
    try {
      await session.start();
      return session;
    } catch (error) {
      await this.close(session.key, { kind: "host" }, "The agent could not be started.");
      throw error;
    }
  }

  async close(key: string, by: Actor, reason?: string): Promise<void> {
    const session = this.get(key);
    this.#sessions.delete(key);
    await session.close(by, reason);
    this.#tools.hub.dispatch(ROOT_URI, { type: "root/sessionRemoved", session: session.uri });
    // Who still reads the last turn gets to its end first.
    setImmediate(() => {
      this.#tools.hub.close(session.chat);
      this.#tools.hub.close(session.uri);
    });
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.all.map(({ key }) => this.close(key, { kind: "host" }, "The host is stopping.")));
  }

  #admit(agentId: string): AgentEntry {
    if (!this.#rules.acp.enabled) throw new HostError("ACP_DISABLED");
    const entry = this.#entries.find(agentId);
    const { allowedAgents } = this.#rules;
    const names = new Set([entry.id, ...entry.handles]);
    if (allowedAgents !== undefined && !allowedAgents.some((name) => names.has(name))) {
      throw new HostError("ACP_AGENT_NOT_ALLOWED");
    }
    return entry;
  }

  async #chooseOptions({
    cwd,
    model,
    approvalPolicy,
  }: SessionOptions): Promise<RuntimeOptions & { cwd: string }> {
    const { defaults, defaultCwd } = this.#rules;
    const folder = cwd ?? defaults.cwd ?? defaultCwd;
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true) {
      throw new HostError(
        "ACP_INVALID_OPTION",
        `cwd: there is no directory ${folder}. Create it, or name another.`,
      );
    }
    const chosen = {
      model: model ?? defaults.model,
      approvalPolicy: approvalPolicy ?? defaults.approvalPolicy,
      timeoutSeconds: defaults.timeoutSeconds,
      runtimeMode: defaults.runtimeMode,
    };
    return {
      cwd: folder,
      ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
    };
  }

  #open(
    entry: AgentEntry,
    { label }: SessionOptions,
    runtimeOptions: RuntimeOptions & { cwd: string },
  ): HostSession {
    const { hub } = this.#tools;
    const sessionId = makeId("session", randomUUID());
    const key = formatSessionKey({ handle: entry.handles[0] ?? entry.id, sessionId });
    const uri = sessionUri(sessionId);
    const chat = defaultChatUri(uri);
    const at = this.#tools.now().toISOString();
    const title = label ?? entry.label;
    hub.open(
      uri,
      "session",
      newSessionState({
        resource: uri,
        key,
        provider: makeId("agent", entry.id),
        owner: { kind: "person" },
        title,
        at,
        workingDirectories: [pathToFileURL(runtimeOptions.cwd).href],
        runtimeOptions,
        ...(label !== undefined && { label }),
      }),
    );
    const chatState = newChatState({ resource: chat, title, at });
    hub.open(chat, "chat", chatState);
    hub.dispatch(uri, { type: "session/chatAdded", chat: summarizeChat(chatState) });
    hub.dispatch(uri, { type: "session/defaultChatChanged", defaultChat: chat });
    const session = new HostSession({ key, uri, chat, entry }, this.#tools);
    this.#sessions.set(key, session);
    hub.dispatch(ROOT_URI, { type: "root/sessionAdded", summary: summarizeSession(session.state) });
    return session;
  }
}
