// The audit log: every command, approval and file, with the actor, the decision and the outcome.
import path from "node:path";
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, type Step } from "../testing/script.ts";
import { Audit, type AuditEntry } from "./audit.ts";

guardLeaks();
const newHost = useFakeHosts();
const now = new Date("2026-01-02T03:04:05.000Z");

const steps: Step[] = [
  askPermission("call", { kind: "execute", title: "run it", rawInput: { command: "true" } }),
  ask("covered", "terminal/create", { command: "true" }),
  ask("uncovered", "terminal/create", { command: "echo", args: ["a", "b"] }),
  ask("missing", "terminal/create", { command: "no-such-program", args: ["x"] }),
  ask("written", "fs/write_text_file", { path: "$prompt.text", content: "x" }),
  ask("broken", "fs/write_text_file", { path: "/proc/none", content: "x" }),
];

test("[V11] under approve-all every approval, command and write is on record with who, what, where, decision and outcome", async () => {
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } }, now: () => now });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const file = path.join(host.work, "a.txt");
  await session.turn(file);
  const common = {
    at: now.toISOString(),
    session: session.key,
    turnId: session.lastTurn.id,
    verdict: "allowed",
  };
  const byPolicy = { ...common, by: "policy approve-all" };
  expect(host.host.audit.recent).toEqual([
    { ...byPolicy, what: "approval", subject: "true", cwd: host.work, outcome: "yes" },
    { ...common, what: "command", subject: "true", cwd: host.work, by: "approval of call", outcome: "done" },
    { ...byPolicy, what: "command", subject: "echo a b", cwd: host.work, outcome: "done" },
    {
      ...byPolicy,
      what: "command",
      subject: "no-such-program x",
      cwd: host.work,
      outcome: expect.stringContaining("no-such-program") as string,
    },
    { ...byPolicy, what: "file-write", subject: file, outcome: "done" },
    {
      ...byPolicy,
      what: "file-write",
      subject: "/proc/none",
      outcome: expect.stringContaining("/proc/none") as string,
    },
  ]);
});

test("[V11] a denied action is on record too, and so is the person who decided", async () => {
  const host = newHost({
    agents: { mine: { prompts: { go: [ask("made", "terminal/create", { command: "true" })] } } },
  });
  const denying = await host.open({ approvalPolicy: "deny-all" });
  await denying.turn("go");
  const asking = await host.open({ approvalPolicy: "approve-reads" });
  const turn = asking.stream("go");
  asking.resolve((await turn.approval()).id, "allow");
  await turn.ended;
  expect(host.host.audit.recent).toMatchObject([
    { session: denying.key, what: "command", by: "policy deny-all", verdict: "denied" },
    {
      session: asking.key,
      what: "approval",
      subject: "true",
      by: "client owner",
      verdict: "allowed",
      outcome: "allow",
    },
    { session: asking.key, what: "command", by: "client owner", verdict: "allowed", outcome: "done" },
  ]);
});

test("[V11] a question that was cancelled is on record as such", async () => {
  const host = newHost({
    agents: { mine: { prompts: { go: [askPermission("call", { title: "asked" })] } } },
  });
  const session = await host.open();
  await session.stream("go").approval();
  await session.cancel();
  expect(host.host.audit.recent).toMatchObject([
    { what: "approval", subject: "asked", verdict: "cancelled", by: "client owner" },
  ]);
});

test("[A84] the owner reads it from a place on, of all sessions or of one; others are refused", async () => {
  const run = ask("made", "terminal/create", { command: "true" });
  const host = newHost({ agents: { mine: { prompts: { go: [run] } } } });
  const [one, other] = [
    await host.open({ approvalPolicy: "approve-all" }),
    await host.open({ approvalPolicy: "deny-all" }),
  ];
  await one.turn("go");
  await other.turn("go");
  const [first, second, ...more] = host.host.readAudit({}, ME);
  expect([first?.verdict, second?.verdict, more]).toEqual(["allowed", "denied", []]);
  expect(host.host.readAudit({ after: first?.id }, ME)).toEqual([second]);
  expect(host.host.readAudit({ session: one.key }, ME)).toEqual([first]);
  expect(host.host.readAudit({ limit: 1 }, ME)).toEqual([second]);
  const app = { kind: "app", appId: makeId("app", "some") } as const;
  expect(() => host.host.readAudit({}, app)).toThrow(
    expect.objectContaining({ code: "PERMISSION_REQUIRED" }),
  );
});

test("[V11] every entry goes to the store; the host keeps the newest", () => {
  const stored: AuditEntry[] = [];
  const audit = new Audit(() => now, { append: (entry) => stored.push(entry) });
  const entry = { session: "s", what: "command", by: "policy none", verdict: "allowed" } as const;
  for (let index = 0; index < 5000; index += 1) audit.record({ ...entry, subject: `${index}` });
  expect(stored).toHaveLength(5000);
  expect(stored[0]).toEqual({ ...entry, at: now.toISOString(), subject: "0" });
  expect(audit.recent.length).toBeLessThanOrEqual(2000);
  expect(audit.recent.length).toBeGreaterThanOrEqual(1000);
  expect(audit.recent.at(-1)?.subject).toBe("4999");
});

test("[V420] a text on record has at most 16,384 characters, whole ones, and says how many are left out", () => {
  const audit = new Audit(() => now);
  const entry = { session: "s", what: "command", by: "policy none", verdict: "allowed" } as const;
  const whole = "x".repeat(16_384);
  for (const subject of [whole, `${whole}yz`, `${"x".repeat(16_383)}😀y`]) {
    audit.record({ ...entry, subject, outcome: subject });
  }
  expect(audit.recent.map(({ subject }) => subject)).toEqual([
    whole,
    `${whole}… (2 more characters)`,
    `${"x".repeat(16_383)}… (3 more characters)`,
  ]);
  expect(audit.recent.map(({ outcome }) => outcome)).toEqual(audit.recent.map(({ subject }) => subject));
});
