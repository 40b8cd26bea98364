// The journal: each tick of the hub becomes one transaction.
import { MODEL_VERSION, type Action } from "@holdfast/ahp";
import {
  changedBelonging,
  isDurable,
  reduceKinded,
  type Journal,
  type JournalRecord,
  type LogEntry,
} from "@holdfast/core/ports";
import { ActionRow } from "./action-row.ts";
import type { BlockSequence } from "./block-sequence.ts";
import type { ChannelTable, KnownChannel } from "./channel-table.ts";
import type { Database } from "./database.ts";
import type { SessionTable } from "./session-table.ts";
import type { Snapshots } from "./snapshots.ts";

/** What a journal writes with. */
export interface JournalParts {
  readonly database: Database;
  readonly channels: ChannelTable;
  readonly sessions: SessionTable;
  readonly sequence: BlockSequence;
  readonly snapshots: Snapshots;
  readonly nowMs: () => number;
}

/** What a tick changes, gathered before it is written: a row that takes ten pieces of text is written once. */
interface Tick {
  readonly newRows: Map<ActionRow, KnownChannel>;
  readonly grownRows: Map<ActionRow, KnownChannel>;
  readonly sessions: Set<KnownChannel>;
  readonly touched: Set<KnownChannel>;
  readonly atRest: Set<KnownChannel>;
}

const endsOfTurns: ReadonlySet<Action["type"]> = new Set<Action["type"]>([
  "chat/turnComplete",
  "chat/turnCancelled",
  "chat/error",
  "chat/turnInterrupted",
]);

/** Keeps durable actions; `commit` returns when they are kept (D1). */
export class SqliteJournal implements Journal {
  readonly #parts: JournalParts;

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  commit(records: readonly JournalRecord[]): void {
    const { database, channels, sequence, snapshots } = this.#parts;
    const { isLow } = sequence;
    const durable = records.filter(isWorthKeeping);
    if (durable.length === 0 && !isLow) return;
    const tick: Tick = {
      newRows: new Map(),
      grownRows: new Map(),
      sessions: new Set(),
      touched: new Set(),
      atRest: new Set(),
    };
    try {
      const reserved = database.transaction(() => {
        for (const record of durable) this.#take(record, tick);
        this.#writeRows(tick);
        return isLow ? sequence.reserve() : undefined;
      }, isLow);
      if (reserved !== undefined) sequence.reserved(reserved);
    } catch (error) {
      // The same records will come again, and must find what the database holds.
      channels.forget();
      throw error;
    }
    for (const channel of tick.touched) snapshots.consider(channel, tick.atRest.has(channel));
  }

  #take(record: JournalRecord, tick: Tick): void {
    const { channels, nowMs } = this.#parts;
    switch (record.type) {
      case "opened": {
        // The rows that wait may be of a channel with the same URI.
        this.#writeRows(tick);
        const channel = channels.open(record.channel, record.opened);
        if (channel?.kind === "session") tick.sessions.add(channel);
        return;
      }
      case "applied": {
        // What still comes for a channel that was purged has nowhere to go.
        const channel = channels.find(record.entry.channel);
        if (channel) this.#apply(channel, record.entry, tick);
        return;
      }
      case "closed":
        channels.close(record.channel, nowMs());
    }
  }

  #apply(channel: KnownChannel, entry: LogEntry, tick: Tick): void {
    const { action, serverSeq } = entry;
    // A commit may succeed and yet be reported as a failure; then its records come a second time.
    if (serverSeq <= channel.lastSeq) return;
    channel.lastSeq = serverSeq;
    tick.touched.add(channel);
    if (endsOfTurns.has(action.type)) tick.atRest.add(channel);
    if (channel.lastRow?.join(entry) === true) {
      if (!tick.newRows.has(channel.lastRow)) tick.grownRows.set(channel.lastRow, channel);
    } else {
      channel.lastRow = new ActionRow(entry);
      tick.newRows.set(channel.lastRow, channel);
    }
    if (action.type === "chat/turnStarted") {
      this.#parts.channels.noteTurn(channel.id, serverSeq, action.turnId);
    }
    if (channel.kinded) {
      channel.kinded = reduceKinded(channel.kinded, action);
      tick.sessions.add(channel);
    }
    const belonging = changedBelonging(channel.uri, action);
    if (belonging) this.#parts.channels.belong(belonging);
  }

  #writeRows({ newRows, grownRows, sessions }: Tick): void {
    const { database } = this.#parts;
    for (const [row, channel] of newRows) {
      const { body } = row;
      channel.tailBytes += body.length;
      database.run(
        `INSERT INTO action (seq, last_seq, channel_id, at_ms, model_version, body, pieces, origin)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        row.seq,
        row.lastSeq,
        channel.id,
        row.atMs,
        MODEL_VERSION,
        body,
        row.pieces,
        row.origin ? JSON.stringify(row.origin) : null,
      );
    }
    for (const [row, channel] of grownRows) {
      channel.tailBytes += row.takeGrownChars();
      database.run(
        "UPDATE action SET last_seq = ?, body = ?, pieces = ? WHERE seq = ?",
        row.lastSeq,
        row.body,
        row.pieces,
        row.seq,
      );
    }
    for (const channel of sessions) this.#parts.sessions.write(channel);
    newRows.clear();
    grownRows.clear();
    sessions.clear();
  }
}

function isWorthKeeping(record: JournalRecord): boolean {
  switch (record.type) {
    case "opened":
      return record.opened.kind !== "root";
    case "applied":
      return isDurable(record.entry.action);
    case "closed":
      return true;
  }
}
