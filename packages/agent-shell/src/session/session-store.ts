// Where sessions are kept while nobody has them open.
import type { KeptSession, SessionRecord } from "./session-record.ts";

/** Keeps sessions. */
export interface SessionStore {
  /** Whether what it keeps is there for the next process. */
  readonly outlivesProcess: boolean;
  /** Keeps a session as it is at this moment. Returns at once; of several in a row the last one counts. */
  save(session: KeptSession): void;
  /** Finds a session; `undefined` if it is not known. */
  load(sessionId: string): Promise<KeptSession | undefined>;
  /** All sessions, in no order. */
  list(): Promise<SessionRecord[]>;
  /** Resolves when all that was saved is kept. */
  flush(): Promise<void>;
}
