// The list of sessions: a row for each, kept in step with its state, so that listing replays nothing.
import { channelModels, summarizeSession, type SessionSummary } from "@holdfast/ahp";
import { StorageError, type SessionPage, type SessionQuery, type StoredSession } from "@holdfast/core/ports";
import { parseJson } from "./action-row.ts";
import type { KnownChannel } from "./channel-table.ts";
import { numberOf, textOf } from "./driver.ts";
import type { Database } from "./database.ts";

const defaultLimit = 100;

export class SessionTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rewrites the row of a session; one that is over is open no more, though the hub may still hold it. */
  write({ id, uri, current }: KnownChannel): void {
    if (current?.kind !== "session") return;
    const summary = summarizeSession(current.state);
    this.#database.run(
      "INSERT OR REPLACE INTO session (channel_id, uri, last_activity_at, summary) VALUES (?, ?, ?, ?)",
      id,
      uri,
      summary.lastActivityAt,
      JSON.stringify(summary),
    );
    const { status } = summary.phase;
    if (status === "closed" || status === "failed") {
      this.#database.run("UPDATE channel SET is_open = 0 WHERE id = ?", id);
    }
  }

  list({ isOpen, limit = defaultLimit, cursor }: SessionQuery): SessionPage {
    const [at, uri] = cursor === undefined ? [undefined, undefined] : decodeCursor(cursor);
    const rows = this.#database.all(
      `SELECT session.uri, last_activity_at, summary, is_open FROM session JOIN channel ON channel.id = channel_id
       WHERE (?1 IS NULL OR (last_activity_at, session.uri) < (?1, ?2)) AND (?3 IS NULL OR is_open = ?3)
       ORDER BY last_activity_at DESC, session.uri DESC LIMIT ?4`,
      at ?? null,
      uri ?? null,
      isOpen === undefined ? null : Number(isOpen),
      limit + 1,
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map((row): StoredSession => {
        return { summary: readSummary(textOf(row, "summary")), isOpen: numberOf(row, "is_open") === 1 };
      }),
      ...(last !== undefined &&
        rows.length > limit && {
          nextCursor: `${textOf(last, "last_activity_at")} ${textOf(last, "uri")}`,
        }),
    };
  }

  /** The sessions that are not open, those with the oldest activity first. */
  oldest(limit: number): { readonly uri: string; readonly lastActivityAt: string }[] {
    return this.#database
      .all(
        `SELECT session.uri, last_activity_at FROM session JOIN channel ON channel.id = channel_id
         WHERE is_open = 0 ORDER BY last_activity_at, session.uri LIMIT ?`,
        limit,
      )
      .map((row) => ({ uri: textOf(row, "uri"), lastActivityAt: textOf(row, "last_activity_at") }));
  }
}

function decodeCursor(cursor: string): [string, string] {
  const [at = ""] = cursor.split(" ", 1);
  return [at, cursor.slice(at.length + 1)];
}

/** The model checks summaries as part of the root's actions. */
export function readSummary(text: string): SessionSummary {
  const checked = channelModels.root.checkAction({ type: "root/sessionAdded", summary: parseJson(text) });
  if (checked.ok && checked.value.type === "root/sessionAdded") return checked.value.summary;
  throw new StorageError("damaged", "The summary of a session cannot be read.");
}
