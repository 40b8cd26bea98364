// The ready audit log of the library: real commands, a file that is continued, cut off, or something else.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { AcpTerminals } from "../acp/acp-terminals.ts";
import { createAuditWriter } from "./audit-writer.ts";
import { CHAIN_START, ChainCheck, type ChainedRecord } from "./hash-chain.ts";

const folder = mkdtempSync(path.join(tmpdir(), "audit-writer-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Line = ChainedRecord & { readonly type: string; readonly environment?: readonly string[] };

function readLines(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  const records = lines.map((line) => JSON.parse(line) as Line);
  const check = new ChainCheck({ id: 0, hash: CHAIN_START });
  for (const record of records) check.add(record);
  expect(check.breaks).toEqual([]);
  return records;
}

it("[T675] every event of a real command becomes a chained line, and the next program continues the file", async () => {
  const file = path.join(folder, "audit.jsonl");
  for (let round = 0; round < 2; round += 1) {
    const writer = createAuditWriter(file);
    const terminals = new AcpTerminals({ onEvent: writer, environment: process.env });
    const { terminalId } = await terminals.createTerminal({ sessionId: "s", command: "echo hi; exit 3" });
    await terminals.waitForTerminalExit({ sessionId: "s", terminalId });
    await terminals.close();
    expect(readLines(file).at(-1)).toMatchObject(writer.head);
    writer.close();
  }
  const lines = readLines(file);
  expect(lines.map(({ id }) => id)).toEqual(lines.map((_, index) => index + 1));
  expect(lines.filter(({ type }) => type === "created")).toHaveLength(2);
  expect(lines.filter(({ type }) => type === "exited")).toMatchObject([
    { exit: { exitCode: 3 } },
    { exit: { exitCode: 3 } },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("[T675] a line that was cut off is removed, long lines are found, values of variables are left out", () => {
  const file = path.join(folder, "cut.jsonl");
  const event = { type: "taken-over", sessionId: "s", terminalId: "x".repeat(200_000) } as const;
  const first = createAuditWriter(file);
  first(event);
  first({ ...event, env: [{ name: "TOKEN", value: "secret" }] } as typeof event);
  first.close();
  appendFileSync(file, `{"id":3,"type":"ex`);
  const second = createAuditWriter(file);
  second(event);
  second.close();
  expect(readLines(file).map(({ id, environment }) => [id, environment])).toEqual([
    [1, undefined],
    [2, ["TOKEN"]],
    [3, undefined],
  ]);
  expect(readFileSync(file, "utf8")).not.toContain("secret");
});

it("[T675] a file with something else is refused, and an event that cannot be written is reported", () => {
  const file = path.join(folder, "other.txt");
  writeFileSync(file, "a shopping list\n");
  expect(() => createAuditWriter(file)).toThrow("does not end with an audit entry");
  expect(readFileSync(file, "utf8")).toBe("a shopping list\n");
  const faults: unknown[] = [];
  const writer = createAuditWriter(path.join(folder, "closed.jsonl"), {
    onFault: (error) => faults.push(error),
  });
  writer.close();
  writer({ type: "detached", sessionId: "s", terminalId: "t" });
  expect(faults).toMatchObject([{ code: "EBADF" }]);
});
