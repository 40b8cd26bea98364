// Writes the states of channels down now and then, so that loading is fast and old parts of the log can go.
import { MODEL_VERSION } from "@holdfast/ahp";
import type { ChannelTable, KnownChannel } from "./channel-table.ts";
import { numberOf } from "./column.ts";
import type { Database } from "./database.ts";

/** How much is kept of logs, and when states are written down. */
export interface SnapshotRules {
  /** A shorter log of a chat than this is replayed, not written down. */
  readonly minTailBytes: number;
  readonly keepLogBytes: number;
}

/**
 * Decides when a snapshot is due, and writes it outside of commits, one channel in each turn of the loop (D6).
 * The log after a snapshot may grow as large as the snapshot itself, and in the middle of a turn twice as large:
 * so all snapshots of a channel together cost no more than a constant times its log.
 */
export class Snapshots {
  readonly #database: Database;
  readonly #channels: ChannelTable;
  readonly #rules: SnapshotRules;
  readonly #onFault: (error: unknown) => void;
  readonly #due = new Set<string>();
  #timer: NodeJS.Immediate | undefined;

  constructor(
    database: Database,
    channels: ChannelTable,
    rules: SnapshotRules,
    onFault: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#channels = channels;
    this.#rules = rules;
    this.#onFault = onFault;
  }

  /** To be called when a channel was written to; `isAtRest` when a turn has just ended. */
  consider(channel: KnownChannel, isAtRest: boolean): void {
    const boundBytes = Math.max(this.#minTailBytes(channel), channel.snapshotBytes) * (isAtRest ? 1 : 2);
    if (channel.tailBytes <= boundBytes) return;
    this.#due.add(channel.uri);
    this.#timer ??= setImmediate(() => this.#writeNext()).unref();
  }

  /** Writes the state of a channel down, and keeps only as much of the log before it as `keepLogBytes` allows. */
  write(uri: string, keepLogBytes: number = this.#rules.keepLogBytes): void {
    const channel = this.#channels.find(uri);
    if (channel === undefined) return;
    const isOpen = this.#database.transaction(() => this.#writeState(channel, keepLogBytes));
    channel.tailBytes = 0;
    // A row that the snapshot covers takes no more text: it would not be replayed.
    delete channel.lastRow;
    if (!isOpen) this.#channels.release(uri);
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
    const loaded = this.#channels.load(channel.uri);
    const before = this.#database.get("SELECT log_bytes FROM snapshot WHERE channel_id = ?", id);
    if (loaded === undefined || before === undefined) return false;
    const state = JSON.stringify(loaded.state);
    const logBytes = tailBytes + numberOf(before, "log_bytes");
    const keptBytes = logBytes > keepLogBytes ? this.#trim(id, keepLogBytes / 2) : logBytes;
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

  /** Removes the oldest rows; gives the size of those that stay. */
  #trim(id: number, keepBytes: number): number {
    let keptBytes = 0;
    for (const row of this.#database.all(
      "SELECT seq, last_seq, LENGTH(body) AS size_bytes FROM action WHERE channel_id = ? ORDER BY seq DESC",
      id,
    )) {
      const sizeBytes = numberOf(row, "size_bytes");
      if (keptBytes + sizeBytes > keepBytes) {
        this.#database.run("DELETE FROM action WHERE channel_id = ? AND seq <= ?", id, numberOf(row, "seq"));
        this.#database.run(
          "DELETE FROM turn_start WHERE channel_id = ? AND seq <= ?",
          id,
          numberOf(row, "seq"),
        );
        this.#database.run("UPDATE channel SET trimmed_seq = ? WHERE id = ?", numberOf(row, "last_seq"), id);
        return keptBytes;
      }
      keptBytes += sizeBytes;
    }
    return keptBytes;
  }
}
