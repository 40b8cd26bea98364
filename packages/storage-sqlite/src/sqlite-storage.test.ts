// The storage on SQLite keeps the contract of storages, with each driver that is there.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { storageContract } from "@holdfast/core/ports/contract";
import { expect, it } from "vitest";
import { type DriverName, findNodeSqlite } from "./driver.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

const drivers: DriverName[] = findNodeSqlite() ? ["libsql", "node:sqlite"] : ["libsql"];

it("[D1] both drivers keep the contract", (context) => {
  context.skip(findNodeSqlite() === undefined, `Node ${process.version} has no node:sqlite`);
  expect(drivers).toHaveLength(2);
});

for (const driver of drivers) {
  storageContract(driver, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "holdfast-storage-"));
    const file = path.join(folder, "holdfast.db");
    return {
      open: (wanted) => openSqliteStorage({ file, driver, ...wanted }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
}
