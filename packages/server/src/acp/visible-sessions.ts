// The open sessions that an ACP client may see, by their keys, which are their ids in ACP.
import { fileURLToPath } from "node:url";
import { parseSessionKey, type SessionId, type SessionState, type SessionSummary } from "@holdfast/ahp";
import { isListCursor, maySee } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";
import type { AcpHost } from "./acp-host.ts";
import { invalidParams, readOptionalText } from "./params.ts";

const pageSessions = 100;

/** A page of the sessions, the newest activity first. */
export function listVisible(host: AcpHost, caller: Caller, params: unknown): object {
  const cwd = readOptionalText(params, "cwd");
  const cursor = readOptionalText(params, "cursor");
  if (cursor !== undefined && !isListCursor(cursor)) throw invalidParams("cursor: unknown cursor");
  const found = findOpen(host, cursor, ({ owner, workingDirectories }) => {
    return maySee(caller, owner) && (cwd === undefined || folderOf(workingDirectories[0]) === cwd);
  });
  const page = found.slice(0, pageSessions);
  const last = page.at(-1);
  // A cursor names a session, so it is one that was sent: the client must not learn of others.
  const isLastPage = last === undefined || found.length === page.length;
  return {
    sessions: page.map(describeSession),
    ...(!isLastPage && { nextCursor: `${last.lastActivityAt} ${last.resource}` }),
  };
}

/** The wanted sessions after a place: more than a page has if there are more. */
function findOpen(
  { ahp: { sessions } }: AcpHost,
  start: string | undefined,
  isWanted: (summary: SessionSummary) => boolean,
): SessionSummary[] {
  const found: SessionSummary[] = [];
  let cursor = start;
  do {
    const from = cursor === undefined ? {} : { cursor };
    const page = sessions.list({ isOpen: true, limit: pageSessions, ...from });
    found.push(...page.sessions.map(({ summary }) => summary).filter(isWanted));
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length <= pageSessions);
  return found;
}

function describeSession(summary: SessionSummary): object {
  const { key, title, label, lastActivityAt, workingDirectories, provider, phase } = summary;
  return {
    sessionId: key,
    cwd: folderOf(workingDirectories[0]),
    title: label ?? title,
    updatedAt: lastActivityAt,
    _meta: { holdfast: { agent: provider, status: phase.status } },
  };
}

/** A session by its key; throws where there is none. */
export function findVisible(host: AcpHost, caller: Caller, key: string): SessionState {
  const state = lookUpVisible(host, caller, key);
  if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
  return state;
}

export function lookUpVisible(host: AcpHost, caller: Caller, key: string): SessionState | undefined {
  const state = host.ahp.hub.list("session").find((each) => each.state.key === key)?.state;
  return state !== undefined && maySee(caller, state.owner) ? state : undefined;
}

/** An open session by the id in its key. */
export function lookUpById(host: AcpHost, id: SessionId): SessionState | undefined {
  const open = host.ahp.hub.list("session");
  return open.find(({ state }) => parseSessionKey(state.key)?.sessionId === id)?.state;
}

function folderOf(uri: string | undefined): string {
  return uri?.startsWith("file:") === true ? fileURLToPath(uri) : "/";
}
