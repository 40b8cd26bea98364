// The repair of a database: what can be read goes into a new one, and the damaged one is set aside (D265).
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { StorageError } from "@holdfast/core/ports";
import { Database, DATABASE_SUFFIXES } from "../database.ts";
import { makeSearchIndex } from "../search-table.ts";
import { completeCopy, type CompletedCopy } from "./complete-copy.ts";
import { Salvage, type SalvageOptions, type SalvagedTable } from "./salvage.ts";

/** Outcome of a repair. */
export interface Repair extends CompletedCopy {
  /** Where the damaged database is now. */
  readonly setAside: string;
  readonly tables: readonly SalvagedTable[];
}

/** Tables by their keys, those that others refer to first. Where turns begin is found again in the log. */
const numberedTables = [
  ["channel", "id"],
  ["snapshot", "channel_id"],
  ["action", "seq"],
  ["turn", "id"],
  ["session", "channel_id"],
  ["audit", "id"],
  ["sequence", "id"],
] as const;

/** Salvages what can be read of a database into a new one, which takes its place. Nothing else may have it open. */
export async function repairDatabase({
  file,
  now = () => new Date(),
  node,
}: {
  readonly file: string;
  readonly now?: (() => Date) | undefined;
  readonly node?: readonly string[] | undefined;
}): Promise<Repair> {
  const target = `${file}.repair`;
  const patched = `${file}.repair-source`;
  try {
    removeFiles(target);
    await makeEmpty(target);
    let tables = await salvageAll({ source: file, target, node });
    if (tables.every(({ copied }) => copied === 0)) {
      // Perhaps it is only the table of tables that cannot be read.
      copyWithSchema(file, target, patched);
      tables = await salvageAll({ source: patched, target, node });
    }
    // An empty database would look like a success, and a host does not start on it.
    if (tables.every(({ copied }) => copied === 0)) {
      throw new StorageError(
        "unusable",
        `Nothing in ${file} can be read. It was left as it is: restore it from a backup, ` +
          "or begin without sessions and keys with: holdfast serve --start-empty",
      );
    }
    const completed = await completeCopy(target, tables);
    const setAside = setDatabaseAside(file, now());
    renameSync(target, file);
    return { ...completed, setAside, tables };
  } finally {
    for (const each of [target, patched]) removeFiles(each);
  }
}

/** Whether there is a database, or a log of one. */
export function hasDatabaseFiles(file: string): boolean {
  return [file, `${file}-wal`].some((each) => existsSync(each));
}

/** Renames a database and the files beside it, so that nothing is lost and nothing stands in the way; gives the name. */
export function setDatabaseAside(file: string, at: Date): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  let name = `${file}.damaged-${stamp}`;
  for (let count = 2; existsSync(name); count += 1) name = `${file}.damaged-${stamp}-${count}`;
  for (const suffix of DATABASE_SUFFIXES) {
    if (existsSync(file + suffix)) renameSync(file + suffix, name + suffix);
  }
  return name;
}

async function makeEmpty(file: string): Promise<void> {
  const database = await Database.open({ file, busyTimeoutMs: 0 });
  // As in every database that a host has opened: its table of tables must be the same (see `copyWithSchema`).
  makeSearchIndex(database);
  // Everything in one file, which is renamed in the end.
  database.run("DELETE FROM sequence");
  database.close();
}

async function salvageAll(options: SalvageOptions): Promise<SalvagedTable[]> {
  const salvage = new Salvage(options);
  try {
    const tables: SalvagedTable[] = [];
    for (const [table, key] of numberedTables) tables.push(await salvage.copyNumbered(table, key));
    tables.push(await salvage.copyOther("meta", "key"));
    return tables;
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    throw new StorageError("unusable", `${options.source} could not be repaired.`, { cause });
  } finally {
    salvage.close();
  }
}

function removeFiles(file: string): void {
  for (const suffix of DATABASE_SUFFIXES) rmSync(file + suffix, { force: true });
}

/** https://sqlite.org/fileformat2.html#the_database_header */
const headerFields = { pageSize: 16, pageCount: 28, firstFreePage: 32, freePages: 36 } as const;
const headerBytes = 100;

/**
 * Copies a database with the table of tables of a new one, without which nothing is found (D265). Tables begin at the
 * same pages in every database of this Holdfast, because they are made in the same order before there is any row; so
 * does the table of tables.
 */
function copyWithSchema(source: string, template: string, copy: string): void {
  const pages = schemaPages(readFileSync(template));
  const first = pages.get(1) ?? Buffer.alloc(headerBytes);
  copyFileSync(source, copy);
  first.writeUInt32BE(Math.floor(statSync(copy).size / first.length), headerFields.pageCount);
  // Free pages cannot be distinguished from used ones; nothing is written to this copy anyway.
  first.writeUInt32BE(0, headerFields.firstFreePage);
  first.writeUInt32BE(0, headerFields.freePages);
  const file = openSync(copy, "r+");
  for (const [number, page] of pages) writeSync(file, page, 0, page.length, (number - 1) * page.length);
  closeSync(file);
}

/** https://sqlite.org/fileformat2.html#b_tree_pages */
const interiorTable = 0x05;
const pageFields = { type: 0, cellCount: 3, lastChild: 8, cells: 12 } as const;

/** The pages of the table of tables, by their numbers from 1: the first one, and those that it refers to. */
function schemaPages(database: Buffer): Map<number, Buffer> {
  const pageBytes = database.readUInt16BE(headerFields.pageSize);
  const pages = new Map<number, Buffer>();
  const add = (number: number): void => {
    const page = Buffer.from(database.subarray((number - 1) * pageBytes, number * pageBytes));
    pages.set(number, page);
    const start = number === 1 ? headerBytes : 0;
    if (page[start + pageFields.type] !== interiorTable) return;
    for (let cell = 0; cell < page.readUInt16BE(start + pageFields.cellCount); cell += 1) {
      add(page.readUInt32BE(page.readUInt16BE(start + pageFields.cells + 2 * cell)));
    }
    add(page.readUInt32BE(start + pageFields.lastChild));
  };
  add(1);
  return pages;
}
