// The audit record: whole lines, appended to what was there, private.
import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { AuditEntry } from "@holdfast/core";
import { describe, expect, it } from "vitest";
import { AuditFile } from "./audit-file.ts";
import { recordLog, temporaryFolder } from "./testing/temporary-home.ts";

function entry(subject: string): AuditEntry {
  return {
    at: "2026-01-01T00:00:00.000Z",
    session: "s",
    what: "command",
    subject,
    by: "host",
    verdict: "allowed",
  };
}

function subjects(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => {
    try {
      return (JSON.parse(line) as AuditEntry).subject;
    } catch {
      // A line that a crash cut off.
      return "cut off";
    }
  });
}

describe("[C10] the audit record", () => {
  it("[C10] is there as soon as it is appended, and grows from start to start", () => {
    const home = temporaryFolder();
    const file = path.join(home, "audit.jsonl");
    const first = new AuditFile(home, recordLog().log);
    first.append(entry("a"));
    first.append(entry("ü\nb"));
    expect(subjects(file)).toEqual(["a", "ü\nb"]);
    first.close();
    first.close();
    const second = new AuditFile(home, recordLog().log);
    second.append(entry("c"));
    second.close();
    expect(subjects(file)).toEqual(["a", "ü\nb", "c"]);
  });

  it("[C10] loses only the line that a crash cut off", () => {
    const home = temporaryFolder();
    const file = path.join(home, "audit.jsonl");
    writeFileSync(file, `${JSON.stringify(entry("a"))}\n{"at":"20`);
    const audit = new AuditFile(home, recordLog().log);
    audit.append(entry("b"));
    audit.append(entry("c"));
    audit.close();
    expect(subjects(file)).toEqual(["a", "cut off", "b", "c"]);
  });

  it("[C10] never writes over what somebody else appended", () => {
    const home = temporaryFolder();
    const file = path.join(home, "audit.jsonl");
    const audit = new AuditFile(home, recordLog().log);
    audit.append(entry("a"));
    appendFileSync(file, `${JSON.stringify(entry("b"))}\n`);
    audit.append(entry("c"));
    audit.close();
    expect(subjects(file)).toEqual(["a", "b", "c"]);
  });

  it.skipIf(process.platform === "win32")("[C10] is readable by its owner alone", () => {
    const home = temporaryFolder();
    const file = path.join(home, "audit.jsonl");
    new AuditFile(home, recordLog().log).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    new AuditFile(home, recordLog().log).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("[C10] tells the log what it could not write, and lets the work go on", () => {
    const { log, lines } = recordLog();
    const audit = new AuditFile(temporaryFolder(), log);
    audit.close();
    audit.append(entry("late"));
    expect(lines).toEqual([expect.stringMatching(/^error The audit record .* could not be written$/)]);
  });
});
