// The copying program: takes the rows of a range of keys from a damaged database into a new one.
import { StorageError } from "@holdfast/core/ports";
import {
  connect,
  type Connection,
  connectReadOnly,
  explainSqliteError,
  type SqlRow,
  type SqlValue,
  type Statement,
} from "../driver.ts";

/** Rows of a table by its key, from `first` to `last`, both included; without `last`, to the end. */
export interface CopyRequest {
  readonly table: string;
  /** The column that is the table's key. */
  readonly key: string;
  readonly first: SqlValue;
  readonly last: SqlValue;
  /** From the end towards the beginning, to get at what lies behind a damaged page. */
  readonly isReversed: boolean;
}

/** Rows copied or skipped since the last report, up to and including this key. */
export interface CopyProgress {
  readonly key: SqlValue;
  readonly copied: number;
  /** Rows that are there and cannot be read. */
  readonly lost: number;
}

export interface Copy {
  readonly source: Connection;
  readonly target: Connection;
}

/** Rows that are read at once, as long as nothing is wrong. */
const pageRows = 200;

export async function openCopy(sourceFile: string, targetFile: string): Promise<Copy> {
  const source = await connectReadOnly(sourceFile);
  source.exec("PRAGMA cell_size_check = ON");
  const target = await connect(targetFile);
  target.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
  return { source, target };
}

/** Copies a range; throws at a place behind which nothing can be found in this direction. */
export function* copyRange(copy: Copy, request: CopyRequest): Generator<CopyProgress> {
  const { key, isReversed, first, last } = request;
  if (!hasTable(copy.source, request.table)) return;
  let next: { readonly after?: SqlValue } = {};
  for (;;) {
    const from = isReversed ? { first, last: next.after ?? last } : { first: next.after ?? first, last };
    const isAfter = next.after !== undefined;
    const rows = readPage(copy, { ...request, ...from }, isAfter);
    if (rows.length === 0) return;
    const reached = lastInOrder(rows, key, next.after, isReversed);
    const progress = writeRows(copy, request.table, rows);
    yield { key: reached, ...progress };
    next = { after: reached };
  }
}

/** A database of an older version lacks tables, and nothing is lost with them. */
function hasTable(source: Connection, table: string): boolean {
  return (
    prepare(source, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").all([table]).length > 0
  );
}

/** The key of the last row; throws where keys are not in order, because a damaged page may lead in a circle. */
function lastInOrder(
  rows: readonly SqlRow[],
  key: string,
  after: SqlValue | undefined,
  isReversed: boolean,
): SqlValue {
  let before = after;
  for (const row of rows) {
    const value = row[key];
    if (typeof value !== "number" && typeof value !== "string") throw new TypeError("a key is damaged");
    if (before !== undefined && before !== null && typeof value !== typeof before) {
      throw new TypeError("keys are damaged");
    }
    if (before !== undefined && before !== null && (isReversed ? value >= before : value <= before)) {
      throw new RangeError("keys are not in order");
    }
    before = value;
  }
  return before ?? null;
}

/** The next rows: many at once, else one, else the mere key of one that cannot be read. */
function readPage({ source }: Copy, request: CopyRequest, isAfter: boolean): readonly SqlRow[] {
  const { table, key, first, last, isReversed } = request;
  const conditions = [
    ...(first === null ? [] : [`${key} ${isAfter && !isReversed ? ">" : ">="} ?`]),
    ...(last === null ? [] : [`${key} ${isAfter && isReversed ? "<" : "<="} ?`]),
  ];
  const values = [first, last].filter((value) => value !== null);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const select = (columns: string, limit: number): readonly SqlRow[] =>
    prepare(
      source,
      `SELECT ${columns} FROM ${table} NOT INDEXED ${where} ORDER BY ${key} ${isReversed ? "DESC" : "ASC"} LIMIT ${limit}`,
    ).all(values);
  try {
    return select("*", pageRows);
  } catch {
    // Something in these rows cannot be read: one after the other.
  }
  try {
    return select("*", 1);
  } catch {
    // This very row. Its key alone may be readable, and with it the place behind it.
    return select(key, 1).map((row) => ({ [key]: row[key] ?? null, [lostMark]: true }));
  }
}

/** Marks a row of which there is nothing but its key. */
const lostMark = "lost";

function writeRows({ target }: Copy, table: string, rows: readonly SqlRow[]): Omit<CopyProgress, "key"> {
  let copied = 0;
  intoTarget(() => target.exec("BEGIN"));
  for (const row of rows) {
    if (row[lostMark] === true) continue;
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    try {
      prepare(target, `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(
        names.map((name) => row[name] as SqlValue),
      );
      copied += 1;
    } catch (error) {
      if (isUnavailable(error)) throw new TargetError(error);
      // A value that the new database refuses, such as a missing one: the row is damaged.
    }
  }
  intoTarget(() => target.exec("COMMIT"));
  return { copied, lost: rows.length - copied };
}

/** The new database cannot be written, so that nothing is known of the rows: a full disk loses none. */
export class TargetError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "TargetError";
  }
}

function intoTarget(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new TargetError(error);
  }
}

function isUnavailable(error: unknown): boolean {
  const explained = explainSqliteError(error, "the new database");
  return explained instanceof StorageError && explained.code === "unavailable";
}

const statements = new WeakMap<Connection, Map<string, Statement>>();

/** Prepares a statement once: drivers keep the memory of each for long. */
function prepare(connection: Connection, sql: string): Statement {
  const known = statements.get(connection) ?? new Map<string, Statement>();
  statements.set(connection, known);
  const statement = known.get(sql) ?? connection.prepare(sql);
  known.set(sql, statement);
  return statement;
}
