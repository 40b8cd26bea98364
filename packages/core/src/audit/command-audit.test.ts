// Entries of commands that an earlier host, perhaps of an earlier version, left running.
import { expect, it } from "vitest";
import { Audit, type AuditEntry } from "./audit.ts";
import type { AuditRecord } from "../ports.ts";
import { recordLostCommands } from "./command-audit.ts";

it("[A714] the end of a command that an earlier version started has its decision under the new name", () => {
  const old: Omit<AuditEntry, "decision"> & { verdict: string } = {
    at: "2026-01-01T00:00:00.000Z",
    session: "s",
    what: "command",
    subject: "make",
    by: "client owner",
    verdict: "denied",
    terminal: "t",
  };
  const kept: readonly object[] = [{ id: 1, entry: old, hash: "" }];
  const audit = new Audit(() => new Date(0));
  recordLostCommands(audit, { read: () => kept as AuditRecord[] }, ["t"]);
  expect(audit.recent).toEqual([
    {
      at: "1970-01-01T00:00:00.000Z",
      session: "s",
      what: "command-exit",
      subject: "make",
      by: "client owner",
      decision: "denied",
      terminal: "t",
      outcome: "unknown: the host was restarted",
    },
  ]);
});
