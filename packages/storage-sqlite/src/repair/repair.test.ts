// The check of a database, and its repair, without a host.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "../sqlite-storage.ts";
import { connect } from "../driver.ts";
import { checkDatabase, findUnreadableRow, type DatabaseHealth } from "./database-check.ts";
import { repairDatabase } from "./repair-database.ts";

let file: string;
let trace: string;

beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-repair-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = path.join(folder, "holdfast.db");
  trace = path.join(folder, "host.json");
});

async function makeDatabase(entries: number): Promise<void> {
  const storage = await openSqliteStorage({ file });
  for (let index = 0; index < entries; index += 1) {
    storage.audit.append({
      at: new Date(index).toISOString(),
      session: "s",
      what: "command",
      subject: `echo ${index} ${"x".repeat(200)}`,
      by: "policy approve-all",
      decision: "allowed",
    });
  }
  if (entries > 0) storage.meta.set("key/one", "{}");
  storage.close();
}

function check(): Promise<DatabaseHealth> {
  return checkDatabase({ file, traces: [trace], deadlineMs: 60_000 });
}

describe("the check of a database", () => {
  it("[D264] distinguishes a new home, a sound database and an empty one", async () => {
    expect(await check()).toEqual({ kind: "new" });
    await makeDatabase(3);
    expect(await check()).toEqual({ kind: "sound" });
    writeFileSync(file, "");
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    expect(await check()).toEqual({ kind: "missing", evidence: file });
  });

  it("[D264] takes a database that is gone, or lost its log and is empty, for missing where a host has run", async () => {
    writeFileSync(trace, "{}");
    expect(await check()).toEqual({ kind: "missing", evidence: trace });
    await makeDatabase(0);
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    expect(await check()).toEqual({ kind: "missing", evidence: trace });
    rmSync(trace);
    expect(await check()).toEqual({ kind: "sound" });
  });

  it("[D264] names what is wrong with a damaged page, and changes nothing", async () => {
    await makeDatabase(2000);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, bytes.length - 40 * 4096, bytes.length - 39 * 4096);
    writeFileSync(file, bytes);
    expect(await check()).toMatchObject({ kind: "damaged", problem: expect.any(String) as string });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("[D264] takes a check that is ended or cannot begin for no damage", async () => {
    await makeDatabase(3);
    const options = { file, traces: [], deadlineMs: 60_000 };
    expect(await checkDatabase({ ...options, node: ["/nonexistent/node"] })).toEqual({ kind: "unchecked" });
    const killsItself = ["sh", "-c", "kill -KILL $$"];
    expect(await checkDatabase({ ...options, node: killsItself })).toEqual({ kind: "unchecked" });
    const dies = await checkDatabase({ ...options, node: ["sh", "-c", "kill -SEGV $$"] });
    expect(dies).toMatchObject({ kind: "damaged", problem: expect.stringContaining("SIGSEGV") as string });
  });

  it("[D264] reads a text that is not UTF-8 without dying", async () => {
    await makeDatabase(1);
    const connection = await connect(file);
    connection.exec("UPDATE audit SET entry = CAST(x'7bff7d' AS TEXT)");
    connection.close();
    const problem = await findUnreadableRow(file);
    expect(problem).toEqual(expect.any(String));
    expect(problem).not.toContain("ended by");
  });
});

describe("the repair of a database", () => {
  it("[D265] gives back the rows on both sides of a damaged page, and says how many are lost", async () => {
    await makeDatabase(4000);
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 4096 / 2) * 4096;
    bytes.fill(0xa5, middle, middle + 4096);
    writeFileSync(file, bytes);
    copyFileSync(file, `${file}.before`);
    const repair = await repairDatabase({ file, now: () => new Date("2026-01-02T03:04:05.678Z") });
    expect(repair.setAside).toBe(`${file}.damaged-20260102T030405Z`);
    expect(readFileSync(repair.setAside).equals(bytes)).toBe(true);
    expect(repair.settings).toEqual({ recovered: 1, lost: 0 });
    expect(repair.auditEntries.recovered).toBeGreaterThan(3900);
    expect(await check()).toEqual({ kind: "sound" });
    const storage = await openSqliteStorage({ file });
    const [first] = storage.audit.read({ after: 0, limit: 1 });
    expect(first?.id).toBe(1);
    expect(storage.audit.read({ limit: 1 })[0]?.id).toBe(4000);
    expect(storage.sequence.last).toBeGreaterThanOrEqual(1_000_000);
    storage.close();
  });

  it("[D265] loses no row when every page of the table of tables is damaged", async () => {
    await makeDatabase(100);
    const bytes = readFileSync(file);
    // It has become too long for the first page, which refers to others.
    for (let page = 0; page < bytes.length; page += 4096) {
      const isSchema = page === 0 || bytes.subarray(page, page + 4096).includes("CREATE TABLE");
      if (isSchema) bytes.fill(0xa5, page + (page === 0 ? 100 : 0), page + 4096);
    }
    writeFileSync(file, bytes);
    const repair = await repairDatabase({ file });
    expect(repair.auditEntries).toEqual({ recovered: 100, lost: 0 });
    expect(repair.settings).toEqual({ recovered: 1, lost: 0 });
    expect(await check()).toEqual({ kind: "sound" });
  });

  it("[D265] of a file in which nothing can be read fails, and leaves it as it is", async () => {
    await makeDatabase(10);
    const bytes = readFileSync(file).fill(0xa5);
    writeFileSync(file, bytes);
    await expect(repairDatabase({ file })).rejects.toMatchObject({
      code: "unusable",
      message: expect.stringContaining("--start-empty"),
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(readdirSync(path.dirname(file)).filter((name) => /damaged|repair/.test(name))).toEqual([]);
  });
});
