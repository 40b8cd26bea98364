// The last step of a repair: makes a whole of the rows that were salvaged, so that a host can start on them (D265).
import { defaultChatUri, newChatState, type SessionState } from "@holdfast/ahp";
import type { StoredChannel } from "@holdfast/core/ports";
import { ChannelTable } from "../channel-table.ts";
import { numberOf, textOf } from "../driver.ts";
import { Database } from "../database.ts";
import { forgetIndexed } from "../search-table.ts";
import { SessionTable } from "../session-table.ts";
import type { SalvagedTable } from "./salvage.ts";

/** Contents of the new database, described for people who lost something. */
export interface CompletedCopy {
  readonly sessions: RecoveredCount;
  readonly terminals: RecoveredCount;
  /** Chats whose text is gone while their session is there. */
  readonly emptiedChats: number;
  /** Rows of the log and omitted turns that could not be read: parts of transcripts. */
  readonly lostLogRows: number;
  readonly auditEntries: RecoveredCount;
  /** Keys, apps and webhooks. */
  readonly settings: RecoveredCount;
  /** Whether more may be lost than could be counted. */
  readonly hasGaps: boolean;
}

/** How many were found, and how many are known to be lost. */
export interface RecoveredCount {
  readonly recovered: number;
  readonly lost: number;
}

/** Numbers that may have been given and are lost with their rows. */
const sequenceMargin = 1_000_000;

export async function completeCopy(file: string, tables: readonly SalvagedTable[]): Promise<CompletedCopy> {
  const database = await Database.open({ file, busyTimeoutMs: 0 });
  try {
    const completed = database.transaction(() => complete(database, tables), true);
    return completed;
  } finally {
    database.close();
  }
}

function complete(database: Database, tables: readonly SalvagedTable[]): CompletedCopy {
  const lostIn = (name: string): number => tables.find(({ table }) => table === name)?.lost ?? 0;
  const channels = new ChannelTable(database, () => undefined);
  const lost = removeUnreadable(database, channels);
  forgetIndexed(database);
  const emptiedChats = restoreChats(database, channels);
  listSessions(database, channels);
  noteTurns(database);
  reserveNumbers(database);
  // A run continues from exactly where it was, or not at all.
  for (const table of ["agent_run", "agent_frame", "agent_request"]) database.run(`DELETE FROM ${table}`);
  const count = (sql: string): number => numberOf(database.all(sql)[0] ?? { count: 0 }, "count");
  const kept = (kind: string): number =>
    count(`SELECT COUNT(*) AS count FROM channel WHERE kind = '${kind}'`);
  return {
    sessions: { recovered: kept("session"), lost: lost.session + lostIn("channel") },
    terminals: { recovered: kept("terminal"), lost: lost.terminal },
    emptiedChats,
    lostLogRows: lostIn("action") + lostIn("turn"),
    auditEntries: { recovered: count("SELECT COUNT(*) AS count FROM audit"), lost: lostIn("audit") },
    settings: { recovered: count("SELECT COUNT(*) AS count FROM meta"), lost: lostIn("meta") },
    hasGaps: tables.some(({ hasGaps }) => hasGaps),
  };
}

/** A channel without a state that can be read would keep a host from starting; rows without a channel are nobody's. */
function removeUnreadable(
  database: Database,
  channels: ChannelTable,
): { session: number; chat: number; terminal: number } {
  const lost = { session: 0, chat: 0, terminal: 0 };
  for (const row of database.all("SELECT id, uri, kind FROM channel")) {
    const uri = textOf(row, "uri");
    if (load(channels, uri) !== undefined) continue;
    const kind = textOf(row, "kind");
    if (kind === "session" || kind === "chat" || kind === "terminal") lost[kind] += 1;
    database.run("DELETE FROM channel WHERE id = ?", numberOf(row, "id"));
  }
  for (const table of ["snapshot", "action", "turn", "session"]) {
    database.run(`DELETE FROM ${table} WHERE channel_id NOT IN (SELECT id FROM channel)`);
  }
  return lost;
}

/** A session whose chat is lost gets an empty one; gives how many did. */
function restoreChats(database: Database, channels: ChannelTable): number {
  let restored = 0;
  for (const state of openSessions(database, channels)) {
    const uri = state.defaultChat ?? defaultChatUri(state.resource);
    if (load(channels, uri) !== undefined) continue;
    const chat = newChatState({ resource: uri, title: state.title, at: state.createdAt });
    channels.open(uri, { kind: "chat", state: chat });
    database.run("UPDATE channel SET session_uri = ? WHERE uri = ?", state.resource, uri);
    restored += 1;
  }
  return restored;
}

/** The list of sessions follows from their states. */
function listSessions(database: Database, channels: ChannelTable): void {
  const sessions = new SessionTable(database);
  database.run("DELETE FROM session");
  for (const row of database.all("SELECT uri FROM channel WHERE kind = 'session'")) {
    const known = channels.find(textOf(row, "uri"));
    if (known?.current?.kind !== "session") continue;
    sessions.write(known);
  }
}

/** Where turns begin is found in the log. Which of them must stay whole is not, so all do. */
function noteTurns(database: Database): void {
  database.run(
    `INSERT OR REPLACE INTO turn_start (channel_id, seq, turn_id, is_kept)
     SELECT channel_id, seq, json_extract(body, '$.turnId'), 1 FROM action
     WHERE json_valid(body) AND json_extract(body, '$.type') = 'chat/turnStarted'
       AND json_extract(body, '$.turnId') IS NOT NULL`,
  );
}

function reserveNumbers(database: Database): void {
  database.run(
    `INSERT OR REPLACE INTO sequence
     SELECT 1, ? + MAX(
       COALESCE((SELECT MAX(reserved) FROM sequence), 0),
       COALESCE((SELECT MAX(last_seq) FROM action), 0),
       COALESCE((SELECT MAX(seq) FROM snapshot), 0))`,
    sequenceMargin,
  );
}

function openSessions(database: Database, channels: ChannelTable): SessionState[] {
  return database.all("SELECT uri FROM channel WHERE kind = 'session' AND is_open = 1").flatMap((row) => {
    const channel = load(channels, textOf(row, "uri"));
    return channel?.kind === "session" ? [channel.state] : [];
  });
}

function load(channels: ChannelTable, uri: string): StoredChannel | undefined {
  try {
    return channels.load(uri);
  } catch {
    // Its state cannot be read.
    return undefined;
  }
}
