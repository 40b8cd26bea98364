// Sessions kept in memory, for an agent that was given no folder.
import type { KeptSession, SessionRecord } from "./session-record.ts";
import type { SessionStore } from "./session-store.ts";

const MAX_SESSIONS = 256;

/** Keeps the sessions that were saved last, until the process ends. */
export class MemoryStore implements SessionStore {
  readonly outlivesProcess = false;
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, KeptSession>();

  constructor(maxSessions: number = MAX_SESSIONS) {
    this.#maxSessions = maxSessions;
  }

  save(session: KeptSession): void {
    const { sessionId } = session.record;
    // Deleted first, so that the order of the map is the order of saving.
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > this.#maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
  }

  async load(sessionId: string): Promise<KeptSession | undefined> {
    return this.#sessions.get(sessionId);
  }

  async list(): Promise<SessionRecord[]> {
    return [...this.#sessions.values()].map((session) => session.record);
  }

  async flush(): Promise<void> {
    // Saving is all there is to do.
  }
}
