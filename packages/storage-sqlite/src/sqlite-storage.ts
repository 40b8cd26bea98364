// The storage port on SQLite.
import type { SessionUri, Turn } from "@holdfast/ahp";
import {
  turnsBefore,
  type LogPage,
  type Pruned,
  type Purged,
  type Retention,
  type SessionPage,
  type SessionQuery,
  type Storage,
  type StorageError,
  type StoredChannel,
  type StoredChannelOf,
  type StoredRun,
  type TurnPage,
  type WantedOmittedTurn,
  type WantedTurn,
} from "@holdfast/core/ports";
import { AuditTable } from "./audit-table.ts";
import { BlockSequence } from "./block-sequence.ts";
import { ChannelTable } from "./channel-table.ts";
import { Database } from "./database.ts";
import type { DriverName } from "./driver.ts";
import { MetaTable } from "./meta-table.ts";
import { Removal } from "./removal.ts";
import { RunTable } from "./run-table.ts";
import { SearchTable } from "./search-table.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import { SessionTable } from "./session-table.ts";
import { Snapshots } from "./snapshots.ts";
import { TurnTable } from "./turn-table.ts";

/** How a storage is opened; every field but the file has a default. */
export interface SqliteStorageOptions {
  /** The database; it is created when it is not there, its folder is not. */
  readonly file: string;
  /** Default: `node:sqlite` where Node has it, else `libsql`. */
  readonly driver?: DriverName | undefined;
  /** How much of each channel's log is kept for readers who come back; states are kept whole. Default 16 MiB. */
  readonly keepLogBytes?: number | undefined;
  /** How much log may follow a snapshot of a small channel before the next one is written. Default 64 KiB. */
  readonly snapshotAfterBytes?: number | undefined;
  /** How long to wait for a lock that another program holds. Default 5 s. */
  readonly busyTimeoutMs?: number | undefined;
  readonly nowMs?: (() => number) | undefined;
  /** Called with rows that cannot be read and snapshots that cannot be written. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Called when the file turns out to be damaged; what was read of it may be wrong. */
  readonly onCorrupt?: ((error: StorageError) => void) | undefined;
}

/** Opens the storage in a file. */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const { file, driver, busyTimeoutMs = 5000, onCorrupt } = options;
  return new SqliteStorage(await Database.open({ file, driver, busyTimeoutMs, onCorrupt }), options);
}

class SqliteStorage implements Storage {
  readonly journal: SqliteJournal;
  readonly sequence: BlockSequence;
  readonly audit: AuditTable;
  readonly meta: MetaTable;
  readonly search: SearchTable;
  readonly #database: Database;
  readonly #channels: ChannelTable;
  readonly #turns: TurnTable;
  readonly #sessions: SessionTable;
  readonly #snapshots: Snapshots;
  readonly #removal: Removal;
  readonly #runs: RunTable;
  #isClosed = false;

  constructor(database: Database, options: SqliteStorageOptions) {
    const { keepLogBytes = 16 * 1024 * 1024, snapshotAfterBytes: minTailBytes = 64 * 1024 } = options;
    const { nowMs = Date.now, onFault = throwLater } = options;
    this.#database = database;
    this.sequence = new BlockSequence(database);
    this.audit = new AuditTable(database);
    this.audit.begin();
    this.meta = new MetaTable(database);
    const channels = new ChannelTable(database, onFault);
    const sessions = new SessionTable(database);
    const turns = new TurnTable(database, onFault);
    const snapshots = new Snapshots(database, channels, turns, { minTailBytes, keepLogBytes }, onFault);
    this.search = new SearchTable(database, channels, turns);
    this.#channels = channels;
    this.#turns = turns;
    this.#sessions = sessions;
    this.#snapshots = snapshots;
    this.#removal = new Removal({
      database,
      channels,
      sessions,
      snapshots,
      search: this.search,
      audit: this.audit,
    });
    const runs = new RunTable(database);
    this.#runs = runs;
    const { sequence } = this;
    this.journal = new SqliteJournal({
      database,
      channels,
      sessions,
      runs,
      sequence,
      snapshots,
      nowMs,
      onFault,
    });
  }

  listSessions(query: SessionQuery = {}): SessionPage {
    return this.#sessions.list(query);
  }

  openChannels<Kind extends "session" | "terminal">(kind: Kind): StoredChannelOf<Kind>[] {
    return this.#channels
      .loadOpen(kind)
      .filter((channel): channel is StoredChannel & StoredChannelOf<Kind> => channel.kind === kind);
  }

  channelsOf(session: SessionUri): string[] {
    return this.#channels.ofSession(session).map(({ uri }) => uri);
  }

  loadChannel(uri: string): StoredChannel | undefined {
    return this.#channels.load(uri);
  }

  readLog(uri: string, afterSeq: number, limit: number): LogPage {
    return this.#channels.readLog(uri, afterSeq, limit);
  }

  findTurnStart(chat: string, wanted: WantedTurn): number | undefined {
    return this.#channels.findTurnStart(chat, wanted);
  }

  readTurns(chat: string, before: string, limit: number): TurnPage | undefined {
    const id = this.#channels.idOf(chat);
    if (id === undefined) return undefined;
    const nothing: TurnPage = { turns: [], hasMore: false };
    const older = (rest: number): TurnPage => this.#turns.before(id, undefined, rest) ?? nothing;
    const omitted = this.#turns.before(id, before, limit);
    if (omitted !== undefined) return omitted;
    // One that is still in the state: the border between the two is crossed once by each reader.
    const stored = this.#channels.load(chat);
    return stored?.kind === "chat" ? turnsBefore(stored.state.turns, before, limit, older) : undefined;
  }

  findOmittedTurn(chat: string, wanted: WantedOmittedTurn): Turn | undefined {
    const id = this.#channels.idOf(chat);
    return id === undefined ? undefined : this.#turns.find(id, wanted);
  }

  runs(): StoredRun[] {
    return this.#runs.all();
  }

  purge(session: SessionUri): Purged {
    return this.#removal.purge(session);
  }

  prune(retention: Retention): Pruned {
    return this.#removal.prune(retention);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#snapshots.close();
    this.sequence.close();
    this.#database.close();
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
