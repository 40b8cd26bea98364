// What Holdfast keeps, in SQLite, and the spool of its terminals' output in files beside it.
export type { DriverName } from "./driver.ts";
export { openFileSpool, type FileSpoolOptions } from "./spool/file-spool.ts";
export { openSqliteStorage, type SqliteStorageOptions } from "./sqlite-storage.ts";
