// Sessions of this process: those that are open, behind them those that are kept, and their list in pages.
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { RpcError } from "@holdfast/jsonrpc";
import type { SessionInfo } from "../acp/agent-methods.ts";
import { invalidParams, type Params, readOptionalString, RESOURCE_NOT_FOUND } from "../acp/params.ts";
import type { SessionStore } from "./session-store.ts";
import { Session, type SessionRecord } from "./session.ts";

export class Sessions {
  readonly #store: SessionStore;
  readonly #open = new Map<string, Session>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Whether a session is there for the next process. */
  get outliveProcess(): boolean {
    return this.#store.outlivesProcess;
  }

  /** Opens a new session. */
  create(cwd: string): Session {
    const session = Session.create(randomUUID(), cwd);
    this.#open.set(session.id, session);
    this.save(session);
    return session;
  }

  /** An open session; an unknown one is an error of the client (S20). */
  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId, "is not open here");
    return session;
  }

  /** An open session, if it is one. */
  find(sessionId: string): Session | undefined {
    return this.#open.get(sessionId);
  }

  /** Opens a session again that is open or kept. */
  async reopen(sessionId: string, cwd: string): Promise<Session> {
    const kept = this.#open.has(sessionId) ? undefined : await this.#store.load(sessionId);
    let session = this.#open.get(sessionId);
    if (session !== undefined) {
      session.cwd = cwd;
    } else if (kept !== undefined) {
      session = Session.restore(kept, cwd);
      this.#open.set(sessionId, session);
    } else {
      const reach = this.outliveProcess
        ? "is not known"
        : "is not known: only sessions of this process are kept";
      throw unknownSession(sessionId, reach);
    }
    this.save(session);
    return session;
  }

  /** Keeps a session as it is now. */
  save(session: Session): void {
    this.#store.save(session.toKept());
  }

  /** Closes a session; it stays kept. */
  close(session: Session): void {
    this.save(session);
    this.#open.delete(session.id);
  }

  /** Lists what is kept, open or not. */
  async list(query: SessionQuery): Promise<SessionPage> {
    return makePage(await this.#store.list(), query);
  }

  /** Resolves when all is kept. */
  flush(): Promise<void> {
    return this.#store.flush();
  }
}

function unknownSession(sessionId: string, what: string): RpcError {
  return new RpcError(RESOURCE_NOT_FOUND, `Session ${sessionId} ${what}`, { sessionId });
}

const PAGE_SIZE = 50;

export interface SessionPage {
  sessions: SessionInfo[];
  nextCursor?: string;
}

/** Key of a place in the list, which stays valid when sessions before it come and go. */
type Place = Pick<SessionRecord, "updatedAt" | "sessionId">;

interface SessionQuery {
  readonly cwd?: string | undefined;
  readonly after?: Place | undefined;
}

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
