// The audit's chain of hashes in a database: entries from older versions, changed rows, and what an entry costs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ChainCheck, type AuditEntry, type Storage } from "@holdfast/core/ports";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { connect } from "./driver.ts";
import { stepsUpTo } from "./migrations.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";

/** The last version whose audit has no hashes. */
const versionWithoutHashes = 3;
let file: string;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "holdfast-audit-"));
  file = path.join(folder, "holdfast.db");
  onTestFinished(() => rm(folder, { recursive: true }));
});

function entryOf(subject: string): AuditEntry {
  const at = "2026-01-01T00:00:00.000Z";
  return { at, session: "s", what: "command", subject, by: "client owner", decision: "allowed" };
}

async function withStorage<Result>(work: (storage: Storage) => Result): Promise<Result> {
  const storage = await openSqliteStorage({ file });
  try {
    return work(storage);
  } finally {
    storage.close();
  }
}

/** Changes the file as somebody with another program could. */
async function edit(...statements: string[]): Promise<void> {
  const connection = await connect(file);
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

function check({ audit }: Storage): { readonly count: number; readonly broken: readonly number[] } {
  const chain = new ChainCheck(audit.chain().anchor);
  for (const { id, hash, entry } of audit.read({ after: 0, limit: 100_000 })) {
    chain.add({ id, hash, ...entry });
  }
  return { count: chain.count, broken: chain.breaks.map(({ id }) => id) };
}

it("[D675] entries of a version without hashes get them once, also where numbers are missing", async () => {
  const rows = Array.from({ length: 2500 }, (_, index) => index + 1).filter((id) => id % 100 !== 7);
  const insert = (id: number): string =>
    `INSERT INTO audit (id, at, session, entry) VALUES (${id}, '2026', 's', '${JSON.stringify(entryOf(`old ${id}`))}')`;
  await edit(
    ...(stepsUpTo(versionWithoutHashes) ?? []),
    `PRAGMA user_version = ${versionWithoutHashes}`,
    "BEGIN",
    ...rows.map(insert),
    "COMMIT",
  );
  const first = await withStorage((storage) => {
    storage.audit.append(entryOf("new"));
    expect(check(storage)).toEqual({ count: rows.length + 1, broken: [] });
    return storage.audit.chain();
  });
  await withStorage(({ audit }) => expect(audit.chain()).toEqual(first));
});

it("[D676] a changed, removed or added row is found by its number, and is not chained again at the next start", async () => {
  await withStorage(({ audit }) => {
    for (let index = 1; index <= 9; index += 1) audit.append(entryOf(`command ${index}`));
  });
  await edit(
    "UPDATE audit SET entry = replace(entry, 'command 3', 'harmless') WHERE id = 3",
    "DELETE FROM audit WHERE id = 5",
    "UPDATE audit SET hash = NULL WHERE id = 8",
  );
  await withStorage((storage) => {
    storage.audit.append(entryOf("later"));
    expect(check(storage)).toEqual({ count: 9, broken: [3, 6, 8, 9] });
  });
});

it("[D675] an entry that could not be written leaves the chain as it was", async () => {
  const refuse =
    "CREATE TRIGGER refuse BEFORE INSERT ON audit WHEN NEW.session = 'refused' BEGIN SELECT RAISE(ABORT, 'no'); END";
  await withStorage(({ audit }) => audit.append(entryOf("before")));
  await edit(refuse);
  await withStorage((storage) => {
    const { head } = storage.audit.chain();
    expect(() => storage.audit.append({ ...entryOf("lost"), session: "refused" })).toThrow("no");
    expect(storage.audit.chain().head).toEqual(head);
    storage.audit.append(entryOf("after"));
    expect(check(storage)).toEqual({ count: 2, broken: [] });
  });
});

it("[D675] thousands of entries a second are recorded", async () => {
  const count = 5000;
  await withStorage(({ audit }) => {
    const began = performance.now();
    for (let index = 0; index < count; index += 1) {
      audit.append({ ...entryOf(`cat file-${index}`), cwd: "/home/ada" });
    }
    const perSecond = Math.round((count / (performance.now() - began)) * 1000);
    console.log(`audit entries per second: ${perSecond}`);
    expect(perSecond).toBeGreaterThan(500);
  });
});
