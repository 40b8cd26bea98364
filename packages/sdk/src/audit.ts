// The audit: what was done on the host, by whom, and with which outcome; for the host's owner.
import type { AuditChain, AuditQuery, AuditRecord } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { AuditChain, AuditLink, AuditQuery, AuditRecord } from "@holdfast/protocol";

/** As many entries as the host gives at once. */
const pageEntries = 1000;

/** The operations on the audit. */
export class Audit {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** One page, the oldest first: the newest entries, or those after an id. */
  list(query: AuditQuery = {}, { signal }: CallOptions = {}): Promise<AuditRecord[]> {
    const { after, session, what, since, limit } = query;
    return this.#connection.askFor("entries", {
      method: "GET",
      path: "/admin/audit",
      query: { after, session, what, since, limit },
      signal,
    });
  }

  /** Both ends of the chain of hashes: where it begins, and the newest entry. */
  chain({ signal }: CallOptions = {}): Promise<AuditChain> {
    return this.#connection.askFor("chain", { method: "GET", path: "/admin/audit/chain", signal });
  }

  /** Every entry after an id, or all that are kept, page by page. */
  async *all(
    query: Omit<AuditQuery, "limit"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditRecord, void, undefined> {
    let after = query.after ?? 0;
    for (;;) {
      const page = await this.list({ ...query, after, limit: pageEntries }, options);
      yield* page;
      const last = page.at(-1);
      // A host may give fewer at once than were asked for: only an empty page is the end.
      if (last === undefined) return;
      after = last.id;
    }
  }
}
