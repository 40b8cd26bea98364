// A page of the list of sessions, newest first, and the cursor to the next.
import { isAbsolute } from "node:path";
import { invalidParams, readOptionalString } from "../acp/params.ts";
import type { SessionInfo } from "../acp/agent-methods.ts";
import type { Params } from "../acp/params.ts";
import type { SessionRecord } from "./session-record.ts";

const PAGE_SIZE = 50;

/** A part of a list. */
export interface SessionPage {
  sessions: SessionInfo[];
  nextCursor?: string;
}

/** What a place in the list is known by: sessions may come and go before it. */
type Place = Pick<SessionRecord, "updatedAt" | "sessionId">;

/** Which sessions are wanted. */
export interface SessionQuery {
  readonly cwd?: string | undefined;
  readonly after?: Place | undefined;
}

/** Reads the params of `session/list`. */
export function readSessionQuery(params: Params): SessionQuery {
  const cwd = readOptionalString(params, "cwd");
  if (cwd !== undefined && !isAbsolute(cwd)) throw invalidParams("cwd", "an absolute path");
  const cursor = readOptionalString(params, "cursor");
  return { cwd, after: cursor === undefined ? undefined : decodeCursor(cursor) };
}

/** Makes the page that a query asks for (S19). */
export function makePage(
  records: readonly SessionRecord[],
  query: SessionQuery,
  pageSize = PAGE_SIZE,
): SessionPage {
  const { cwd, after } = query;
  const wanted = records
    .filter((record) => cwd === undefined || record.cwd === cwd)
    .toSorted(compare)
    .filter((record) => after === undefined || compare(record, after) > 0);
  const page = wanted.slice(0, pageSize);
  const last = page.at(-1);
  const hasMore = wanted.length > page.length && last !== undefined;
  return { sessions: page.map(toInfo), ...(hasMore && { nextCursor: encodeCursor(last) }) };
}

function compare(left: Place, right: Place): number {
  if (left.updatedAt !== right.updatedAt) return left.updatedAt > right.updatedAt ? -1 : 1;
  if (left.sessionId === right.sessionId) return 0;
  return left.sessionId < right.sessionId ? -1 : 1;
}

function toInfo({ sessionId, cwd, updatedAt, title }: SessionRecord): SessionInfo {
  return { sessionId, cwd, updatedAt, ...(title !== undefined && { title }) };
}

function encodeCursor({ updatedAt, sessionId }: Place): string {
  return Buffer.from(`${updatedAt} ${sessionId}`).toString("base64url");
}

function decodeCursor(cursor: string): Place {
  const match = /^(\d{4}-\S+Z) (\S+)$/.exec(Buffer.from(cursor, "base64url").toString());
  const [, updatedAt, sessionId] = match ?? [];
  if (updatedAt === undefined || sessionId === undefined) {
    throw invalidParams("cursor", "a nextCursor that this agent gave");
  }
  return { updatedAt, sessionId };
}
