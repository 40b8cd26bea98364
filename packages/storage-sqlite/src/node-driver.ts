// The driver on `node:sqlite`, which Node has from 22.13 on.
import process from "node:process";
import type { Connection, SqlRow, SqlValue } from "./driver.ts";

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
export interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => NodeDatabase;
}

/** The module, where this Node has it and does not hide it behind a flag. */
export function findNodeSqlite(): NodeSqlite | undefined {
  const found = withoutWarnings(() => process.getBuiltinModule("node:sqlite"));
  return isNodeSqlite(found) ? found : undefined;
}

/** Node 22 calls the module experimental on stderr when it is loaded, which tells a person nothing to act on. */
function withoutWarnings<Value>(load: () => Value): Value {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Opens a file. */
export function openNodeSqlite({ DatabaseSync }: NodeSqlite, file: string): Connection {
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
