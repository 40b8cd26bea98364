// Connection to SQLite: the two drivers, the choice between them, and how columns and failures are read.
import { statSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isArrayBuffer } from "node:util/types";
import { StorageError } from "@holdfast/core/ports";
import type Libsql from "libsql";

/** A value that can be bound to a statement. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, unknown>>;

export interface Statement {
  /** Gives the number of rows that changed. */
  run(values: readonly SqlValue[]): number;
  get(values: readonly SqlValue[]): SqlRow | undefined;
  all(values: readonly SqlValue[]): readonly SqlRow[];
}

export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** The drivers there are. */
export type DriverName = "node:sqlite" | "libsql";

/** Opens a file with the driver that is wanted; by default `node:sqlite` where Node has it, else `libsql`. */
export async function connect(file: string, wanted?: DriverName): Promise<Connection> {
  return open(file, wanted);
}

/**
 * Opens a file that must not change: no statement writes to it, and its log is not merged into it, not even when the
 * connection is closed. SQLite may make empty files beside it for its log and its locks.
 */
export async function connectReadOnly(file: string, wanted?: DriverName): Promise<Connection> {
  // SQLite deletes the log of a database that has no pages.
  if (statSync(file).size === 0) throw new StorageError("corrupt", `The database ${file} is empty.`);
  // Both drivers take an address; only one of them has an option.
  return open(`${pathToFileURL(file).href}?mode=ro`, wanted);
}

async function open(file: string, wanted: DriverName | undefined): Promise<Connection> {
  const native = wanted === "libsql" ? undefined : findNodeSqlite();
  if (native) return openNodeSqlite(native, file);
  if (wanted === "node:sqlite") {
    throw new StorageError("unusable", "This Node has no node:sqlite. Use Node 22.13 or newer.");
  }
  return openLibsql(file);
}

interface NodeStatement {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

/** The part of `node:sqlite` that is used; the type definitions for Node 20 do not know it. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => NodeDatabase;
}

/** The module, where this Node has it and does not hide it behind a flag. */
export function findNodeSqlite(): NodeSqlite | undefined {
  const found = withoutWarnings(() => process.getBuiltinModule("node:sqlite"));
  return isNodeSqlite(found) ? found : undefined;
}

/** Node 22 calls the module experimental on stderr when it is loaded, which gives a person nothing to act on. */
function withoutWarnings<Value>(load: () => Value): Value {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** `node:sqlite`, which Node has from 22.13 on. */
function openNodeSqlite({ DatabaseSync }: NodeSqlite, file: string): Connection {
  const database = new DatabaseSync(file);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (values) => Number(statement.run(...values).changes),
        get: (values) => statement.get(...values),
        all: (values) => statement.all(...values),
      };
    },
    close: () => database.close(),
  };
}

function isNodeSqlite(value: object | undefined): value is NodeSqlite {
  return value !== undefined && "DatabaseSync" in value && typeof value.DatabaseSync === "function";
}

/** `libsql`, for Node 20. */
async function openLibsql(file: string): Promise<Connection> {
  const Driver = await importLibsql();
  const database = new Driver(file);
  return {
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(readable(database, sql));
      // Values go as one array: a lone null as a separate argument is misread.
      return {
        run: (values) => statement.run([...values]).changes,
        get: (values) => withoutMetadata(statement.get([...values])),
        all: (values) =>
          statement
            .all([...values])
            .filter(isRow)
            .map(decodeTexts),
      };
    },
    close: () => void database.close(),
  };
}

async function importLibsql(): Promise<typeof Libsql> {
  try {
    const { default: Driver } = await import("libsql");
    return Driver;
  } catch (cause) {
    const advice = "Use Node 22.13 or newer, or install the package libsql.";
    throw new StorageError("unusable", `There is no SQLite for Node ${process.version}. ${advice}`, {
      cause,
    });
  }
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** `get` adds a field that is no column. */
function withoutMetadata(row: unknown): SqlRow | undefined {
  if (!isRow(row)) return undefined;
  const { _metadata, ...columns } = row;
  return decodeTexts(columns);
}

/**
 * The driver ends the process when a text is not UTF-8, which damaged files have. So a query reads its texts as bytes,
 * and they become texts here.
 */
function readable(database: Libsql.Database, sql: string): string {
  if (!/^\s*SELECT\b/i.test(sql)) return sql;
  const columns = database.prepare(sql).columns();
  const list = columns.map(({ name }) => {
    const column = `"${name.replaceAll('"', '""')}"`;
    return `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) ELSE ${column} END AS ${column}`;
  });
  return `SELECT ${list.join(", ")} FROM (${sql})`;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** In place: the driver has made the row for us. */
function decodeTexts(row: Record<string, unknown>): SqlRow {
  for (const column in row) {
    const value = row[column];
    // `get` gives the one, `all` the other.
    if (value instanceof Uint8Array || isArrayBuffer(value)) row[column] = decode(column, value);
  }
  return row;
}

function decode(column: string, bytes: Uint8Array | ArrayBuffer): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new StorageError("damaged", `A row has a text that is not UTF-8 in the column ${column}.`, {
      cause,
    });
  }
}

export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new StorageError("damaged", `A row has no text in the column ${column}.`);
}

export function maybeTextOf(row: SqlRow, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new StorageError("damaged", `A row has no number in the column ${column}.`);
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const resultCodes = {
  busy: 5,
  locked: 6,
  outOfMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** The extended code for damage in the full-text index alone: no page is damaged. */
const corruptVirtualTable = 267;

/** Whether the full-text index turned out to be damaged. */
export function isIndexDamaged(error: unknown): boolean {
  return error instanceof StorageError && fullCodeOf(error.cause) === corruptVirtualTable;
}

/** Turns an error of a driver into one that names the file and what to do; any other error stays as it is. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (fullCodeOf(error) === corruptVirtualTable) {
    return new StorageError("damaged", `The index of searches in ${file} is damaged.`, { cause: error });
  }
  switch (resultCodeOf(error)) {
    case resultCodes.corrupt:
    case resultCodes.notADatabase:
      return new StorageError(
        "corrupt",
        `The database ${file} is damaged. Stop the host and run: holdfast doctor --repair`,
        { cause: error },
      );
    case resultCodes.full:
      return unavailable(`There is no room to write ${file}. Free space on its disk, then try again.`, error);
    case resultCodes.readOnly:
    case resultCodes.cannotOpen:
      return unavailable(`${file} cannot be written. Check its permissions and its file system.`, error);
    case resultCodes.ioError:
      return unavailable(`Writing or reading ${file} failed. Check its disk for room and for errors.`, error);
    case resultCodes.busy:
    case resultCodes.locked:
      return unavailable(`Another program holds a lock on ${file}. End that program.`, error);
    case resultCodes.outOfMemory:
      return unavailable(`There is not enough memory to work with ${file}.`, error);
    default:
      return error;
  }
}

function unavailable(message: string, cause: unknown): StorageError {
  return new StorageError("unavailable", message, { cause });
}

/** `libsql` has it as `rawCode`, `node:sqlite` as `errcode`; both may be extended codes. */
function fullCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  return [rawCode, errcode].find((each) => typeof each === "number" && each > 0) as number | undefined;
}

function resultCodeOf(error: unknown): number | undefined {
  const number = fullCodeOf(error);
  if (number !== undefined) return number & 0xff;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  const { code } = error;
  // A driver that gives names alone: `SQLITE_IOERR_WRITE`.
  const named = Object.entries(names).find(([name]) => code === name || code.startsWith(`${name}_`));
  return named?.[1];
}

const names: Readonly<Record<string, number>> = {
  SQLITE_BUSY: resultCodes.busy,
  SQLITE_LOCKED: resultCodes.locked,
  SQLITE_NOMEM: resultCodes.outOfMemory,
  SQLITE_READONLY: resultCodes.readOnly,
  SQLITE_IOERR: resultCodes.ioError,
  SQLITE_CORRUPT: resultCodes.corrupt,
  SQLITE_FULL: resultCodes.full,
  SQLITE_CANTOPEN: resultCodes.cannotOpen,
  SQLITE_NOTADB: resultCodes.notADatabase,
};
