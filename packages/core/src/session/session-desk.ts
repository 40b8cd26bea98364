// The desk of a host's sessions: what a transport for people asks of them and of their chats.
import { fileURLToPath } from "node:url";
import { type Action, type ActiveClient, type ApprovalPolicy, type SessionUri, makeId } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { McpServers } from "../agent/mcp-servers.ts";
import type { Approvals } from "../approval/approvals.ts";
import type { InputRequests } from "../approval/input-requests.ts";
import type { KindedState } from "../channel/channel.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin } from "../channel/log-entry.ts";
import type { SessionPage, SessionQuery, Storage } from "../ports.ts";
import type { Submission } from "../terminal/terminal-desk.ts";
import { submitChatAction } from "./chat-submission.ts";
import { rejectionOf } from "./rejection.ts";
import { submitSessionAction } from "./session-submission.ts";
import type { Sessions } from "./sessions.ts";

/** What the desk needs of its host. */
export interface SessionDeskParts {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  readonly inputs: InputRequests;
  readonly mcpServers: McpServers;
}

/** A session or a chat that was found: in memory, where it goes on, or only kept, because its session is over. */
export type FoundChannel =
  | { readonly kind: "live" }
  | { readonly kind: "kept"; readonly channel: KindedState };

/** A session that a client wants. */
export interface WantedSession {
  readonly uri: SessionUri;
  /** The agent; absent: the configuration's default. */
  readonly provider?: string | undefined;
  /** A `file:` URI; absent: the configuration's default. */
  readonly workingDirectory?: string | undefined;
  readonly model?: string | undefined;
  /** What nobody is asked about; absent: the configuration's default. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  /** By their names in the configuration. */
  readonly mcpServers?: readonly string[] | undefined;
  /** The client that asks, if it takes part from the start. */
  readonly activeClient?: ActiveClient | undefined;
}

const owner = { kind: "owner" } as const;

/** Everything that people do with sessions and chats; whoever comes here may see them all. */
export class SessionDesk {
  readonly #parts: SessionDeskParts;

  constructor(parts: SessionDeskParts) {
    this.#parts = parts;
  }

  /** The names of the MCP servers that a session can choose from. */
  get mcpServers(): readonly string[] {
    return this.#parts.mcpServers.names;
  }

  /** Finds a session or a chat, and brings a chat that rests into memory; undefined when there never was one. */
  find(uri: string): FoundChannel | undefined {
    const { hub, sessions, storage } = this.#parts;
    const session = sessions.ofChannel(uri);
    if (session?.chat === uri) session.conversation.load();
    if (hub.has(uri)) return { kind: "live" };
    const kept = storage.loadChannel(uri);
    if (kept?.kind === "session") return { kind: "kept", channel: { kind: kept.kind, state: kept.state } };
    return kept?.kind === "chat"
      ? { kind: "kept", channel: { kind: kept.kind, state: kept.state } }
      : undefined;
  }

  /** A page of the sessions that are kept, the newest activity first. */
  list(query: SessionQuery): SessionPage {
    return this.#parts.storage.listSessions(query);
  }

  /** Opens a session and starts its agent in the background; rejects with a `HostError`, and then leaves nothing. */
  async create(wanted: WantedSession): Promise<void> {
    const { uri, provider, workingDirectory, model, approvalPolicy, mcpServers, activeClient } = wanted;
    const cwd = workingDirectory === undefined ? undefined : readFolder(workingDirectory);
    const session = await this.#parts.sessions.begin(
      uri,
      {
        ...(provider !== undefined && { agent_id: provider }),
        ...(cwd !== undefined && { cwd }),
        ...(model !== undefined && { model }),
        ...(approvalPolicy !== undefined && { approvalPolicy }),
        ...(mcpServers !== undefined && { mcpServers: [...mcpServers] }),
      },
      owner,
    );
    if (activeClient !== undefined) session.tell({ type: "session/activeClientSet", client: activeClient });
  }

  /** Closes a session; what was said in it is kept. */
  async dispose(uri: string): Promise<void> {
    const session = this.#parts.sessions.ofChannel(uri);
    if (session?.uri !== uri) throw new HostError("ACP_SESSION_NOT_FOUND");
    await this.#parts.sessions.close(session.key, owner);
  }

  /**
   * Carries out an action of a client that was judged to fit the state; call it once for each (clientId, clientSeq).
   * What the agent has to agree to takes a moment.
   */
  submit(uri: string, action: Action, origin: ActionOrigin): Submission | Promise<Submission> {
    const session = this.#parts.sessions.ofChannel(uri);
    if (session === undefined) {
      return this.find(uri) === undefined
        ? { outcome: "unknown-channel" }
        : { outcome: "rejected", reason: "The session is over." };
    }
    try {
      return session.chat === uri
        ? submitChatAction(this.#parts, session, action, origin)
        : submitSessionAction(session, action, origin);
    } catch (error) {
      return rejectionOf(error);
    }
  }

  /** Takes a client out of the sessions in which it takes part; with `kept`, not out of those. */
  removeClient(clientId: string, kept: ReadonlySet<string> = new Set()): void {
    for (const session of this.#parts.sessions.all) {
      const client = session.state.activeClients.find((active) => active.clientId === clientId);
      if (client === undefined || kept.has(session.uri)) continue;
      session.tell({ type: "session/activeClientRemoved", clientId: makeId("client", clientId) });
    }
  }
}

function readFolder(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new HostError("INVALID_REQUEST", `${uri} is not the file: URI of a folder.`, { cause });
  }
}
