// Handlers of requests about sessions and chats.
import { fileURLToPath } from "node:url";
import { ROOT_URI, defaultChatUri, makeId } from "@holdfast/ahp";
import type { AhpRequests } from "@holdfast/ahp/dialects";
import { isListCursor, requireAccepted, type SessionPage } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import { END_OF_TURNS } from "./channels.ts";
import { complete } from "./completions.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import type { HandlerDeps, RequestHandlers } from "./handlers.ts";
import { invalidParams } from "./rpc-error.ts";
import { configValues, readSessionConfig, resolvedValues, sessionConfigSchema } from "./session-config.ts";

type SessionMethod =
  | "listSessions"
  | "createSession"
  | "disposeSession"
  | "reopenSession"
  | "createChat"
  | "disposeChat"
  | "resolveSessionConfig"
  | "sessionConfigCompletions"
  | "fetchTurns"
  | "completions";

const ONE_CHAT = "a session has exactly one chat; create or dispose of a session instead";
const defaultTurns = 50;
const pageSessions = 100;

export function sessionHandlers(deps: HandlerDeps): Pick<RequestHandlers, SessionMethod> {
  const { port, channels, starts } = deps;
  return {
    listSessions: ({ dialect }, params) => {
      const { sessions, nextCursor } = listSessions(port.sessions, params);
      const items = sessions.map(({ summary }) => dialect.showSummary(summary));
      return { items, ...(nextCursor !== undefined && { nextCursor }) };
    },
    createSession: async (subscriptions, wanted) => {
      const { record } = subscriptions;
      const { channel, provider, workingDirectories, model, config, activeClient, progressToken } = wanted;
      if (activeClient !== undefined && activeClient.clientId !== record.clientId) {
        throw invalidParams("activeClient: a client can only announce itself");
      }
      const [workingDirectory] = workingDirectories;
      const cwd = workingDirectory === undefined ? undefined : readFolder(workingDirectory);
      const chosen = readSessionConfig(config);
      const options = {
        ...(provider !== undefined && { agent_id: provider }),
        ...(cwd !== undefined && { cwd }),
        ...(model !== undefined && { model }),
        ...chosen.options,
      };
      const name = { uri: makeId("session URI", channel) };
      const request = {
        type: "root/createSession",
        name,
        options,
        preferences: chosen.preferences,
        activeClient,
        awaitsAgent: false,
      } as const;
      requireAccepted(await port.submit(ROOT_URI, request, record.submitter), "INTERNAL");
      if (progressToken !== undefined) starts.follow(name.uri, progressToken, subscriptions);
      return null;
    },
    disposeSession: async ({ dialect, record }, { channel }) => {
      const found = channels.findNow(dialect, channel);
      if (found?.kind !== "session") throw new HostError("ACP_SESSION_NOT_FOUND");
      // A session that is over is as closed as can be.
      if (!found.isLive) return null;
      const submission = await port.submit(found.uri, { type: "session/close" }, record.submitter);
      requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
      return null;
    },
    reopenSession: async ({ dialect, record }, { channel }) => {
      const found = channels.findNow(dialect, channel);
      if (found?.kind !== "session") throw new HostError("ACP_SESSION_NOT_FOUND");
      const submission = await port.submit(found.uri, { type: "session/reopen" }, record.submitter);
      requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
      return null;
    },
    // An editor may ask for the chat that every session begins with.
    createChat: ({ dialect }, { channel, chat }) => {
      const found = channels.findNow(dialect, channel);
      if (found?.kind !== "session") throw new HostError("ACP_SESSION_NOT_FOUND");
      const own = defaultChatUri(makeId("session URI", found.uri));
      if (channels.findNow(dialect, chat)?.uri === own) return null;
      throw invalidParams(`chat: ${ONE_CHAT}`);
    },
    disposeChat: ({ dialect }, { channel }) => {
      if (channels.findNow(dialect, channel)?.kind === "chat") throw invalidParams(`channel: ${ONE_CHAT}`);
      throw new HostError("ACP_SESSION_NOT_FOUND");
    },
    resolveSessionConfig: (_subscriptions, { config }) => {
      const schema = sessionConfigSchema(port.sessions);
      return { schema, values: resolvedValues(schema, config) };
    },
    // Every setting lists its values in its schema: there is nothing to look up.
    sessionConfigCompletions: (_subscriptions, { property, query = "" }) => ({
      items: configValues(sessionConfigSchema(port.sessions), property)
        .filter((value) => value.includes(query))
        .map((value) => ({ value, label: value })),
    }),
    fetchTurns: (subscriptions, params) => fetchTurns(deps, subscriptions, params),
    completions: (subscriptions, params) => complete(deps, subscriptions, params),
  };
}

/** A page; without a limit all of them, because clients of that time know no pages. */
function listSessions(
  sessions: AhpPort["sessions"],
  { limit, cursor, includeClosed = false }: AhpRequests["listSessions"],
): SessionPage {
  if (cursor !== undefined && !isListCursor(cursor)) throw invalidParams("cursor: unknown cursor");
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

/** The turns before the one that a client has as its oldest; it is named by its id. */
function fetchTurns(
  { channels, port: { hub, sessions } }: HandlerDeps,
  subscriptions: ClientSubscriptions,
  { channel, cursor, limit = defaultTurns }: AhpRequests["fetchTurns"],
): object {
  const { dialect } = subscriptions;
  const known = channels.findNow(dialect, channel);
  const chat = known && channels.chat(known.uri);
  if (chat === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
  const before = cursor === END_OF_TURNS ? undefined : cursor;
  const found = sessions.readTurns(chat, before, Math.max(1, limit));
  if (found === undefined) throw invalidParams("cursor: there is no such turn");
  const [first] = found.turns;
  const page = {
    chat: chat.resource,
    turns: found.turns,
    ...(found.hasMore && first !== undefined && { nextCursor: first.id }),
  };
  const shown = dialect.showTurns(page, hub.lastSeq);
  if (shown.messages.length === 0) return shown.result;
  // Without a cursor, the snapshot already has these turns: sent as actions, they would appear twice.
  if (cursor !== undefined) subscriptions.delivery.sendNow(dialect.showTurns(page, hub.takeSeq()).messages);
  return shown.result;
}

function readFolder(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new HostError("INVALID_REQUEST", `${uri} is not the file: URI of a folder.`, { cause });
  }
}
