// Writes the states of channels down now and then, so that loading is fast and old parts of the log can go.
import { MODEL_VERSION } from "@holdfast/ahp";
import type { StoredChannel } from "@holdfast/core/ports";
import type { ChannelTable, KnownChannel } from "./channel-table.ts";
import { numberOf } from "./driver.ts";
import type { Database } from "./database.ts";
import type { TurnTable } from "./turn-table.ts";

/** How much is kept of logs, and when states are written down. */
interface SnapshotRules {
  /** A shorter log of a chat than this is replayed, not written down. */
  readonly minTailBytes: number;
  readonly keepLogBytes: number;
}

/** How many rows are looked at in one query. */
const pageRows = 500;

/**
 * Decides when a snapshot is due, and writes it outside of commits, one channel per tick (D6).
 * The log after a snapshot may grow as large as the snapshot itself, and in the middle of a turn four times as large:
 * so all snapshots of a channel together cost no more than a constant times its log.
 */
export class Snapshots {
  readonly #database: Database;
  readonly #channels: ChannelTable;
  readonly #turns: TurnTable;
  readonly #rules: SnapshotRules;
  readonly #onFault: (error: unknown) => void;
  readonly #due = new Set<string>();
  #timer: NodeJS.Immediate | undefined;

  constructor(
    database: Database,
    channels: ChannelTable,
    turns: TurnTable,
    rules: SnapshotRules,
    onFault: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#channels = channels;
    this.#turns = turns;
    this.#rules = rules;
    this.#onFault = onFault;
  }

  /** To be called when a channel was written to; `isAtRest` when a turn has just ended or its text was shortened. */
  consider(channel: KnownChannel, isAtRest: boolean): void {
    const boundBytes = Math.max(this.#minTailBytes(channel), channel.snapshotBytes) * (isAtRest ? 1 : 4);
    if (channel.tailBytes <= boundBytes) return;
    this.#due.add(channel.uri);
    this.#timer ??= setImmediate(() => this.#writeNext()).unref();
  }

  /** Writes the state of a channel down, and keeps only as much of the log before it as `keepLogBytes` allows. */
  write(uri: string, keepLogBytes: number = this.#rules.keepLogBytes): void {
    const channel = this.#channels.find(uri);
    if (channel === undefined) return;
    const isOpen = this.#database.transaction(() => this.writeInTransaction(channel, keepLogBytes));
    if (!isOpen) this.#channels.release(uri);
  }

  /** The same within a transaction; gives whether the channel is open. */
  writeInTransaction(channel: KnownChannel, keepLogBytes: number = this.#rules.keepLogBytes): boolean {
    const isOpen = this.#writeState(channel, keepLogBytes);
    channel.tailBytes = 0;
    // A row that the snapshot covers takes no more text: it would not be replayed.
    delete channel.lastRow;
    return isOpen;
  }

  /** Writes what is worth it before the end; a short rest of a log is replayed faster than written down. */
  close(): void {
    if (this.#timer) clearImmediate(this.#timer);
    for (const channel of this.#channels.known) {
      if (channel.tailBytes > this.#minTailBytes(channel) / 4) this.write(channel.uri);
    }
  }

  /** All sessions and terminals that are open are loaded when a host starts, so theirs is shorter. */
  #minTailBytes({ kind }: KnownChannel): number {
    return kind === "chat" ? this.#rules.minTailBytes : this.#rules.minTailBytes / 16;
  }

  #writeNext(): void {
    this.#timer = undefined;
    const [uri] = this.#due;
    if (uri === undefined) return;
    this.#due.delete(uri);
    try {
      this.write(uri);
    } catch (error) {
      // Nothing is lost: the log is longer than it need be, and the next commit tries again.
      this.#channels.forget();
      this.#onFault(error);
    }
    if (this.#due.size > 0) this.#timer = setImmediate(() => this.#writeNext()).unref();
  }

  /** Gives whether the channel is open. */
  #writeState(channel: KnownChannel, keepLogBytes: number): boolean {
    const { id, tailBytes } = channel;
    const loaded = this.#channels.load(channel.uri, (turns) => this.#turns.add(id, turns));
    const before = this.#database.get("SELECT log_bytes FROM snapshot WHERE channel_id = ?", id);
    if (loaded === undefined || before === undefined) return false;
    const state = JSON.stringify(loaded.state);
    const logBytes = tailBytes + numberOf(before, "log_bytes");
    const keptBytes =
      logBytes > keepLogBytes ? this.#trim(id, keepLogBytes / 2, newestTurnOf(loaded)) : logBytes;
    this.#database.run(
      "UPDATE snapshot SET seq = ?, model_version = ?, log_bytes = ?, state = ? WHERE channel_id = ?",
      loaded.seq,
      MODEL_VERSION,
      keptBytes,
      state,
      id,
    );
    channel.snapshotBytes = state.length;
    return loaded.isOpen;
  }

  /** Removes the oldest rows but those of kept turns; gives the size of the newest rows, which stay. */
  #trim(id: number, keepBytes: number, newestTurnId: string | undefined): number {
    const { keptBytes, cutSeq } = this.#findCut(id, keepBytes);
    if (cutSeq === undefined) return keptBytes;
    let fromSeq = 0;
    for (const { startSeq, endSeq } of this.#channels.keptRanges(id, newestTurnId)) {
      this.#remove(id, fromSeq, Math.min(startSeq - 1, cutSeq));
      fromSeq = endSeq;
    }
    this.#remove(id, fromSeq, cutSeq);
    return keptBytes;
  }

  /** The newest row that does not fit any more, read a page at a time: the log may be much longer than what is kept. */
  #findCut(id: number, keepBytes: number): { keptBytes: number; cutSeq?: number } {
    let keptBytes = 0;
    let beforeSeq = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = this.#database.all(
        `SELECT seq, LENGTH(body) AS size_bytes FROM action WHERE channel_id = ? AND seq < ?
         ORDER BY seq DESC LIMIT ${pageRows}`,
        id,
        beforeSeq,
      );
      for (const row of rows) {
        beforeSeq = numberOf(row, "seq");
        const sizeBytes = numberOf(row, "size_bytes");
        if (keptBytes + sizeBytes > keepBytes) return { keptBytes, cutSeq: beforeSeq };
        keptBytes += sizeBytes;
      }
      if (rows.length < pageRows) return { keptBytes };
    }
  }

  #remove(id: number, fromSeq: number, toSeq: number): void {
    if (fromSeq > toSeq) return;
    const newest = this.#database.get(
      "SELECT last_seq FROM action WHERE channel_id = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1",
      id,
      fromSeq,
      toSeq,
    );
    if (newest === undefined) return;
    this.#database.run("DELETE FROM action WHERE channel_id = ? AND seq BETWEEN ? AND ?", id, fromSeq, toSeq);
    // The first start after a kept turn says where that turn ends.
    this.#database.run(
      "DELETE FROM turn_start WHERE channel_id = ? AND seq BETWEEN ? AND ? AND seq <> ?",
      id,
      fromSeq,
      toSeq,
      fromSeq,
    );
    this.#database.run("UPDATE channel SET trimmed_seq = ? WHERE id = ?", numberOf(newest, "last_seq"), id);
  }
}

/** The newest turn of a chat: text may still be left out of its state, and readers may be behind when it ends. */
function newestTurnOf(loaded: StoredChannel): string | undefined {
  if (loaded.kind !== "chat") return undefined;
  const { activeTurn, turns } = loaded.state;
  return activeTurn?.id ?? turns.at(-1)?.id;
}
