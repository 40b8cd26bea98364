// What clients can ask of sessions and chats.
import { makeId, type ChatState, type Turn } from "@holdfast/ahp";
import type { SessionPage } from "@holdfast/core";
import type { AhpRequests } from "@holdfast/ahp/dialects";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import { END_OF_TURNS } from "./channels.ts";
import { complete } from "./completions.ts";
import type { Conversation } from "./conversation.ts";
import type { HandlerTools, RequestHandlers } from "./handlers.ts";
import { invalidParams } from "./rpc-error.ts";
import { readSessionConfig, sessionConfigSchema } from "./session-config.ts";

type SessionMethod =
  | "listSessions"
  | "createSession"
  | "disposeSession"
  | "resolveSessionConfig"
  | "fetchTurns"
  | "completions";

const defaultTurns = 50;
const pageSessions = 100;

/** The handlers of what concerns sessions. */
export function sessionHandlers(tools: HandlerTools): Pick<RequestHandlers, SessionMethod> {
  const { port, channels } = tools;
  return {
    listSessions: ({ dialect }, params) => {
      const { sessions, nextCursor } = listSessions(port.sessions, params);
      const items = sessions.map(({ summary }) => dialect.showSummary(summary));
      return { items, ...(nextCursor !== undefined && { nextCursor }) };
    },
    createSession: async ({ record }, wanted) => {
      const { channel, provider, workingDirectories, model, config, activeClient } = wanted;
      if (activeClient !== undefined && activeClient.clientId !== record.clientId) {
        throw invalidParams("activeClient: a client can only announce itself");
      }
      const [workingDirectory] = workingDirectories;
      await port.sessions.create({
        uri: makeId("session URI", channel),
        provider,
        workingDirectory,
        model,
        ...readSessionConfig(config),
        activeClient,
      });
      return null;
    },
    disposeSession: async ({ dialect }, { channel }) => {
      const found = channels.findNow(dialect, channel);
      if (found?.kind !== "session") throw new HostError("ACP_SESSION_NOT_FOUND");
      // A session that is over is as closed as can be.
      if (found.isLive) await port.sessions.dispose(found.uri);
      return null;
    },
    resolveSessionConfig: (_conversation, { config = {} }) => ({
      schema: sessionConfigSchema(port.sessions.mcpServers),
      values: config,
    }),
    fetchTurns: (conversation, params) => fetchTurns(tools, conversation, params),
    completions: (conversation, params) => complete(tools, conversation, params),
  };
}

/** A page; without a limit all of them, because clients of that time know no pages. */
function listSessions(
  sessions: AhpPort["sessions"],
  { limit, cursor, includeClosed = false }: AhpRequests["listSessions"],
): SessionPage {
  if (cursor !== undefined && !isCursor(cursor)) throw invalidParams("cursor: not one of this host's");
  const query = { ...(!includeClosed && { isOpen: true }), ...(cursor !== undefined && { cursor }) };
  if (limit !== undefined) return sessions.list({ ...query, limit: Math.max(1, limit) });
  const all = [];
  let page = sessions.list({ ...query, limit: pageSessions });
  all.push(...page.sessions);
  while (page.nextCursor !== undefined) {
    page = sessions.list({ ...query, limit: pageSessions, cursor: page.nextCursor });
    all.push(...page.sessions);
  }
  return { sessions: all };
}

function isCursor(cursor: string): boolean {
  const [at = "", uri = ""] = cursor.split(" ");
  return !Number.isNaN(Date.parse(at)) && uri !== "";
}

/** The turns before the one that a client has as its oldest; it is named by its id. */
function fetchTurns(
  { channels, port: { hub } }: HandlerTools,
  conversation: Conversation,
  { channel, cursor, limit = defaultTurns }: AhpRequests["fetchTurns"],
): object {
  const { dialect } = conversation;
  const found = channels.findNow(dialect, channel);
  const chat = found && channels.chat(found.uri);
  if (chat === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
  const { turns, nextCursor } = turnsBefore(chat, cursor, Math.max(1, limit));
  const page = { chat: chat.resource, turns, ...(nextCursor !== undefined && { nextCursor }) };
  const shown = dialect.showTurns(page, hub.lastSeq);
  if (shown.messages.length === 0) return shown.result;
  // Who names no place has them all from the snapshot: told as actions, they would be there twice.
  if (cursor !== undefined) conversation.tell(dialect.showTurns(page, hub.takeSeq()).messages);
  return shown.result;
}

function turnsBefore(
  { turns }: ChatState,
  cursor: string | undefined,
  limit: number,
): { readonly turns: readonly Turn[]; readonly nextCursor?: string } {
  const isFromEnd = cursor === undefined || cursor === END_OF_TURNS;
  const end = isFromEnd ? turns.length : turns.findIndex(({ id }) => id === cursor);
  if (end < 0) throw invalidParams("cursor: there is no such turn");
  const start = Math.max(0, end - limit);
  const page = turns.slice(start, end);
  const [first] = page;
  return { turns: page, ...(start > 0 && first !== undefined && { nextCursor: first.id }) };
}
