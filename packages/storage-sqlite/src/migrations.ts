// Schema migrations; `user_version` counts the ones that a database has applied.
import { StorageError } from "@holdfast/core/ports";
import { numberOf } from "./driver.ts";
import type { Database } from "./database.ts";

/** A step that was released is never changed; a new one is added after it. */
const steps: readonly string[] = [
  `
  CREATE TABLE channel (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uri TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- The session with which it is purged; a session names itself.
    session_uri TEXT,
    is_open INTEGER NOT NULL,
    closed_at_ms INTEGER,
    -- Actions up to this number are no longer in the log.
    trimmed_seq INTEGER NOT NULL
  );
  CREATE INDEX channel_by_session ON channel (session_uri);
  CREATE INDEX channel_by_kind ON channel (kind, is_open);

  -- The number is the key, so the database itself refuses to give one twice.
  -- New rows go to the end of the table, whichever channel they are of.
  CREATE TABLE action (
    seq INTEGER PRIMARY KEY,
    -- Above seq when several pieces of text have joined.
    last_seq INTEGER NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    at_ms INTEGER NOT NULL,
    model_version INTEGER NOT NULL,
    body TEXT NOT NULL,
    pieces TEXT,
    origin TEXT
  );
  CREATE INDEX action_by_channel ON action (channel_id, seq);

  -- Where turns begin in the logs of their chats: whoever follows one begins to read there.
  CREATE TABLE turn_start (
    channel_id INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    PRIMARY KEY (channel_id, seq)
  ) WITHOUT ROWID;
  CREATE INDEX turn_start_by_id ON turn_start (channel_id, turn_id);

  CREATE TABLE snapshot (
    channel_id INTEGER PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    model_version INTEGER NOT NULL,
    -- The size of the log up to this snapshot.
    log_bytes INTEGER NOT NULL,
    state TEXT NOT NULL
  );

  CREATE TABLE session (
    channel_id INTEGER PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    uri TEXT NOT NULL,
    last_activity_at TEXT NOT NULL,
    summary TEXT NOT NULL
  );
  CREATE INDEX session_by_activity ON session (last_activity_at, uri);

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    session TEXT NOT NULL,
    entry TEXT NOT NULL
  );
  CREATE INDEX audit_by_session ON audit (session, id);

  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE sequence (id INTEGER PRIMARY KEY CHECK (id = 1), reserved INTEGER NOT NULL);
  INSERT INTO sequence VALUES (1, 0);
  `,
  // The log of a turn stays whole where it holds text that the chat's state has left out.
  "ALTER TABLE turn_start ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0",
  `
  -- Turns that left the states of their chats; those of a chat left in the order of their ids.
  CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    -- The name under which its message would be sent again.
    request_key TEXT,
    model_version INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX turn_by_channel ON turn (channel_id, id);
  CREATE INDEX turn_by_turn_id ON turn (channel_id, turn_id);
  CREATE INDEX turn_by_request ON turn (channel_id, request_key) WHERE request_key IS NOT NULL;
  `,
  // Covers the entry and the hash before it; entries from before this step get theirs when the storage is opened.
  "ALTER TABLE audit ADD COLUMN hash TEXT",
  `
  -- How far the run of each agent has come, written with the actions that it caused.
  CREATE TABLE agent_run (
    run TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    handled_offset INTEGER NOT NULL,
    sent_offset INTEGER NOT NULL,
    state TEXT NOT NULL
  );
  -- Frames for the agent that may not have arrived.
  CREATE TABLE agent_frame (
    run TEXT NOT NULL,
    offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, offset)
  ) WITHOUT ROWID;
  -- Requests of the agent that wait for a response.
  CREATE TABLE agent_request (
    run TEXT NOT NULL,
    offset INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, offset)
  ) WITHOUT ROWID;
  `,
  `
  -- The text of ended turns, for searches. The index over it is made when the storage is opened (see SearchTable).
  CREATE TABLE search_turn (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    at TEXT NOT NULL,
    prompt TEXT NOT NULL,
    reply TEXT NOT NULL,
    commands TEXT NOT NULL
  );
  CREATE UNIQUE INDEX search_turn_by_turn ON search_turn (channel_id, turn_id);
  -- Chats whose older turns are in it.
  CREATE TABLE search_chat (channel_id INTEGER PRIMARY KEY REFERENCES channel ON DELETE CASCADE);
  `,
];

/** The steps to a version from an empty database; undefined for a version that this program does not know. */
export function stepsUpTo(version: number): readonly string[] | undefined {
  return version > steps.length ? undefined : steps.slice(0, version);
}

/** Takes the steps that are missing, each whole or not at all. A database that knows more steps is left alone. */
export function migrate(database: Database): void {
  const version = database.all("PRAGMA user_version")[0];
  const taken = version === undefined ? 0 : numberOf(version, "user_version");
  if (taken > steps.length) {
    throw new StorageError("too_new", "The database was written by a newer Holdfast. Update this one.");
  }
  for (const [index, step] of steps.entries()) {
    if (index < taken) continue;
    database.transaction(() => {
      database.exec(step);
      database.exec(`PRAGMA user_version = ${index + 1}`);
    }, true);
  }
}
