// The audit: entries are only added, and kept before `append` returns.
import type { AuditEntry, AuditQuery, AuditRecord, AuditTrail } from "@holdfast/core/ports";
import { parseJson } from "./action-row.ts";
import { numberOf, textOf } from "./driver.ts";
import type { Database } from "./database.ts";

const defaultLimit = 100;

export class AuditTable implements AuditTrail {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  append(entry: AuditEntry): void {
    this.#database.run(
      "INSERT INTO audit (at, session, entry) VALUES (?, ?, ?)",
      entry.at,
      entry.session,
      JSON.stringify(entry),
    );
  }

  read({ after, session, limit = defaultLimit }: AuditQuery = {}): AuditRecord[] {
    const order = after === undefined ? "DESC" : "ASC";
    const rows = this.#database.all(
      `SELECT id, entry FROM audit WHERE id > ?1 AND (?2 IS NULL OR session = ?2) ORDER BY id ${order} LIMIT ?3`,
      after ?? 0,
      session ?? null,
      limit,
    );
    const records = rows.map((row): AuditRecord => {
      return { id: numberOf(row, "id"), entry: parseJson(textOf(row, "entry")) as AuditEntry };
    });
    return after === undefined ? records.toReversed() : records;
  }

  /** Forgets what is older. */
  forgetBefore(at: string): void {
    this.#database.run("DELETE FROM audit WHERE at < ?", at);
  }
}
