// Attacks on the audit: entries that somebody changes, removes, adds or moves, in an export and in the database.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../packages/storage-sqlite/src/driver.ts";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, optionsOf } from "./attack-settings.ts";

let target: AttackHost;
let file: string;

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

describe.each(attackSettings("own"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({}, optionsOf(setting));
    const key = await target.open({ approvalPolicy: "approve-all" });
    await target.play(
      key,
      Array.from({ length: 4 }, () => ({ do: "terminal", command: "true" }) as const),
    );
    file = path.join(target.host.project, "audit.jsonl");
    writeFileSync(file, (await target.holdfast("audit", "export")).output);
  });
  afterAll(() => target.close());

  describe("[C675] an export of the audit", () => {
    it("[C675] verifies as it is, and in no other form", async () => {
      const entries = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Entry);
      expect(entries.length).toBeGreaterThanOrEqual(8);
      expect(await target.holdfast("audit", "verify", "--file", file)).toMatchObject({ code: 0 });
      const changed = await Promise.all(
        tamperings.map(async ([name, tamper], index) => {
          const copy = path.join(target.host.project, `audit-${index}.jsonl`);
          writeFileSync(
            copy,
            tamper(entries)
              .map((entry) => `${JSON.stringify(entry)}\n`)
              .join(""),
          );
          return [name, (await target.holdfast("audit", "verify", "--file", copy)).code];
        }),
      );
      expect(changed).toEqual(tamperings.map(([name]) => [name, 11]));
    });

    it("[C714] that is filtered is said to be so, with what was verified, and a change in it is found", async () => {
      const filtered = path.join(target.host.project, "filtered.jsonl");
      const { output } = await target.holdfast("audit", "export", "--since", "1d");
      writeFileSync(filtered, output);
      const partly = await target.holdfast("audit", "verify", "--file", filtered);
      expect(partly.code).toBe(2);
      expect(partly.output).toMatch(/filtered \(since: .*\), so its chain cannot be verified as a whole/);
      expect(partly.output).toMatch(/\d+ of \d+ entries follow the one before them/);
      writeFileSync(filtered, output.replace('"true"', '"ls"'));
      expect((await target.holdfast("audit", "verify", "--file", filtered)).code).toBe(11);
    });

    it("[C675] that was cut off at its end is found by a hash that was noted elsewhere", async () => {
      const head = (await target.holdfast("audit", "head")).output.trim();
      const copy = path.join(target.host.project, "cut.jsonl");
      const lines = readFileSync(file, "utf8").trim().split("\n");
      writeFileSync(copy, `${lines.slice(0, -1).join("\n")}\n`);
      expect((await target.holdfast("audit", "verify", "--file", copy, "--head", head)).code).toBe(11);
      expect((await target.holdfast("audit", "verify", "--head", head)).code).toBe(0);
    });
  });

  describe("[D676] the audit in the database", () => {
    it("[D676] shows a change that somebody made behind the host's back", async () => {
      expect((await target.holdfast("audit", "verify")).code).toBe(0);
      const database = await connect(path.join(target.host.home, "holdfast.db"));
      database.exec("UPDATE audit SET entry = replace(entry, '\"true\"', '\"ls\"') WHERE id = 3");
      database.close();
      const { code, output } = await target.holdfast("audit", "verify");
      expect(code).toBe(11);
      expect(output).toMatch(/\b3\b/);
    });
  });
});
