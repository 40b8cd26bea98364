// The checking program: opens a database without changing it, and reads what a host would rely on (D264).
import { AuditTable } from "../audit-table.ts";
import { ChannelTable } from "../channel-table.ts";
import { connect, numberOf, textOf } from "../driver.ts";
import { Database } from "../database.ts";
import { stepsUpTo } from "../migrations.ts";
import { SessionTable } from "../session-table.ts";

/** Reports, one after the other; the second may take long. */
export type CheckMessage =
  | { readonly tables: number; readonly hasRows: boolean }
  /** Absent `problem`: nothing was found. */
  | { readonly checked: true; readonly problem?: string };

/** How long to wait for a lock that another program holds. */
const busyTimeoutMs = 5000;

/** The tables in which a host that was ever used has rows. */
const telltaleTables = ["channel", "meta", "audit"];

/** Checks the pages of a file, its tables, and the rows that every start reads. */
export async function* checkFile(file: string): AsyncGenerator<CheckMessage> {
  const database = await Database.openReadOnly({ file, busyTimeoutMs });
  const tables = database.all("SELECT name FROM sqlite_master WHERE type = 'table'");
  const names = new Set(tables.map((row) => row["name"]));
  const hasRows = telltaleTables.some((name) => names.has(name) && hasRow(database, name));
  yield { tables: tables.length, hasRows };
  const problem = (await findWrongTable(database)) ?? findDamagedPage(database);
  if (problem === undefined) readStart(database);
  yield { checked: true, ...(problem !== undefined && { problem }) };
}

/** Reads every row as a host would; throws at the first that would keep one from its work. */
export async function verifyRows(file: string): Promise<void> {
  const database = await Database.openReadOnly({ file, busyTimeoutMs });
  // Rows of the log that cannot be read are passed over by hosts, too.
  const channels = new ChannelTable(database, () => undefined);
  const uris = database.all("SELECT uri FROM channel").map((row) => textOf(row, "uri"));
  for (const uri of uris) channels.load(uri);
  const sessions = new SessionTable(database);
  let cursor: string | undefined;
  do {
    ({ nextCursor: cursor } = sessions.list({ ...(cursor !== undefined && { cursor }) }));
  } while (cursor !== undefined);
  database.all("SELECT key, value FROM meta");
  const audit = new AuditTable(database);
  let after = 0;
  for (;;) {
    const last = audit.read({ after }).at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Damage to the index of searches is passed over: a host makes it again from its text. */
function findDamagedPage(database: Database): string | undefined {
  const results = database.all("PRAGMA quick_check(10)").map((row) => String(Object.values(row)[0]));
  return results.find((result) => result !== "ok" && !result.includes("FTS5 table main.search"));
}

/**
 * The tables must be those of the version that the file states, or a host would try to make them again. The index of
 * searches is made where SQLite can, whatever the version.
 */
async function findWrongTable(database: Database): Promise<string | undefined> {
  const version = numberOf(database.all("PRAGMA user_version")[0] ?? {}, "user_version");
  const steps = stepsUpTo(version);
  if (steps === undefined) return undefined;
  const expected = await connect(":memory:");
  for (const step of steps) expected.exec(step);
  const list = `SELECT "table".name AS name, "column".name AS field
    FROM sqlite_master AS "table" JOIN pragma_table_info("table".name) AS "column"
    WHERE "table".type = 'table' AND "table".name NOT LIKE 'sqlite_%'
      AND "table".name NOT IN ('search', 'search_data', 'search_idx', 'search_docsize', 'search_config')
    ORDER BY name, field`;
  const found = database.all(list);
  const isSame = JSON.stringify(found) === JSON.stringify(expected.prepare(list).all([]));
  expected.close();
  return isSame ? undefined : `its tables are not those of version ${version}`;
}

/** Reads what every start reads, so that a start is refused before it has written anything. */
function readStart(database: Database): void {
  const channels = new ChannelTable(database, () => undefined);
  for (const kind of ["session", "terminal"] as const) channels.loadOpen(kind);
  for (const row of database.all("SELECT key, value FROM meta")) textOf(row, "value");
  for (const row of database.all("SELECT reserved FROM sequence")) numberOf(row, "reserved");
}

function hasRow(database: Database, table: string): boolean {
  return database.all(`SELECT 1 AS found FROM ${table} LIMIT 1`).length > 0;
}
