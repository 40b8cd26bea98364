// How things go: a session with all that is its own when it is purged, and what is too old or too much.
import { StorageError, type Pruned, type Purged, type Retention } from "@holdfast/core/ports";
import type { AuditTable } from "./audit-table.ts";
import type { ChannelTable } from "./channel-table.ts";
import { numberOf, textOf } from "./driver.ts";
import type { Database } from "./database.ts";
import type { SearchTable } from "./search-table.ts";
import type { SessionTable } from "./session-table.ts";
import type { Snapshots } from "./snapshots.ts";

interface RemovalParts {
  readonly database: Database;
  readonly channels: ChannelTable;
  readonly sessions: SessionTable;
  readonly search: SearchTable;
  readonly snapshots: Snapshots;
  readonly audit: AuditTable;
}

/** Steps that a purge takes at once, so that nobody waits long; `prune` takes those that are left. */
const maxEraseSteps = 8;

/** Removes sessions, terminals without a session, and old entries of the audit. */
export class Removal {
  readonly #parts: RemovalParts;
  /** How far the logs have been trimmed, and to which place; what is written meanwhile is left to the next time. */
  #trimming: { readonly afterSeq: number; readonly lastSeq: number } | undefined;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** Removes a session with its channels, and gives the space back. */
  purge(session: string): Purged {
    const purged = this.#purge(session);
    const { search } = this.#parts;
    for (let step = 0; step < maxEraseSteps && search.eraseStep(); step += 1) continue;
    this.#giveSpaceBack();
    return purged;
  }

  /** Removes a little; see the port. */
  prune({ nowMs, maxAgeMs, maxBytes, auditMaxAgeMs, maxSessions = 20 }: Retention): Pruned {
    const sessions: string[] = [];
    const terminals: string[] = [];
    const isTooMuch = (): boolean => maxBytes !== undefined && this.#sizeBytes() > maxBytes;
    const oldestToKeep = maxAgeMs === undefined ? "" : new Date(nowMs - maxAgeMs).toISOString();
    for (const { uri, lastActivityAt } of this.#parts.sessions.oldest(maxSessions)) {
      if (lastActivityAt >= oldestToKeep && !isTooMuch()) break;
      const purged = this.#purge(uri);
      sessions.push(...purged.sessions);
      terminals.push(...purged.terminals);
    }
    if (maxAgeMs !== undefined) terminals.push(...this.#removeTerminals(nowMs - maxAgeMs));
    if (auditMaxAgeMs !== undefined) {
      this.#parts.audit.forgetBefore(new Date(nowMs - auditMaxAgeMs).toISOString());
    }
    const isErased = !this.#parts.search.eraseStep();
    const isEnough = sessions.length < maxSessions;
    const isDone = isErased && isEnough && (!isTooMuch() || this.#trimLogs(maxSessions, isTooMuch));
    if (isDone) this.#trimming = undefined;
    this.#giveSpaceBack();
    return { sessions, terminals, isDone };
  }

  #purge(session: string): Purged {
    const { database, channels, search } = this.#parts;
    const own = channels.ofSession(session);
    database.transaction(() => {
      for (const { uri } of own) {
        search.removeChannel(uri);
        channels.remove(uri);
      }
    });
    return {
      sessions: own.filter(({ kind }) => kind === "session").map(({ uri }) => uri),
      terminals: own.filter(({ kind }) => kind === "terminal").map(({ uri }) => uri),
    };
  }

  /** Terminals that people closed and that belong to no session. */
  #removeTerminals(closedBeforeMs: number): string[] {
    const { database } = this.#parts;
    const condition = "kind = 'terminal' AND session_uri IS NULL AND is_open = 0 AND closed_at_ms < ?";
    return database.transaction(() => {
      // Not by RETURNING: a text that is not UTF-8 would end the process (see the driver on `libsql`).
      const rows = database.all(`SELECT uri FROM channel WHERE ${condition}`, closedBeforeMs);
      if (rows.length > 0) database.run(`DELETE FROM channel WHERE ${condition}`, closedBeforeMs);
      return rows.map((row) => textOf(row, "uri"));
    });
  }

  /** Lets logs go where states suffice, the oldest first; true when there is no more to do. */
  #trimLogs(limit: number, isTooMuch: () => boolean): boolean {
    const { database, snapshots } = this.#parts;
    this.#trimming ??= { afterSeq: 0, lastSeq: this.#newestSeq() };
    const { afterSeq, lastSeq } = this.#trimming;
    // The newest turn of a chat stays, so that a log may be as long afterwards: it is not looked at twice.
    const rows = database.all(
      `SELECT channel.uri, newest FROM channel JOIN (SELECT channel_id, MAX(seq) AS newest FROM action GROUP BY channel_id)
       ON channel.id = channel_id WHERE newest > ? AND newest <= ? ORDER BY newest LIMIT ?`,
      afterSeq,
      lastSeq,
      limit,
    );
    for (const row of rows) {
      snapshots.write(textOf(row, "uri"), 0);
      this.#trimming = { afterSeq: numberOf(row, "newest"), lastSeq };
      if (!isTooMuch()) return true;
    }
    return rows.length < limit;
  }

  #newestSeq(): number {
    const row = this.#parts.database.get("SELECT COALESCE(MAX(seq), 0) AS newest FROM action");
    return row === undefined ? 0 : numberOf(row, "newest");
  }

  /** Bytes of the file that are in use; free pages do not count. */
  #sizeBytes(): number {
    const read = (name: string): number => {
      const [row] = this.#parts.database.all(`PRAGMA ${name}`);
      return row === undefined ? 0 : numberOf(row, name);
    };
    return (read("page_count") - read("freelist_count")) * read("page_size");
  }

  /** Erases removed rows from the file and the log beside it, where they were only marked as free. */
  #giveSpaceBack(): void {
    const { database } = this.#parts;
    try {
      database.all("PRAGMA incremental_vacuum");
      database.all("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // The rows stay removed; on a full disk a later call gives their space back.
      if (!(error instanceof StorageError) || error.code !== "unavailable") throw error;
    }
  }
}
