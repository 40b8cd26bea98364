// The storage on SQLite keeps the contract of storages, with each driver that is there.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { storageContract } from "@holdfast/core/ports/contract";
import { describe, it } from "vitest";
import type { DriverName } from "./driver.ts";
import { findNodeSqlite } from "./node-driver.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

const drivers: readonly DriverName[] = ["libsql", "node:sqlite"];

for (const driver of drivers) {
  if (driver === "node:sqlite" && findNodeSqlite() === undefined) {
    describe(`the ${driver} storage`, () => {
      it("[D1] keeps the contract", (context) => context.skip(`Node ${process.version} has no node:sqlite`));
    });
    continue;
  }
  storageContract(driver, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "holdfast-storage-"));
    const file = path.join(folder, "holdfast.db");
    return {
      open: (wanted) => openSqliteStorage({ file, driver, ...wanted }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
}
