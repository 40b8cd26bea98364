// Small things to remember, by name.
import type { Meta } from "@holdfast/core/ports";
import { textOf } from "./driver.ts";
import type { Database } from "./database.ts";

export class MetaTable implements Meta {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(key: string): string | undefined {
    const row = this.#database.get("SELECT value FROM meta WHERE key = ?", key);
    return row && textOf(row, "value");
  }

  set(key: string, value: string): void {
    this.#database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value);
  }

  delete(key: string): void {
    this.#database.run("DELETE FROM meta WHERE key = ?", key);
  }

  keys(prefix: string): string[] {
    return this.#database
      .all("SELECT key FROM meta WHERE key >= ?1 AND substr(key, 1, length(?1)) = ?1 ORDER BY key", prefix)
      .map((row) => textOf(row, "key"));
  }
}
