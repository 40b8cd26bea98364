// Storage of Holdfast in SQLite, and the spool of its terminals' output in files beside it.
export type { DriverName } from "./driver.ts";
export { checkDatabase, findUnreadableRow, type DatabaseHealth } from "./repair/database-check.ts";
export { hasDatabaseFiles, repairDatabase, setDatabaseAside, type Repair } from "./repair/repair-database.ts";
export { openFileSpool, type FileSpoolOptions } from "./spool/file-spool.ts";
export { openSqliteStorage, type SqliteStorageOptions } from "./sqlite-storage.ts";
