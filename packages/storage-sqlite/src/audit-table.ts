// The audit: entries are only added, each with its hash, and kept before `append` returns.
import {
  CHAIN_START,
  chainHash,
  type AuditChain,
  type AuditEntry,
  type AuditQuery,
  type AuditRecord,
  type AuditTrail,
  type ChainLink,
} from "@holdfast/core/ports";
import { parseJson } from "./action-row.ts";
import { numberOf, type SqlRow, textOf } from "./driver.ts";
import type { Database } from "./database.ts";
import { MetaTable } from "./meta-table.ts";

const defaultLimit = 100;
/** The name of the place where the chain begins: the entry that retention removed last. */
const anchorKey = "audit/anchor";
const chainedAtOnce = 1000;

export class AuditTable implements AuditTrail {
  readonly #database: Database;
  readonly #meta: MetaTable;
  #head: ChainLink | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#meta = new MetaTable(database);
  }

  /** Chains the entries of a database that was written before there were hashes; where there is one, none is added. */
  begin(): void {
    const oldest = this.#database.get("SELECT hash FROM audit ORDER BY id LIMIT 1");
    if (oldest === undefined || oldest["hash"] !== null || this.#meta.get(anchorKey) !== undefined) return;
    const hashed = this.#database.get("SELECT id FROM audit WHERE hash IS NOT NULL LIMIT 1");
    if (hashed === undefined) this.#database.transaction(() => this.#chainAll());
  }

  append(entry: AuditEntry): void {
    const head = this.#findHead();
    const id = head.id + 1;
    const hash = chainHash(head.hash, { id, ...entry });
    this.#database.run(
      "INSERT INTO audit (id, at, session, entry, hash) VALUES (?, ?, ?, ?, ?)",
      id,
      entry.at,
      entry.session,
      JSON.stringify(entry),
      hash,
    );
    this.#head = { id, hash };
  }

  read({ after, session, what, since, limit = defaultLimit }: AuditQuery = {}): AuditRecord[] {
    const order = after === undefined ? "DESC" : "ASC";
    // Every column, because a database of an older version, which a check reads as it is, has no hashes.
    const rows = this.#database.all(
      `SELECT * FROM audit WHERE id > ?1 AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR at >= ?3)
       AND (?4 IS NULL OR json_extract(entry, '$.what') = ?4) ORDER BY id ${order} LIMIT ?5`,
      after ?? 0,
      session ?? null,
      since ?? null,
      what ?? null,
      limit,
    );
    const records = rows.map((row): AuditRecord => {
      const { hash } = row;
      const entry = parseJson(textOf(row, "entry")) as AuditEntry;
      return { id: numberOf(row, "id"), entry, ...(typeof hash === "string" && { hash }) };
    });
    return after === undefined ? records.toReversed() : records;
  }

  chain(): AuditChain {
    return { anchor: this.#anchor(), head: this.#findHead() };
  }

  /** Removes the oldest entries up to the first that is not older; the place of the last one is kept for the chain. */
  forgetBefore(at: string): void {
    this.#database.transaction(() => {
      const kept = this.#database.get("SELECT id FROM audit WHERE at >= ? ORDER BY id LIMIT 1", at);
      const end = kept === undefined ? Number.MAX_SAFE_INTEGER : numberOf(kept, "id");
      const last = this.#database.get(
        "SELECT id, hash FROM audit WHERE id < ? ORDER BY id DESC LIMIT 1",
        end,
      );
      if (last === undefined) return;
      this.#setAnchor(linkOf(last));
      this.#database.run("DELETE FROM audit WHERE id < ?", end);
    });
  }

  #findHead(): ChainLink {
    if (this.#head !== undefined) return this.#head;
    const newest = this.#database.get("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1");
    this.#head = newest === undefined ? this.#anchor() : linkOf(newest);
    return this.#head;
  }

  #anchor(): ChainLink {
    const stored = this.#meta.get(anchorKey);
    return stored === undefined ? { id: 0, hash: CHAIN_START } : (parseJson(stored) as ChainLink);
  }

  #setAnchor(anchor: ChainLink): void {
    this.#meta.set(anchorKey, JSON.stringify(anchor));
  }

  #chainAll(): void {
    let head: ChainLink = { id: 0, hash: CHAIN_START };
    for (;;) {
      const rows = this.#database.all(
        `SELECT id, entry FROM audit WHERE id > ? ORDER BY id LIMIT ${chainedAtOnce}`,
        head.id,
      );
      for (const row of rows) {
        const id = numberOf(row, "id");
        const hash = chainHash(head.hash, { id, ...(parseJson(textOf(row, "entry")) as AuditEntry) });
        this.#database.run("UPDATE audit SET hash = ? WHERE id = ?", hash, id);
        head = { id, hash };
      }
      if (rows.length < chainedAtOnce) return;
    }
  }
}

/** An entry without a hash breaks the chain, which begins again after it. */
function linkOf(row: SqlRow): ChainLink {
  const { hash } = row;
  return { id: numberOf(row, "id"), hash: typeof hash === "string" ? hash : CHAIN_START };
}
