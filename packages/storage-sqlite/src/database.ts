// A database file: opened with the settings that durability rests on, its statements prepared once, its transactions whole.
import { chmodSync, closeSync, openSync } from "node:fs";
import { StorageError } from "@holdfast/core/ports";
import {
  connect,
  type Connection,
  type DriverName,
  type SqlRow,
  type SqlValue,
  type Statement,
} from "./driver.ts";
import { migrate } from "./migrations.ts";

/** How a database is opened. */
export interface DatabaseOptions {
  readonly file: string;
  readonly driver?: DriverName | undefined;
  /** How long to wait for a lock that another program holds. */
  readonly busyTimeoutMs: number;
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
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Opens a file, which nobody but its owner can read, and brings its tables up to date. */
  static async open({ file, driver, busyTimeoutMs }: DatabaseOptions): Promise<Database> {
    try {
      // SQLite gives the files beside it the mode of the first one.
      closeSync(openSync(file, "a", 0o600));
      chmodSync(file, 0o600);
    } catch (cause) {
      throw new StorageError("unusable", `${file} cannot be written. Check who owns it and its folder.`, {
        cause,
      });
    }
    const connection = await connect(file, driver);
    try {
      connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs};${settings}`);
      const database = new Database(connection);
      migrate(database);
      return database;
    } catch (cause) {
      connection.close();
      if (cause instanceof StorageError) throw cause;
      const advice = "If it is damaged, move it away and start again.";
      throw new StorageError("unusable", `${file} cannot be used as a database. ${advice}`, { cause });
    }
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Gives the number of rows that changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#prepare(sql).run(values);
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#prepare(sql).get(values);
  }

  all(sql: string, ...values: SqlValue[]): readonly SqlRow[] {
    return this.#prepare(sql).all(values);
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

  close(): void {
    try {
      // Not every driver does it by itself when it closes; what is left in the log is not lost, only untidy.
      this.all("PRAGMA wal_checkpoint(TRUNCATE)");
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
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.run("ROLLBACK");
    } catch {
      // A full disk has rolled it back already, and the first error is the one to tell.
    }
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
