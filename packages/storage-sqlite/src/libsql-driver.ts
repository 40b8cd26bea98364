// The driver on `libsql`, for Node 20.
import process from "node:process";
import { StorageError } from "@holdfast/core/ports";
import type Libsql from "libsql";
import type { Connection, SqlRow } from "./driver.ts";

/** Opens a file. */
export async function openLibsql(file: string): Promise<Connection> {
  const Driver = await importLibsql();
  const database = new Driver(file);
  return {
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      // Values go as one array: a lone null as an argument of its own is misread.
      return {
        run: (values) => statement.run([...values]).changes,
        get: (values) => withoutMetadata(statement.get([...values])),
        all: (values) => statement.all([...values]).filter(isRow),
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

function isRow(value: unknown): value is SqlRow {
  return typeof value === "object" && value !== null;
}

/** `get` adds a field that is no column. */
function withoutMetadata(row: unknown): SqlRow | undefined {
  if (!isRow(row)) return undefined;
  const { _metadata, ...columns } = row;
  return columns;
}
