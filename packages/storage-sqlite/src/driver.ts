// The seam to SQLite: a few synchronous calls that both drivers can give, and the choice between them.
import { StorageError } from "@holdfast/core/ports";
import { openLibsql } from "./libsql-driver.ts";
import { findNodeSqlite, openNodeSqlite } from "./node-driver.ts";

/** A value that can be bound to a statement. */
export type SqlValue = string | number | null;

/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A prepared statement. */
export interface Statement {
  /** Gives the number of rows that changed. */
  run(values: readonly SqlValue[]): number;
  get(values: readonly SqlValue[]): SqlRow | undefined;
  all(values: readonly SqlValue[]): readonly SqlRow[];
}

/** An open database file. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** The drivers there are. */
export type DriverName = "node:sqlite" | "libsql";

/** Opens a file with the driver that is wanted; by default `node:sqlite` where Node has it, else `libsql`. */
export async function connect(file: string, wanted?: DriverName): Promise<Connection> {
  const native = wanted === "libsql" ? undefined : findNodeSqlite();
  if (native) return openNodeSqlite(native, file);
  if (wanted === "node:sqlite") {
    throw new StorageError("unusable", "This Node has no node:sqlite. Use Node 22.13 or newer.");
  }
  return openLibsql(file);
}
