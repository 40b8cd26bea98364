// The runs of agents: how far each has come, its frames that may not have arrived, and its open requests.
import type { RunProgress, RunText, StoredRun } from "@holdfast/core/ports";
import { numberOf, type SqlRow, textOf } from "./driver.ts";
import type { Database } from "./database.ts";

export class RunTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Part of the transaction of the actions that the progress belongs to. */
  advance(progress: RunProgress): void {
    const database = this.#database;
    const { run, session, handledOffset, sentOffset, takenOffset, state } = progress;
    database.run(
      `INSERT INTO agent_run (run, session, handled_offset, sent_offset, state) VALUES (?1, ?2, ?3, ?4, ifnull(?5, '{}'))
       ON CONFLICT (run) DO UPDATE SET handled_offset = ?3, sent_offset = ?4, state = ifnull(?5, state)`,
      run,
      session,
      handledOffset,
      sentOffset,
      state ?? null,
    );
    database.run(
      "DELETE FROM agent_frame WHERE run = ?1 AND offset < ?2 AND end_offset <= ?2",
      run,
      takenOffset,
    );
    for (const { offset, text } of progress.frames) {
      const endOffset = offset + Buffer.byteLength(text);
      // A commit may succeed and yet be reported as a failure; then its records come a second time.
      if (endOffset > takenOffset) {
        database.run("INSERT OR REPLACE INTO agent_frame VALUES (?, ?, ?, ?)", run, offset, endOffset, text);
      }
    }
    for (const { offset, text } of progress.opened) {
      database.run("INSERT OR REPLACE INTO agent_request VALUES (?, ?, ?)", run, offset, text);
    }
    for (const offset of progress.answered) {
      database.run("DELETE FROM agent_request WHERE run = ? AND offset = ?", run, offset);
    }
  }

  end(run: string): void {
    for (const table of ["agent_run", "agent_frame", "agent_request"]) {
      this.#database.run(`DELETE FROM ${table} WHERE run = ?`, run);
    }
  }

  all(): StoredRun[] {
    return this.#database.all("SELECT * FROM agent_run ORDER BY rowid").map((row) => {
      const run = textOf(row, "run");
      return {
        run,
        session: textOf(row, "session"),
        handledOffset: numberOf(row, "handled_offset"),
        sentOffset: numberOf(row, "sent_offset"),
        state: textOf(row, "state"),
        frames: this.#texts("agent_frame", run),
        requests: this.#texts("agent_request", run),
      };
    });
  }

  #texts(table: "agent_frame" | "agent_request", run: string): RunText[] {
    const toText = (row: SqlRow): RunText => ({ offset: numberOf(row, "offset"), text: textOf(row, "text") });
    return this.#database
      .all(`SELECT offset, text FROM ${table} WHERE run = ? ORDER BY offset`, run)
      .map(toText);
  }
}
