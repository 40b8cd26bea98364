// The storage on SQLite keeps the contract of storages, with each driver that is there.
import { cpSync, mkdirSync } from "node:fs";
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
    const home = await mkdtemp(path.join(tmpdir(), "holdfast-storage-"));
    let opened = 0;
    return {
      open: (wanted) => {
        opened += 1;
        const [before, folder] = [path.join(home, String(opened - 1)), path.join(home, String(opened))];
        // A copy, for a crash: the storage before may have a snapshot to write yet, which no process that crashed writes.
        if (opened > 1) cpSync(before, folder, { recursive: true, filter: (name) => !name.endsWith("-shm") });
        else mkdirSync(folder);
        return openSqliteStorage({ file: path.join(folder, "holdfast.db"), driver, ...wanted });
      },
      remove: () => rm(home, { recursive: true }),
    };
  });
}
