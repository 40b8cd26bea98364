// Examines storage: whether SQLite can be loaded, and keeps something.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { openSqliteStorage } from "@holdfast/storage-sqlite";
import { mend, ok, type Verdict } from "./finding.ts";

/** Whether what happens can be kept; tried in a folder of its own, not in the home. */
export async function examineStorage(): Promise<Verdict> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-doctor-"));
  try {
    const storage = await openSqliteStorage({ file: path.join(folder, "trial.db") });
    storage.close();
    const driver = process.getBuiltinModule("node:sqlite") === undefined ? "libsql" : "node:sqlite";
    return ok(`${driver} works`);
  } catch (error) {
    return mend(`SQLite cannot be used: ${error instanceof Error ? error.message : String(error)}`, {
      remedy: "Node 22.13 or newer brings its own; for older ones it comes as an optional package.",
      command: "npm install -g holdfast --include=optional",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
