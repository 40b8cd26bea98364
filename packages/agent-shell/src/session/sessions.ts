// The sessions of this process: those that are open, and behind them those that are kept.
import { randomUUID } from "node:crypto";
import { RpcError } from "@holdfast/jsonrpc";
import { RESOURCE_NOT_FOUND } from "../acp/error-code.ts";
import { makePage } from "./session-page.ts";
import { Session } from "./session.ts";
import type { SessionPage, SessionQuery } from "./session-page.ts";
import type { SessionStore } from "./session-store.ts";

/** Opens, finds, lists and closes sessions. */
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
