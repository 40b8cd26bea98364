// An append-only record of what was done: every command, approval and file write, by whom, where, with which outcome.

/** One entry. */
export interface AuditEntry {
  readonly at: string;
  /** The session it happened in; empty for a command that the owner ran without one. */
  readonly session: string;
  readonly turnId?: string | undefined;
  readonly what: "command" | "approval" | "file-read" | "file-write";
  /** The command line, the tool call's title, or the path. */
  readonly subject: string;
  readonly cwd?: string | undefined;
  /** Who decided: a policy, a client, an app, the host. */
  readonly by: string;
  readonly verdict: "allowed" | "denied" | "cancelled" | "expired";
  /** What came of it, where it is known at once. */
  readonly outcome?: string | undefined;
}

/** Where entries go to stay. */
export interface AuditStore {
  append(entry: AuditEntry): void;
}

/** What the host keeps at hand of its record. */
const maxRecent = 2000;

/** The record of one host. */
export class Audit {
  readonly #store: AuditStore | undefined;
  readonly #now: () => Date;
  #recent: AuditEntry[] = [];

  constructor(now: () => Date, store?: AuditStore) {
    this.#now = now;
    this.#store = store;
  }

  record(entry: Omit<AuditEntry, "at">): void {
    const dated = { at: this.#now().toISOString(), ...entry };
    this.#store?.append(dated);
    this.#recent.push(dated);
    // Half is dropped at once, so that keeping the record costs nothing per entry.
    if (this.#recent.length > maxRecent) this.#recent = this.#recent.slice(-maxRecent / 2);
  }

  /** The newest entries, oldest first. */
  get recent(): readonly AuditEntry[] {
    return this.#recent;
  }
}
