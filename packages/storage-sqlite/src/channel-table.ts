// The channels: their rows, their states (a snapshot and what came after it) and their logs.
import { MODEL_VERSION, type ChannelKind, type Turn } from "@holdfast/ahp";
import {
  checkByKind,
  initialSession,
  omittedTurns,
  reduceByKind,
  StorageError,
  type ChannelOwner,
  type StateByKind,
  type LogPage,
  type StoredAction,
  type StoredChannel,
  type WantedTurn,
} from "@holdfast/core/ports";
import { ActionRow, checkVersion, parseJson } from "./action-row.ts";
import { numberOf, type SqlRow, textOf } from "./driver.ts";
import type { Database } from "./database.ts";

/** State of a channel that is being written to. */
export interface KnownChannel {
  readonly id: number;
  readonly uri: string;
  readonly kind: ChannelKind;
  /** The number of the last action that is kept. */
  lastSeq: number;
  /** The size of the log after the snapshot. */
  tailBytes: number;
  snapshotBytes: number;
  /** The row that the next action may join. */
  lastRow?: ActionRow;
  /** Kept for sessions only, whose summaries follow every commit. */
  current?: StateByKind;
}

/** A part of a log that is not trimmed: from a number up to, but not with, another. */
export interface KeptRange {
  readonly startSeq: number;
  readonly endSeq: number;
}

/** How many rows are read at once. */
const pageRows = 200;

const channelColumns = "id, uri, kind, session_uri, is_open, trimmed_seq";

/** Reads and writes channels. What it remembers of them is dropped when a transaction fails. */
export class ChannelTable {
  readonly #database: Database;
  readonly #onFault: (error: unknown) => void;
  readonly #known = new Map<string, KnownChannel>();

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database;
    this.#onFault = onFault;
  }

  /** Begins a channel; replaces one that had the same URI. */
  open(uri: string, current: StateByKind): KnownChannel | undefined {
    this.remove(uri);
    const row = this.#database.get(
      `INSERT INTO channel (uri, kind, session_uri, is_open, trimmed_seq) VALUES (?, ?, ?, 1, 0) RETURNING id`,
      uri,
      current.kind,
      initialSession(current) ?? null,
    );
    if (row === undefined) return undefined;
    const state = JSON.stringify(current.state);
    const id = numberOf(row, "id");
    this.#database.run("INSERT INTO snapshot VALUES (?, 0, ?, 0, ?)", id, MODEL_VERSION, state);
    const { kind } = current;
    const channel: KnownChannel = { id, uri, kind, lastSeq: 0, tailBytes: 0, snapshotBytes: state.length };
    if (kind === "session") channel.current = current;
    this.#known.set(uri, channel);
    return channel;
  }

  /** A channel to be written to; undefined when it was never opened, or is purged. */
  find(uri: string): KnownChannel | undefined {
    const known = this.#known.get(uri);
    if (known) return known;
    const row = this.#row(uri);
    if (row === undefined) return undefined;
    const id = numberOf(row, "id");
    const sizes = this.#database.get(
      `SELECT LENGTH(state) AS snapshot_bytes,
         (SELECT COALESCE(SUM(LENGTH(body)), 0) FROM action WHERE channel_id = ?1 AND seq > snapshot.seq) AS tail_bytes,
         MAX(seq, COALESCE(
           (SELECT last_seq FROM action WHERE channel_id = ?1 ORDER BY seq DESC LIMIT 1), 0
         )) AS last_seq
       FROM snapshot WHERE channel_id = ?1`,
      id,
    );
    if (sizes === undefined) throw new StorageError("damaged", `The state of ${uri} is missing.`);
    const channel: KnownChannel = {
      id,
      uri,
      kind: kindOf(row),
      lastSeq: numberOf(sizes, "last_seq"),
      tailBytes: numberOf(sizes, "tail_bytes"),
      snapshotBytes: numberOf(sizes, "snapshot_bytes"),
    };
    if (channel.kind === "session") channel.current = this.#load(row);
    this.#known.set(uri, channel);
    return channel;
  }

  /** The channels that were written to and may be again. */
  get known(): Iterable<KnownChannel> {
    return this.#known.values();
  }

  /** Marks a channel as closed; it is written to no more. */
  close(uri: string, nowMs: number): void {
    this.#database.run("UPDATE channel SET is_open = 0, closed_at_ms = ? WHERE uri = ?", nowMs, uri);
    this.release(uri);
  }

  /** Marks a closed channel as open; it is written to again. */
  reopen(uri: string): void {
    this.#database.run("UPDATE channel SET is_open = 1, closed_at_ms = NULL WHERE uri = ?", uri);
    this.release(uri);
  }

  setOwner({ channel, session }: ChannelOwner): void {
    this.#database.run("UPDATE channel SET session_uri = ? WHERE uri = ?", session ?? null, channel);
  }

  remove(uri: string): void {
    this.release(uri);
    this.#database.run("DELETE FROM channel WHERE uri = ?", uri);
  }

  /** Forgets what is remembered of one channel. */
  release(uri: string): void {
    this.#known.delete(uri);
  }

  /** Forgets what is remembered, because the database may say otherwise. */
  forget(): void {
    this.#known.clear();
  }

  /** `onOmitted` gets the turns that left the state since its snapshot. */
  load(uri: string, onOmitted?: (turns: readonly Turn[]) => void): StoredChannel | undefined {
    const row = this.#row(uri);
    return row && this.#load(row, onOmitted);
  }

  /** The id of a channel that is kept. */
  idOf(uri: string): number | undefined {
    const row = this.#row(uri);
    return row && numberOf(row, "id");
  }

  /** The open channels of a kind, oldest first. */
  loadOpen(kind: ChannelKind): StoredChannel[] {
    return this.#database
      .all(`SELECT ${channelColumns} FROM channel WHERE kind = ? AND is_open = 1 ORDER BY id`, kind)
      .map((row) => this.#load(row));
  }

  /** The channels of a session, oldest first. */
  ofSession(session: string): { readonly uri: string; readonly kind: ChannelKind }[] {
    return this.#database
      .all("SELECT uri, kind FROM channel WHERE session_uri = ? ORDER BY id", session)
      .map((row) => ({ uri: textOf(row, "uri"), kind: kindOf(row) }));
  }

  /** The actions after a number, taken apart as they were applied. */
  readLog(uri: string, afterSeq: number, limit: number): LogPage {
    const channel = this.#row(uri);
    if (channel === undefined) return { entries: [], hasMore: false, isComplete: true };
    const id = numberOf(channel, "id");
    // Before the place up to which the log is trimmed, only kept turns can be read, each up to its own end.
    const isTrimmed = afterSeq < numberOf(channel, "trimmed_seq");
    const kept = isTrimmed ? this.#keptRangeAt(id, afterSeq + 1) : undefined;
    // The row before the wanted place may reach beyond it.
    const rows = this.#database.all(
      `SELECT * FROM action WHERE channel_id = ?1 AND seq < ?4 AND seq >= COALESCE(
         (SELECT MAX(seq) FROM action WHERE channel_id = ?1 AND seq <= ?2), 0
       ) ORDER BY seq LIMIT ?3`,
      id,
      afterSeq,
      limit + 2,
      kept?.endSeq ?? Number.MAX_SAFE_INTEGER,
    );
    const entries: StoredAction[] = [];
    for (const row of rows) {
      const actions = this.#readRow(kindOf(channel), row)?.split() ?? [];
      entries.push(...actions.filter(({ serverSeq }) => serverSeq > afterSeq));
      if (entries.length > limit) break;
    }
    const isComplete = !isTrimmed || (kept !== undefined && entries.length > 0);
    const hasMore = entries.length > limit || kept !== undefined;
    return { entries: entries.slice(0, limit), hasMore, isComplete };
  }

  /** Remembers where a turn begins. */
  noteTurn(channelId: number, seq: number, turnId: string): void {
    this.#database.run(
      "INSERT OR REPLACE INTO turn_start (channel_id, seq, turn_id) VALUES (?, ?, ?)",
      channelId,
      seq,
      turnId,
    );
  }

  /** The log of this turn is not trimmed: it holds text that no state has. */
  keepTurn(channelId: number, turnId: string): void {
    this.#database.run(
      "UPDATE turn_start SET is_kept = 1 WHERE channel_id = ? AND turn_id = ?",
      channelId,
      turnId,
    );
  }

  /** The log of each kept turn, and of the one that runs, as numbers from the first to before the last. */
  keptRanges(channelId: number, newestTurnId?: string): readonly KeptRange[] {
    const starts = this.#database.all(
      "SELECT seq, turn_id, is_kept FROM turn_start WHERE channel_id = ? ORDER BY seq",
      channelId,
    );
    return starts.flatMap((row, index): KeptRange[] => {
      const isKept = numberOf(row, "is_kept") === 1 || textOf(row, "turn_id") === newestTurnId;
      const next = starts[index + 1];
      const endSeq = next === undefined ? Number.MAX_SAFE_INTEGER : numberOf(next, "seq");
      return isKept ? [{ startSeq: numberOf(row, "seq"), endSeq }] : [];
    });
  }

  /** Where a turn begins that is still in the log. */
  findTurnStart(uri: string, wanted: WantedTurn): number | undefined {
    const channel = this.#row(uri);
    if (channel === undefined) return undefined;
    const id = numberOf(channel, "id");
    const [condition, value] = conditionOf(wanted);
    const row = this.#database.get(
      `SELECT seq FROM turn_start WHERE channel_id = ? AND ${condition} LIMIT 1`,
      id,
      numberOf(channel, "trimmed_seq"),
      value,
    );
    if (row !== undefined) return numberOf(row, "seq");
    return "atOrBefore" in wanted ? this.#keptRangeAt(id, wanted.atOrBefore)?.startSeq : undefined;
  }

  #keptRangeAt(channelId: number, seq: number): KeptRange | undefined {
    return this.keptRanges(channelId).find(({ startSeq, endSeq }) => startSeq <= seq && seq < endSeq);
  }

  #row(uri: string): SqlRow | undefined {
    return this.#database.get(`SELECT ${channelColumns} FROM channel WHERE uri = ?`, uri);
  }

  #load(channel: SqlRow, onOmitted?: (turns: readonly Turn[]) => void): StoredChannel {
    const id = numberOf(channel, "id");
    const kind = kindOf(channel);
    const uri = textOf(channel, "uri");
    const snapshot = this.#database.get(
      "SELECT seq, model_version, state FROM snapshot WHERE channel_id = ?",
      id,
    );
    if (snapshot === undefined) throw new StorageError("damaged", `The state of ${uri} is missing.`);
    checkVersion(snapshot);
    const checked = checkByKind(kind, parseJson(textOf(snapshot, "state")));
    if (!checked.ok) {
      throw new StorageError("damaged", `The state of ${uri} cannot be read: ${checked.problem}`);
    }
    let current = checked.value;
    let seq = numberOf(snapshot, "seq");
    for (const row of this.#rowsAfter(id, seq)) {
      const read = this.#readRow(kind, row);
      if (read) {
        const before = current;
        current = reduceByKind(before, read.action);
        if (read.action.type === "chat/turnsOmitted") onOmitted?.(omittedTurns(before, current));
      }
      seq = numberOf(row, "last_seq");
    }
    return { ...current, uri, seq, isOpen: numberOf(channel, "is_open") === 1 };
  }

  /** The rows after a number, a page at a time: a long log is not in memory as a whole. */
  *#rowsAfter(id: number, afterSeq: number): Generator<SqlRow> {
    let lastSeq = afterSeq;
    for (;;) {
      const rows = this.#database.all(
        `SELECT * FROM action WHERE channel_id = ? AND seq > ? ORDER BY seq LIMIT ${pageRows}`,
        id,
        lastSeq,
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      lastSeq = numberOf(last, "seq");
    }
  }

  /** Reports and skips a row that cannot be read: the rest of the channel is worth more. */
  #readRow(kind: ChannelKind, row: SqlRow): ActionRow | undefined {
    try {
      return ActionRow.read(kind, row);
    } catch (error) {
      if (error instanceof StorageError && error.code === "damaged") {
        this.#onFault(error);
        return undefined;
      }
      throw error;
    }
  }
}

/** Which turns are meant, the wanted one first; the first value is up to where the log is trimmed. */
function conditionOf(wanted: WantedTurn): [condition: string, value: string | number] {
  if ("turnId" in wanted) {
    return ["(seq > ? OR is_kept = 1) AND turn_id = ? ORDER BY seq DESC", wanted.turnId];
  }
  if ("atOrBefore" in wanted) return ["seq > ? AND seq <= ? ORDER BY seq DESC", wanted.atOrBefore];
  return ["seq > ? AND seq >= ? ORDER BY seq", wanted.atOrAfter];
}

function kindOf(row: SqlRow): ChannelKind {
  const kind = textOf(row, "kind");
  if (kind === "session" || kind === "chat" || kind === "terminal") return kind;
  throw new StorageError("damaged", `There is no kind of channel called ${kind}.`);
}
