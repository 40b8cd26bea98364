// The audit in memory.
import type { AuditEntry } from "../audit/audit.ts";
import type { AuditQuery, AuditRecord, AuditTrail } from "../ports.ts";

const defaultLimit = 100;

/** Keeps the record until the process ends. */
export class MemoryAudit implements AuditTrail {
  #records: AuditRecord[] = [];
  #lastId = 0;

  append(entry: AuditEntry): void {
    this.#lastId += 1;
    this.#records.push({ id: this.#lastId, entry });
  }

  read({ after, session, limit = defaultLimit }: AuditQuery = {}): AuditRecord[] {
    const wanted = this.#records.filter(
      ({ id, entry }) => id > (after ?? 0) && (session === undefined || entry.session === session),
    );
    return after === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
  }

  /** Forgets what is older. */
  forgetBefore(at: string): void {
    this.#records = this.#records.filter(({ entry }) => entry.at >= at);
  }
}
