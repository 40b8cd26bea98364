// The channels: their rows, their states (a snapshot and what came after it) and their logs.
import { MODEL_VERSION, type ChannelKind } from "@holdfast/ahp";
import {
  checkKinded,
  initialSession,
  reduceKinded,
  StorageError,
  type Belonging,
  type KindedState,
  type LogPage,
  type StoredAction,
  type StoredChannel,
  type WantedTurn,
} from "@holdfast/core/ports";
import { ActionRow, checkVersion, parseJson } from "./action-row.ts";
import { numberOf, textOf } from "./column.ts";
import type { Database } from "./database.ts";
import type { SqlRow } from "./driver.ts";

/** What is known of a channel while it is being written to. */
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
  kinded?: KindedState;
}

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

  /** Begins a channel; one that had the same URI makes room. */
  open(uri: string, kinded: KindedState): KnownChannel | undefined {
    this.remove(uri);
    const row = this.#database.get(
      `INSERT INTO channel (uri, kind, session_uri, is_open, trimmed_seq) VALUES (?, ?, ?, 1, 0) RETURNING id`,
      uri,
      kinded.kind,
      initialSession(kinded) ?? null,
    );
    if (row === undefined) return undefined;
    const state = JSON.stringify(kinded.state);
    const id = numberOf(row, "id");
    this.#database.run("INSERT INTO snapshot VALUES (?, 0, ?, 0, ?)", id, MODEL_VERSION, state);
    const { kind } = kinded;
    const channel: KnownChannel = { id, uri, kind, lastSeq: 0, tailBytes: 0, snapshotBytes: state.length };
    if (kind === "session") channel.kinded = kinded;
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
    if (channel.kind === "session") channel.kinded = this.#load(row);
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

  belong({ channel, session }: Belonging): void {
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

  load(uri: string): StoredChannel | undefined {
    const row = this.#row(uri);
    return row && this.#load(row);
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
    // The row before the wanted place may reach beyond it.
    const rows = this.#database.all(
      `SELECT * FROM action WHERE channel_id = ?1 AND seq >= COALESCE(
         (SELECT MAX(seq) FROM action WHERE channel_id = ?1 AND seq <= ?2), 0
       ) ORDER BY seq LIMIT ?3`,
      id,
      afterSeq,
      limit + 2,
    );
    const entries: StoredAction[] = [];
    for (const row of rows) {
      const actions = this.#readRow(kindOf(channel), row)?.split() ?? [];
      entries.push(...actions.filter(({ serverSeq }) => serverSeq > afterSeq));
      if (entries.length > limit) break;
    }
    const isComplete = afterSeq >= numberOf(channel, "trimmed_seq");
    return { entries: entries.slice(0, limit), hasMore: entries.length > limit, isComplete };
  }

  /** Remembers where a turn begins. */
  noteTurn(channelId: number, seq: number, turnId: string): void {
    this.#database.run("INSERT OR REPLACE INTO turn_start VALUES (?, ?, ?)", channelId, seq, turnId);
  }

  /** Where a turn begins that is still in the log. */
  findTurnStart(uri: string, wanted: WantedTurn): number | undefined {
    const channel = this.#row(uri);
    if (channel === undefined) return undefined;
    const [condition, value] = conditionOf(wanted);
    const row = this.#database.get(
      `SELECT seq FROM turn_start WHERE channel_id = ? AND seq > ? AND ${condition} LIMIT 1`,
      numberOf(channel, "id"),
      numberOf(channel, "trimmed_seq"),
      value,
    );
    return row && numberOf(row, "seq");
  }

  #row(uri: string): SqlRow | undefined {
    return this.#database.get(`SELECT ${channelColumns} FROM channel WHERE uri = ?`, uri);
  }

  #load(channel: SqlRow): StoredChannel {
    const id = numberOf(channel, "id");
    const kind = kindOf(channel);
    const uri = textOf(channel, "uri");
    const snapshot = this.#database.get(
      "SELECT seq, model_version, state FROM snapshot WHERE channel_id = ?",
      id,
    );
    if (snapshot === undefined) throw new StorageError("damaged", `The state of ${uri} is missing.`);
    checkVersion(snapshot);
    const checked = checkKinded(kind, parseJson(textOf(snapshot, "state")));
    if (!checked.ok) {
      throw new StorageError("damaged", `The state of ${uri} cannot be read: ${checked.problem}`);
    }
    let kinded = checked.value;
    let seq = numberOf(snapshot, "seq");
    for (const row of this.#database.all(
      "SELECT * FROM action WHERE channel_id = ? AND seq > ? ORDER BY seq",
      id,
      seq,
    )) {
      const read = this.#readRow(kind, row);
      if (read) kinded = reduceKinded(kinded, read.action);
      seq = numberOf(row, "last_seq");
    }
    return { ...kinded, uri, seq, isOpen: numberOf(channel, "is_open") === 1 };
  }

  /** A row that cannot be read is told of and passed over: the rest of the channel is worth more. */
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

/** Which turns are meant, the wanted one first. */
function conditionOf(wanted: WantedTurn): [condition: string, value: string | number] {
  if ("turnId" in wanted) return ["turn_id = ? ORDER BY seq DESC", wanted.turnId];
  if ("atOrBefore" in wanted) return ["seq <= ? ORDER BY seq DESC", wanted.atOrBefore];
  return ["seq >= ? ORDER BY seq", wanted.atOrAfter];
}

function kindOf(row: SqlRow): ChannelKind {
  const kind = textOf(row, "kind");
  if (kind === "session" || kind === "chat" || kind === "terminal") return kind;
  throw new StorageError("damaged", `There is no kind of channel called ${kind}.`);
}
