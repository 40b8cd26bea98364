// The full-text index: a row of text for each ended turn, and FTS5 over them where SQLite has it.
import type { SessionSummary, Turn } from "@holdfast/ahp";
import {
  type SearchHit,
  type SearchIndex,
  type SearchQuery,
  searchDocument,
  StorageError,
} from "@holdfast/core/ports";
import type { ChannelTable } from "./channel-table.ts";
import type { Database } from "./database.ts";
import { isIndexDamaged, maybeTextOf, numberOf, type SqlRow, type SqlValue, textOf } from "./driver.ts";
import { readSummary } from "./session-table.ts";
import type { TurnTable } from "./turn-table.ts";

/** Turns of each chat that are added afterwards; those that end from now on always are. */
const maxOlderTurns = 200;
/** Rows that one step indexes, so that nobody waits long. */
const rowsOfStep = 20;
/** Steps that a search takes itself; the background takes the others. */
const stepsOfSearch = 5;
/** Pages of the index that one step merges, about 10 ms of work. */
const pagesOfStep = 100;
const indexedKey = "search/indexed";
/** There while words of removed turns are in the file: `begin`, then `continue`. */
const erasingKey = "search/erasing";

const columns = "prompt, reply, commands";

/**
 * Makes the index where there is none; false where SQLite cannot. Not a step of the migration: Node's SQLite has FTS5
 * only from 22.15 on.
 */
export function makeSearchIndex(database: Database): boolean {
  try {
    const isThere = database.get("SELECT 1 AS found FROM sqlite_master WHERE name = 'search'") !== undefined;
    if (!isThere || hasSecureDelete(database)) remakeSearchIndex(database);
    // Fails where the module is missing.
    useIndex(database, () => database.get("SELECT rowid FROM search WHERE search MATCH 'x' LIMIT 1"));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes("no such module")) return false;
    throw error;
  }
}

/** Earlier versions of Holdfast set it, and SQLite 3.45, which Node 20 gets, damages such an index. */
function hasSecureDelete(database: Database): boolean {
  return database.get("SELECT 1 AS found FROM search_config WHERE k = 'secure-delete'") !== undefined;
}

/** Makes an empty index; the steps fill it. */
function remakeSearchIndex(database: Database): void {
  database.savepoint(() =>
    database.exec(
      `DROP TABLE IF EXISTS search;
       CREATE VIRTUAL TABLE search USING fts5(${columns}, content = 'search_turn', content_rowid = 'id',
         tokenize = 'unicode61 remove_diacritics 2');
       DELETE FROM meta WHERE key IN ('${indexedKey}', '${erasingKey}');`,
    ),
  );
}

/** Makes a damaged index again and repeats the work: its text is all in a table. */
function useIndex<Result>(database: Database, work: () => Result, onRemade?: () => void): Result {
  try {
    return work();
  } catch (error) {
    if (!isIndexDamaged(error)) throw error;
    remakeSearchIndex(database);
    onRemade?.();
    return work();
  }
}

/** Nothing is indexed any more: a repair has left the text behind. */
export function forgetIndexed(database: Database): void {
  database.run("DELETE FROM meta WHERE key = ?", indexedKey);
}

/** The tables of the index. */
export class SearchTable implements SearchIndex {
  readonly #database: Database;
  readonly #channels: ChannelTable;
  readonly #turns: TurnTable;
  /** Rows up to this id are in the index; undefined without FTS5. */
  #indexedId: number | undefined;

  constructor(database: Database, channels: ChannelTable, turns: TurnTable) {
    this.#database = database;
    this.#channels = channels;
    this.#turns = turns;
    this.#indexedId = this.#openIndex();
    // A host that was killed may have left the last turns of open chats out.
    database.run(
      "DELETE FROM search_chat WHERE channel_id IN (SELECT id FROM channel WHERE kind = 'chat' AND is_open = 1)",
    );
  }

  put(chat: string, turn: Turn): void {
    const id = this.#channels.idOf(chat);
    if (id !== undefined) this.#database.transaction(() => this.#put(id, turn, true));
  }

  step(): boolean {
    return this.#useIndex(() => this.#indexRows()) || this.#takeChat();
  }

  find(query: SearchQuery): SearchHit[] {
    // SQLite would take a zero for the end of the text.
    const words = query.words.map((word) => word.replaceAll("\u0000", "")).filter((word) => word !== "");
    if (words.length === 0) return [];
    const titles = this.#findTitles(words, query);
    this.#catchUp();
    const turns = this.#useIndex(() =>
      this.#indexedId === undefined ? this.#findLike(words, query) : this.#findIndexed(words, query),
    );
    return [...titles, ...turns].slice(0, query.limit);
  }

  /** Takes the turns of a channel out; its rows go with it. */
  removeChannel(uri: string): void {
    const id = this.#channels.idOf(uri);
    if (id === undefined) return;
    const condition = "channel_id = ? AND id <= ?";
    this.#useIndex(() => {
      const indexed = this.#indexedId;
      if (indexed === undefined) return;
      const found = this.#database.get(`SELECT 1 AS found FROM search_turn WHERE ${condition}`, id, indexed);
      if (found === undefined) return;
      this.#database.run(
        `INSERT INTO search (search, rowid, ${columns})
         SELECT 'delete', id, ${columns} FROM search_turn WHERE ${condition}`,
        id,
        indexed,
      );
      this.#setMeta(erasingKey, "begin");
    });
  }

  /**
   * Erases a little of the words of removed turns, which the index keeps as removed until it merges its parts; gives
   * whether there is more.
   */
  eraseStep(): boolean {
    return this.#useIndex(() => {
      const state = this.#database.get("SELECT value FROM meta WHERE key = ?", erasingKey);
      if (state === undefined || this.#indexedId === undefined) return false;
      const isBegin = textOf(state, "value") === "begin";
      return this.#database.transaction(() => {
        const before = this.#totalChanges();
        // A negative number says that everything is to be merged.
        const pages = isBegin ? -pagesOfStep : pagesOfStep;
        this.#database.run("INSERT INTO search (search, rank) VALUES ('merge', ?)", pages);
        // SQLite counts the command itself as a change.
        const hasMore = isBegin || this.#totalChanges() - before >= 2;
        if (hasMore) this.#setMeta(erasingKey, "continue");
        else this.#database.run("DELETE FROM meta WHERE key = ?", erasingKey);
        return hasMore;
      });
    });
  }

  #useIndex<Result>(work: () => Result): Result {
    return useIndex(this.#database, work, () => (this.#indexedId = 0));
  }

  #setMeta(key: string, value: string): void {
    this.#database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value);
  }

  #totalChanges(): number {
    return numberOf(this.#database.get("SELECT total_changes() AS changes") ?? {}, "changes");
  }

  #openIndex(): number | undefined {
    if (!makeSearchIndex(this.#database)) return undefined;
    const row = this.#database.get("SELECT value FROM meta WHERE key = ?", indexedKey);
    return row === undefined ? 0 : Number(textOf(row, "value"));
  }

  #put(channelId: number, turn: Turn, replaces: boolean): void {
    const { turnId, at, prompt, reply, commands } = searchDocument(turn);
    const old = this.#database.get(
      "SELECT id FROM search_turn WHERE channel_id = ? AND turn_id = ?",
      channelId,
      turnId,
    );
    if (old !== undefined && !replaces) return;
    if (old !== undefined) this.#removeRow(numberOf(old, "id"));
    this.#database.run(
      `INSERT INTO search_turn (channel_id, turn_id, at, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
      channelId,
      turnId,
      at,
      prompt,
      reply,
      commands,
    );
  }

  #removeRow(id: number): void {
    this.#useIndex(() => {
      if (this.#indexedId === undefined || id > this.#indexedId) return;
      this.#database.run(
        `INSERT INTO search (search, rowid, ${columns})
         SELECT 'delete', id, ${columns} FROM search_turn WHERE id = ?`,
        id,
      );
    });
    this.#database.run("DELETE FROM search_turn WHERE id = ?", id);
  }

  /** Indexes the turns that ended just now; where nothing can be written, a search goes without them. */
  #catchUp(): void {
    try {
      this.#useIndex(() => {
        for (let step = 0; step < stepsOfSearch && this.#indexRows(); step += 1) continue;
      });
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "unavailable") throw error;
    }
  }

  /** Adds the next rows to the index; gives whether there may be more. */
  #indexRows(): boolean {
    const indexed = this.#indexedId;
    if (indexed === undefined) return false;
    const rows = this.#database.all(
      "SELECT id FROM search_turn WHERE id > ? ORDER BY id LIMIT ?",
      indexed,
      rowsOfStep,
    );
    const last = rows.at(-1);
    if (last === undefined) return false;
    const lastId = numberOf(last, "id");
    this.#database.transaction(() => {
      this.#database.run(
        `INSERT INTO search (rowid, ${columns}) SELECT id, ${columns} FROM search_turn WHERE id > ? AND id <= ?`,
        indexed,
        lastId,
      );
      this.#setMeta(indexedKey, `${lastId}`);
    });
    this.#indexedId = lastId;
    return true;
  }

  /** Adds the newest turns of a chat that was there before the index; gives whether there was one. */
  #takeChat(): boolean {
    const row = this.#database.get(
      `SELECT id, uri FROM channel WHERE kind = 'chat' AND id NOT IN (SELECT channel_id FROM search_chat)
       ORDER BY id DESC LIMIT 1`,
    );
    if (row === undefined) return false;
    const id = numberOf(row, "id");
    const stored = this.#channels.load(textOf(row, "uri"));
    const recent = stored?.kind === "chat" ? stored.state.turns : [];
    const older = this.#turns.before(id, undefined, Math.max(0, maxOlderTurns - recent.length));
    this.#database.transaction(() => {
      for (const turn of [...(older?.turns ?? []), ...recent]) this.#put(id, turn, false);
      this.#database.run("INSERT OR IGNORE INTO search_chat (channel_id) VALUES (?)", id);
    });
    return true;
  }

  #findIndexed(words: readonly string[], query: SearchQuery): SearchHit[] {
    // Quoted, so that nothing in a word is taken for syntax; the last one may be unfinished.
    const match = `${words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ")}*`;
    const { condition, values } = conditionsOf(query, "search_turn.at");
    const rows = this.#database.all(
      `SELECT turn_id, search_turn.at AS at, summary, bm25(search, 4.0, 1.0, 2.0) AS score,
         snippet(search, -1, char(1), char(2), '…', 24) AS snippet
       FROM search JOIN search_turn ON search_turn.id = search.rowid
       JOIN channel ON channel.id = search_turn.channel_id JOIN session ON session.uri = channel.session_uri
       WHERE search MATCH ? AND ${condition} ORDER BY score LIMIT ?`,
      match,
      ...values,
      query.limit,
    );
    return rows.map(readHit);
  }

  #findLike(words: readonly string[], query: SearchQuery): SearchHit[] {
    const { condition, values } = conditionsOf(query, "search_turn.at");
    const text = "prompt || char(10) || reply || char(10) || commands";
    const like = words.map(() => `instr(lower(${text}), lower(?)) > 0`).join(" AND ");
    const rows = this.#database.all(
      `SELECT turn_id, search_turn.at AS at, summary, ${text} AS text FROM search_turn
       JOIN channel ON channel.id = search_turn.channel_id JOIN session ON session.uri = channel.session_uri
       WHERE ${like} AND ${condition} ORDER BY search_turn.id DESC LIMIT ?`,
      ...words,
      ...values,
      query.limit,
    );
    return rows.map((row) => readHit({ ...row, snippet: markFirst(textOf(row, "text"), words) }));
  }

  #findTitles(words: readonly string[], query: SearchQuery): SearchHit[] {
    const title = "coalesce(json_extract(summary, '$.label'), json_extract(summary, '$.title'))";
    const like = words.map(() => `instr(lower(${title}), lower(?)) > 0`).join(" AND ");
    const { condition, values } = conditionsOf(query, "last_activity_at");
    const rows = this.#database.all(
      `SELECT NULL AS turn_id, last_activity_at AS at, summary, ${title} AS text FROM session
       WHERE ${like} AND ${condition} ORDER BY last_activity_at DESC LIMIT ?`,
      ...words,
      ...values,
      query.limit,
    );
    return rows.map((row) => readHit({ ...row, snippet: markFirst(textOf(row, "text"), words) }));
  }
}

function conditionsOf(
  { appId, agent, folder, since, until }: SearchQuery,
  at: string,
): { readonly condition: string; readonly values: readonly SqlValue[] } {
  const place = "json_extract(summary, '$.workingDirectories[0]')";
  const conditions: [string, ...SqlValue[]][] = [["1"]];
  if (appId !== undefined) conditions.push(["json_extract(summary, '$.owner.appId') = ?", appId]);
  if (agent !== undefined) conditions.push(["json_extract(summary, '$.provider') = ?", agent]);
  if (folder !== undefined) {
    conditions.push([
      `(${place} = ? OR substr(${place}, 1, length(?) + 1) = ? || '/')`,
      folder,
      folder,
      folder,
    ]);
  }
  if (since !== undefined) conditions.push([`${at} >= ?`, since]);
  if (until !== undefined) conditions.push([`${at} < ?`, until]);
  return {
    condition: conditions.map(([text]) => text).join(" AND "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

function readHit(row: SqlRow): SearchHit {
  const turnId = maybeTextOf(row, "turn_id");
  const session: SessionSummary = readSummary(textOf(row, "summary"));
  const found = { session, at: textOf(row, "at"), snippet: textOf(row, "snippet") };
  return turnId === undefined ? found : { ...found, turnId };
}

/** A piece of a text around the first match of each word, which is marked. */
function markFirst(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - 60) : 0;
  let piece = text.slice(start, start + 200);
  for (const word of words) {
    const at = piece.toLowerCase().indexOf(word.toLowerCase());
    if (at < 0) continue;
    const end = at + word.length;
    piece = `${piece.slice(0, at)}\u0001${piece.slice(at, end)}\u0002${piece.slice(end)}`;
  }
  return `${start > 0 ? "…" : ""}${piece}${start + 200 < text.length ? "…" : ""}`;
}
