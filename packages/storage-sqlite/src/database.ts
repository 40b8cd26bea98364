// A database file: opened with the settings that durability rests on, its statements prepared once, its transactions whole.
import { closeSync, constants, existsSync, fchmodSync, openSync, rmSync } from "node:fs";
import { StorageError } from "@holdfast/core/ports";
import {
  connect,
  type Connection,
  connectReadOnly,
  type DriverName,
  explainSqliteError,
  type SqlRow,
  type SqlValue,
  type Statement,
} from "./driver.ts";
import { migrate } from "./migrations.ts";

interface DatabaseOptions {
  readonly file: string;
  readonly driver?: DriverName | undefined;
  /** How long to wait for a lock that another program holds. */
  readonly busyTimeoutMs: number;
  /** Called when the file turns out to be damaged. */
  readonly onCorrupt?: ((error: StorageError) => void) | undefined;
}

/**
 * What a commit means (D1).
 * In WAL mode a commit appends to the log with `write`, so it is in the hands of the operating system when COMMIT
 * returns: the process may be killed at any moment and nothing that was committed is lost.
 * With `synchronous = NORMAL` it is not yet on the disk itself: when the power fails, the newest commits may be gone,
 * a whole number of them counted from the end; what is left is consistent. A transaction that must survive that too
 * asks for `FULL`, which costs the time the disk takes and carries all commits before it along.
 */
const settings = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = FAST;
`;

/** One open database. `close` it. */
export class Database {
  readonly file: string;
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  readonly #onCorrupt: ((error: StorageError) => void) | undefined;
  #isCorrupt = false;

  private constructor(connection: Connection, { file, onCorrupt }: DatabaseOptions) {
    this.file = file;
    this.#connection = connection;
    this.#onCorrupt = onCorrupt;
  }

  /** Opens a file, which nobody but its owner can read, and brings its tables up to date. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { file, driver, busyTimeoutMs } = options;
    const isNew = !existsSync(file);
    try {
      // SQLite gives the files beside it the mode of the first one.
      // A link may lead to somebody else's file, which must not get our mode (C225).
      const { O_APPEND, O_CREAT, O_RDWR } = constants;
      // Windows has no such flag, whatever the types say.
      const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
      const descriptor = openSync(file, O_APPEND | O_CREAT | O_RDWR | noFollow, 0o600);
      try {
        fchmodSync(descriptor, 0o600);
      } finally {
        closeSync(descriptor);
      }
    } catch (cause) {
      throw new StorageError("unusable", `${file} cannot be written. ${adviceFor(cause)}`, { cause });
    }
    const connection = await connect(file, driver);
    try {
      connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs};${settings}`);
      const database = new Database(connection, options);
      migrate(database);
      return database;
    } catch (cause) {
      connection.close();
      // A database that was never filled must not look like one that lost its content.
      if (isNew) removeDatabaseFiles(file);
      const explained = explainSqliteError(cause, file);
      if (explained instanceof StorageError) throw explained;
      const advice = "If it is damaged, run: holdfast doctor --repair";
      throw new StorageError("unusable", `${file} cannot be used as a database. ${advice}`, { cause });
    }
  }

  /** Opens a file that is only looked at, as it is: it is not changed, and its tables are not brought up to date. */
  static async openReadOnly({
    file,
    busyTimeoutMs,
  }: Pick<DatabaseOptions, "file" | "busyTimeoutMs">): Promise<Database> {
    const connection = await connectReadOnly(file);
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return new Database(connection, { file, busyTimeoutMs });
  }

  exec(sql: string): void {
    this.#explained(() => this.#connection.exec(sql));
  }

  /** Gives the number of rows that changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#explained(() => this.#prepare(sql).run(values));
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#explained(() => this.#prepare(sql).get(values));
  }

  all(sql: string, ...values: SqlValue[]): readonly SqlRow[] {
    return this.#explained(() => this.#prepare(sql).all(values));
  }

  /** Keeps all that `work` does, or nothing. With `isSynced` it survives a power failure. */
  transaction<Result>(work: () => Result, isSynced = false): Result {
    if (isSynced) this.exec("PRAGMA synchronous = FULL");
    try {
      return this.#transact(work);
    } finally {
      if (isSynced) this.exec("PRAGMA synchronous = NORMAL");
    }
  }

  /** The same within a transaction, or without one. */
  savepoint<Result>(work: () => Result): Result {
    this.run("SAVEPOINT inner_work");
    try {
      const result = work();
      this.run("RELEASE inner_work");
      return result;
    } catch (error) {
      this.#quietly("ROLLBACK TO inner_work");
      this.#quietly("RELEASE inner_work");
      throw error;
    }
  }

  close(): void {
    // Closing would merge the log into the file. A damaged one stays as it is until it is set aside (D410).
    if (this.#isCorrupt) return;
    try {
      // Not every driver does this when it closes; what is left in the log is not lost, only untidy.
      this.all("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "unavailable") throw error;
      // A full disk: the log stays, and the next start reads it.
    } finally {
      this.#connection.close();
    }
  }

  #transact<Result>(work: () => Result): Result {
    this.run("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#quietly("ROLLBACK");
      throw error;
    }
  }

  #quietly(sql: string): void {
    try {
      this.run(sql);
    } catch {
      // A full disk has rolled it back already, and the first error is the one to report.
    }
  }

  /** Errors of the driver name the file and what to do. */
  #explained<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const explained = explainSqliteError(error, this.file);
      if (explained instanceof StorageError && explained.code === "corrupt") this.#noteCorrupt(explained);
      throw explained;
    }
  }

  /** From now on nothing is written to the file: what was read of it may be wrong (D410). */
  #noteCorrupt(error: StorageError): void {
    if (!this.#isCorrupt) {
      this.#isCorrupt = true;
      this.#connection.exec("PRAGMA query_only = ON");
    }
    this.#onCorrupt?.(error);
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The file and those that SQLite keeps beside it. */
export const DATABASE_SUFFIXES = ["", "-wal", "-shm"] as const;

function removeDatabaseFiles(file: string): void {
  for (const suffix of DATABASE_SUFFIXES) rmSync(file + suffix, { force: true });
}

function adviceFor(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT"
    ? "Its disk is full: free space, then start again."
    : "Check who owns it and its folder.";
}
