// Directory of sessions and chats: found in memory or in storage, listed, and read turn by turn.
import { type ActiveTurn, type ChatState, type Turn, makeId } from "@holdfast/ahp";
import type { IsolationLevel } from "@holdfast/terminal/port";
import type { McpServers } from "../agent/mcp-servers.ts";
import type { StateByKind } from "../channel/channel.ts";
import type { Hub } from "../channel/hub.ts";
import type { Isolation } from "../isolation/isolation.ts";
import type { SessionPage, SessionQuery, Storage } from "../ports.ts";
import { turnsBefore, type TurnPage } from "../storage/omitted-turns.ts";
import type { Sessions } from "./sessions.ts";

export interface SessionDirectoryDeps {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly mcpServers: McpServers;
  readonly isolation: Isolation;
}

/** A session or a chat that was found: live in memory, or only stored, because its session is over. */
export type FoundChannel =
  | { readonly kind: "live" }
  /** `seq` is the number of its last action. */
  | { readonly kind: "kept"; readonly channel: StateByKind; readonly seq: number };

/** For the owner's clients, which may see every session. */
export class SessionDirectory {
  readonly #deps: SessionDirectoryDeps;

  constructor(deps: SessionDirectoryDeps) {
    this.#deps = deps;
  }

  /** The names of the MCP servers that a session can choose from. */
  get mcpServers(): readonly string[] {
    return this.#deps.mcpServers.names;
  }

  /** The levels of isolation that a session can choose from, and the one that it gets without a choice. */
  get isolation(): { readonly choices: readonly IsolationLevel[]; readonly level: IsolationLevel } {
    const { choices, level } = this.#deps.isolation;
    return { choices, level };
  }

  /** Whether an agent, or the default one, is known to fork its sessions. */
  canFork(agent?: string): boolean {
    return this.#deps.sessions.canFork(agent);
  }

  /** Finds a session or a chat, and loads an unloaded chat into memory; undefined when there never was one. */
  find(uri: string): FoundChannel | undefined {
    const { hub, sessions, storage } = this.#deps;
    const session = sessions.ofChannel(uri);
    if (session?.chat.uri === uri) session.chat.load();
    if (hub.has(uri)) return { kind: "live" };
    const kept = storage.loadChannel(uri);
    if (kept?.kind === "session") {
      return { kind: "kept", channel: { kind: kept.kind, state: kept.state }, seq: kept.seq };
    }
    return kept?.kind === "chat"
      ? { kind: "kept", channel: { kind: kept.kind, state: kept.state }, seq: kept.seq }
      : undefined;
  }

  /** The turns of a chat before one of them, or the newest; undefined when there is no such turn. */
  readTurns(
    { resource, turns, turnsNextCursor }: ChatState,
    before: string | undefined,
    limit: number,
  ): TurnPage | undefined {
    const { storage } = this.#deps;
    const older = (rest: number): TurnPage => {
      const first = turnsNextCursor === undefined ? undefined : turns[0];
      return (first && storage.readTurns(resource, first.id, rest)) ?? { turns: [], hasMore: false };
    };
    const inMemory = turnsBefore(turns, before, limit, older);
    return inMemory ?? (before === undefined ? undefined : storage.readTurns(resource, before, limit));
  }

  /** A turn of a chat, running or ended; undefined when there is no such turn. */
  findTurn(chat: string, turnId: string): Turn | ActiveTurn | undefined {
    const found = this.find(chat);
    const kept = found?.kind === "kept" && found.channel.kind === "chat" ? found.channel.state : undefined;
    const state = found?.kind === "live" ? this.#deps.hub.state(chat, "chat") : kept;
    if (state === undefined) return undefined;
    if (state.activeTurn?.id === turnId) return state.activeTurn;
    const ended = state.turns.findLast(({ id }) => id === turnId);
    return ended ?? this.#deps.storage.findOmittedTurn(chat, { turnId });
  }

  /** A page of the sessions that are kept, the newest activity first. */
  list(query: SessionQuery): SessionPage {
    return this.#deps.storage.listSessions(query);
  }

  /** Takes a client out of the sessions in which it takes part; with `kept`, not out of those. */
  removeClient(clientId: string, kept: ReadonlySet<string> = new Set()): void {
    for (const session of this.#deps.sessions.all) {
      const client = session.state.activeClients.find((active) => active.clientId === clientId);
      if (client === undefined || kept.has(session.uri)) continue;
      session.publish({ type: "session/activeClientRemoved", clientId: makeId("client", clientId) });
    }
  }
}

/** Whether a text can be the cursor of a page of sessions: the time of the last activity, and the URI. */
export function isListCursor(cursor: string): boolean {
  const [at = "", uri = ""] = cursor.split(" ");
  return !Number.isNaN(Date.parse(at)) && uri !== "";
}
