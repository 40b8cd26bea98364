// The journal: each tick of the hub becomes one transaction.
import { statfsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { type Action, MODEL_VERSION } from "@holdfast/ahp";
import {
  changedOwner,
  isDurable,
  type Journal,
  type JournalRecord,
  type LogEntry,
  reduceByKind,
  StorageError,
} from "@holdfast/core/ports";
import { ActionRow } from "./action-row.ts";
import type { BlockSequence } from "./block-sequence.ts";
import type { ChannelTable, KnownChannel } from "./channel-table.ts";
import type { Database } from "./database.ts";
import type { RunTable } from "./run-table.ts";
import type { SessionTable } from "./session-table.ts";
import type { Snapshots } from "./snapshots.ts";

interface JournalParts {
  readonly database: Database;
  readonly channels: ChannelTable;
  readonly sessions: SessionTable;
  readonly runs: RunTable;
  readonly sequence: BlockSequence;
  readonly snapshots: Snapshots;
  readonly nowMs: () => number;
  /** Called for an action that cannot be written as JSON. */
  readonly onFault: (error: unknown) => void;
}

/** Changes of a tick, gathered before they are written: a row that takes ten pieces of text is written once. */
interface Tick {
  readonly newRows: Map<ActionRow, KnownChannel>;
  readonly grownRows: Map<ActionRow, KnownChannel>;
  readonly sessions: Set<KnownChannel>;
  readonly touched: Set<KnownChannel>;
  readonly atRest: Set<KnownChannel>;
  /** Chats whose oldest turns leave the state. */
  readonly omitting: Set<KnownChannel>;
}

/** After these a state is small for what it holds: a good moment to write it down. */
const goodMoments: ReadonlySet<Action["type"]> = new Set<Action["type"]>([
  "chat/turnComplete",
  "chat/turnCancelled",
  "chat/error",
  "chat/turnInterrupted",
  "chat/textOmitted",
]);

/** Keeps durable actions; `commit` returns when they are kept (D1). */
export class SqliteJournal implements Journal {
  readonly #parts: JournalParts;
  readonly #freeSpace: FreeSpace;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#freeSpace = new FreeSpace(parts.database.file);
  }

  checkRoom(): void {
    this.#freeSpace.check();
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
      omitting: new Set(),
    };
    try {
      const reserved = database.transaction(() => {
        for (const record of durable) this.#take(record, tick);
        this.#writeRows(tick);
        // Here and not later: a turn is always in the state or in its table, so that looking for one reads no log.
        for (const channel of tick.omitting) snapshots.writeInTransaction(channel);
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
    const { channels, runs, nowMs } = this.#parts;
    switch (record.type) {
      case "opened": {
        // The rows that wait may be of a channel with the same URI.
        this.#writeRows(tick);
        const channel = channels.open(record.channel, record.opened);
        if (channel?.kind === "session") tick.sessions.add(channel);
        return;
      }
      case "applied": {
        // Records that still come for a purged channel have nowhere to go.
        const channel = channels.find(record.entry.channel);
        if (channel) this.#apply(channel, record.entry, tick);
        return;
      }
      case "closed":
        return channels.close(record.channel, nowMs());
      case "reopened":
        return channels.reopen(record.channel);
      case "run":
        return runs.advance(record);
      case "runEnded":
        runs.end(record.run);
    }
  }

  #apply(channel: KnownChannel, entry: LogEntry, tick: Tick): void {
    const { action, serverSeq } = entry;
    // A commit may succeed and yet be reported as a failure; then its records come a second time.
    if (serverSeq <= channel.lastSeq) return;
    channel.lastSeq = serverSeq;
    tick.touched.add(channel);
    if (action.type === "chat/turnsOmitted") tick.omitting.add(channel);
    if (goodMoments.has(action.type)) tick.atRest.add(channel);
    if (channel.lastRow?.join(entry) === true) {
      if (!tick.newRows.has(channel.lastRow)) tick.grownRows.set(channel.lastRow, channel);
    } else {
      channel.lastRow = new ActionRow(entry);
      tick.newRows.set(channel.lastRow, channel);
    }
    if (action.type === "chat/turnStarted") {
      this.#parts.channels.noteTurn(channel.id, serverSeq, action.turnId);
    }
    if (action.type === "chat/textOmitted") this.#parts.channels.keepTurn(channel.id, action.turnId);
    if (channel.current) {
      channel.current = reduceByKind(channel.current, action);
      tick.sessions.add(channel);
    }
    const owner = changedOwner(channel.uri, action);
    if (owner) this.#parts.channels.setOwner(owner);
  }

  #writeRows({ newRows, grownRows, sessions }: Tick): void {
    const { database } = this.#parts;
    for (const [row, channel] of newRows) {
      const body = this.#encode(row);
      if (body === undefined) {
        if (channel.lastRow === row) delete channel.lastRow;
        continue;
      }
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

  /** An action that cannot be written is left out alone: the database is well, and other sessions must not wait (D452). */
  #encode(row: ActionRow): string | undefined {
    try {
      return row.body;
    } catch (cause) {
      const { type } = row.action;
      this.#parts.onFault(new Error(`Action ${row.seq} (${type}) cannot be written as JSON`, { cause }));
      return undefined;
    }
  }
}

function isWorthKeeping(record: JournalRecord): boolean {
  switch (record.type) {
    case "opened":
      return record.opened.kind !== "root";
    case "applied":
      return isDurable(record.entry.action);
    default:
      return true;
  }
}

/** Reserve for records that must still be written when new work is refused: ends of turns, exits, closings. */
const maxReserveBytes = 4 * 1024 * 1024;

/** On a small disk the reserve is smaller. */
const reserveShare = 0.02;

/** How long an answer counts: a burst of requests asks the system once. */
const freshMs = 100;

/** Free space on the disk of the database: work is refused before the last of it is used (D260). */
class FreeSpace {
  readonly #file: string;
  readonly #nowMs: () => number;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #problem: StorageError | undefined;

  constructor(file: string, nowMs: () => number = () => performance.now()) {
    this.#file = file;
    this.#nowMs = nowMs;
  }

  /** Throws when there is too little space. */
  check(): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#checkedAtMs >= freshMs) {
      this.#checkedAtMs = nowMs;
      this.#problem = this.#find();
    }
    if (this.#problem !== undefined) throw this.#problem;
  }

  #find(): StorageError | undefined {
    const space = readSpace(path.dirname(this.#file));
    if (space === undefined) return undefined;
    const { freeBytes, totalBytes } = space;
    // Some virtual file systems report no size at all.
    if (totalBytes === 0 || freeBytes >= Math.min(maxReserveBytes, totalBytes * reserveShare)) {
      return undefined;
    }
    const message = `There is no room to write ${this.#file} (${Math.floor(freeBytes / 1024)} KiB are free). Free space on its disk, then try again.`;
    return new StorageError("unavailable", message);
  }
}

function readSpace(folder: string): { readonly freeBytes: number; readonly totalBytes: number } | undefined {
  try {
    const { bsize, bfree, bavail, blocks } = statfsSync(folder);
    const isRoot = process.getuid?.() === 0;
    return { freeBytes: bsize * (isRoot ? bfree : bavail), totalBytes: bsize * blocks };
  } catch {
    // A system that does not report it: the write itself will fail.
    return undefined;
  }
}
