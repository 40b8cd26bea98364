// Attacks on the audit: entries that somebody changes, removes, adds or moves, in an export and in the database.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../packages/storage-sqlite/src/driver.ts";
import { testedProgram } from "../setup/tested-program.ts";
import { AttackHost } from "./attack-host.ts";

const run = promisify(execFile);
let target: AttackHost;
let file: string;

beforeAll(async () => {
  target = await AttackHost.start();
  const key = await target.open({ approvalPolicy: "approve-all" });
  await target.play(
    key,
    Array.from({ length: 4 }, () => ({ do: "terminal", command: "true" }) as const),
  );
  file = path.join(target.host.project, "audit.jsonl");
  writeFileSync(file, (await holdfast("audit", "export")).output);
});
afterAll(() => target.close());

async function holdfast(...words: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await run(process.execPath, [testedProgram, ...words, "--home", target.host.home]);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, output: stderr };
  }
}

type Entry = Record<string, unknown>;

/** Changes by somebody who wants to hide something. */
const tamperings: readonly (readonly [string, (entries: Entry[]) => Entry[]])[] = [
  ["changes one", (entries) => entries.map((entry, at) => (at === 2 ? { ...entry, subject: "ls" } : entry))],
  ["adds a member", (entries) => entries.map((entry, at) => (at === 2 ? { ...entry, note: "x" } : entry))],
  ["removes one", (entries) => entries.toSpliced(2, 1)],
  ["adds one", (entries) => entries.toSpliced(2, 0, { ...entries[2], id: 99 })],
  ["repeats one", (entries) => entries.toSpliced(2, 0, entries[2] ?? {})],
  ["moves one", (entries) => [entries[1] ?? {}, entries[0] ?? {}, ...entries.slice(2)]],
  ["removes the first", (entries) => entries.slice(1)],
];

describe("[C675] an export of the audit", () => {
  it("[C675] verifies as it is, and in no other form", async () => {
    const entries = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry);
    expect(entries.length).toBeGreaterThanOrEqual(8);
    expect(await holdfast("audit", "verify", "--file", file)).toMatchObject({ code: 0 });
    const changed = await Promise.all(
      tamperings.map(async ([name, tamper], index) => {
        const copy = path.join(target.host.project, `audit-${index}.jsonl`);
        writeFileSync(
          copy,
          tamper(entries)
            .map((entry) => `${JSON.stringify(entry)}\n`)
            .join(""),
        );
        return [name, (await holdfast("audit", "verify", "--file", copy)).code];
      }),
    );
    expect(changed).toEqual(tamperings.map(([name]) => [name, 11]));
  });

  it("[C675] that was cut off at its end is found by a hash that was noted elsewhere", async () => {
    const head = (await holdfast("audit", "head")).output.trim();
    const copy = path.join(target.host.project, "cut.jsonl");
    const lines = readFileSync(file, "utf8").trim().split("\n");
    writeFileSync(copy, `${lines.slice(0, -1).join("\n")}\n`);
    expect((await holdfast("audit", "verify", "--file", copy, "--head", head)).code).toBe(11);
    expect((await holdfast("audit", "verify", "--head", head)).code).toBe(0);
  });
});

describe("[D676] the audit in the database", () => {
  it("[D676] shows a change that somebody made behind the host's back", async () => {
    expect((await holdfast("audit", "verify")).code).toBe(0);
    const database = await connect(path.join(target.host.home, "holdfast.db"));
    database.exec("UPDATE audit SET entry = replace(entry, '\"true\"', '\"ls\"') WHERE id = 3");
    database.close();
    const { code, output } = await holdfast("audit", "verify");
    expect(code).toBe(11);
    expect(output).toMatch(/\b3\b/);
  });
});
