// The audit log: every command, approval and file, with the actor, the decision and the outcome.
import path from "node:path";
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { ask, askPermission, type Step } from "../testing/script.ts";
import { recordLostCommands } from "./command-audit.ts";
import { ALLOWED, Audit, type AuditEntry } from "./audit.ts";

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
    decision: "allowed",
  };
  const byPolicy = { ...common, by: "policy approve-all" };
  const isolation = "none";
  const started = {
    cwd: host.work,
    terminal: expect.any(String) as string,
    outcome: "started",
    isolation,
  };
  const recorded = host.host.audit.recent.filter(({ what }) => what !== "command-exit" && what !== "policy");
  expect(recorded).toEqual([
    { ...byPolicy, what: "approval", subject: "true", cwd: host.work, outcome: "yes" },
    { ...common, ...started, what: "command", subject: "true", by: "approval of call" },
    { ...byPolicy, ...started, what: "command", subject: "echo a b" },
    {
      ...byPolicy,
      what: "command",
      subject: "no-such-program x",
      cwd: host.work,
      isolation,
      outcome: expect.stringContaining("no-such-program") as string,
    },
    { ...byPolicy, what: "file-write", subject: file, outcome: "done" },
    expect.objectContaining({ what: "file-write", subject: "/proc/none", by: "isolation" }),
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
  const recorded = host.host.audit.recent.filter(({ what }) => what === "command" || what === "approval");
  expect(recorded).toMatchObject([
    { session: denying.key, what: "command", by: "policy deny-all", decision: "denied" },
    {
      session: asking.key,
      what: "approval",
      subject: "true",
      by: "client owner",
      decision: "allowed",
      outcome: "allow",
    },
    { session: asking.key, what: "command", by: "client owner", ...ALLOWED, outcome: "started" },
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
    { what: "approval", subject: "asked", decision: "cancelled", by: "client owner" },
  ]);
});

test("[A84] the owner reads it from a place on, of all sessions or of one; others are refused", async () => {
  const run = ask("made", "terminal/create", { command: "true" });
  const host = newHost({ agents: { mine: { prompts: { go: [run] } } } });
  const [one, other] = [
    await host.open({ approvalPolicy: "approve-all" }),
    await host.open({ approvalPolicy: "deny-all" }),
  ];
  await other.turn("go");
  await one.turn("go");
  const [first, second, denied, started, ...more] = host.host.readAudit({}, ME);
  expect([first?.what, second?.what, denied?.decision, started?.outcome]).toEqual([
    "policy",
    "policy",
    "denied",
    "started",
  ]);
  expect(host.host.readAudit({ after: denied?.id }, ME)).toEqual([started, ...more]);
  expect(host.host.readAudit({ session: other.key }, ME)).toEqual([second, denied]);
  expect(host.host.readAudit({ what: "policy", limit: 1 }, ME)).toEqual([second]);
  expect(host.host.readAudit({ since: "2100-01-01T00:00:00+02:00" }, ME)).toEqual([]);
  expect(host.host.readAudit({ since: first?.at, limit: 1000 }, ME)).toHaveLength(4 + more.length);
  const app = { kind: "app", appId: makeId("app", "some") } as const;
  const refused = expect.objectContaining({ code: "PERMISSION_REQUIRED" }) as Error;
  expect(() => host.host.readAudit({}, app)).toThrow(refused);
  expect(() => host.host.readAuditChain(app)).toThrow(refused);
});

test("[V11] every entry goes to the store; the host keeps the newest", () => {
  const stored: AuditEntry[] = [];
  const audit = new Audit(() => now, { append: (entry) => stored.push(entry) });
  const entry = { session: "s", what: "command", by: "policy none", ...ALLOWED } as const;
  for (let index = 0; index < 5000; index += 1) audit.record({ ...entry, subject: `${index}` });
  expect(stored).toHaveLength(5000);
  expect(stored[0]).toEqual({ ...entry, at: now.toISOString(), subject: "0" });
  expect(audit.recent.length).toBeLessThanOrEqual(2000);
  expect(audit.recent.length).toBeGreaterThanOrEqual(1000);
  expect(audit.recent.at(-1)?.subject).toBe("4999");
});

test("[V420] a text on record has at most 16,384 characters, whole ones, and says how many are left out", () => {
  const audit = new Audit(() => now);
  const entry = { session: "s", what: "command", by: "policy none", ...ALLOWED } as const;
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

const runTwice: Step[] = [
  ask("made", "terminal/create", {
    command: "sh",
    args: ["-c", "exit 7"],
    env: [{ name: "WORD", value: "x" }],
  }),
  ask("exit", "terminal/wait_for_exit", { terminalId: "$made.terminalId" }),
  ask("long", "terminal/create", { command: "sleep", args: ["100"] }),
  ask("killed", "terminal/kill", { terminalId: "$long.terminalId" }),
  ask("ended", "terminal/wait_for_exit", { terminalId: "$long.terminalId" }),
];

test("[V676] a command is on record when it starts and when it ends, with terminal, environment and exit", async () => {
  const host = newHost({ agents: { mine: { prompts: { go: runTwice } } } });
  const session = await host.open();
  await session.turn("go");
  const commands = host.host.audit.recent.filter(({ what }) => what.startsWith("command"));
  const [made, long] = [await session.agent.result("made"), await session.agent.result("long")] as {
    terminalId: string;
  }[];
  const common = { session: session.key, by: "default (no policy)", ...ALLOWED };
  const first = { ...common, terminal: made?.terminalId, environment: ["WORD"] };
  const second = { ...common, terminal: long?.terminalId };
  expect(commands).toMatchObject([
    { ...first, what: "command", outcome: "started" },
    {
      ...first,
      what: "command-exit",
      exitCode: 7,
      outcome: "exit code 7",
      durationMs: expect.any(Number) as number,
    },
    { ...second, what: "command", outcome: "started" },
    { ...second, what: "command-exit", signal: "SIGTERM", outcome: "signal SIGTERM" },
  ]);
  expect(commands.filter(({ signal, exitCode }) => signal !== undefined && exitCode !== undefined)).toEqual(
    [],
  );
});

test("[V676] a command that ended with an earlier host gets its end from the next one, once", () => {
  const { audit: trail } = new MemoryStorage();
  const audit = new Audit(() => now, trail);
  const entry = { session: "s", what: "command", by: "client owner", ...ALLOWED } as const;
  audit.record({ ...entry, subject: "lost", terminal: "1", outcome: "started" });
  audit.record({ ...entry, subject: "other", terminal: "2", outcome: "started" });
  recordLostCommands(audit, trail, ["1", "3"]);
  expect(trail.read({ what: "command-exit" }).map((record) => record.entry)).toEqual([
    {
      ...entry,
      at: now.toISOString(),
      what: "command-exit",
      subject: "lost",
      terminal: "1",
      outcome: "unknown: the host was restarted",
    },
  ]);
});

test("[V676] a command that the agent runs itself is on record as its report", async () => {
  const meta = { terminal_info: { terminal_id: "own", cwd: "/somewhere" } };
  const exit = { terminal_exit: { terminal_id: "own", exit_code: 2 } };
  const reports: Step[] = [
    {
      do: "update",
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "c",
        title: "make test",
        kind: "execute",
        _meta: meta,
      },
    },
    {
      do: "update",
      update: { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed", _meta: exit },
    },
  ];
  const host = newHost({ agents: { mine: { prompts: { go: reports } } } });
  const session = await host.open({ approvalPolicy: "deny-all" });
  await session.turn("go");
  const common = { session: session.key, subject: "make test", by: "the agent", decision: "reported" };
  expect(host.host.audit.recent.filter(({ what }) => what !== "policy")).toMatchObject([
    { ...common, what: "command", cwd: "/somewhere", outcome: "started" },
    { ...common, what: "command-exit", exitCode: 2 },
  ]);
});

test("[V677] what a person always allows is on record with the rule", async () => {
  const options = [
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  const toolCall = { toolCallId: "call", kind: "execute", title: "run it", rawInput: { command: "true" } };
  const prompts: Record<string, Step[]> = {
    first: [ask("asked", "session/request_permission", { toolCall, options })],
    second: [ask("made", "terminal/create", { command: "true" })],
  };
  const host = newHost({ agents: { mine: { prompts } } });
  const session = await host.open();
  const turn = session.stream("first");
  session.resolve((await turn.approval()).id, "always");
  await turn.ended;
  await session.turn("second");
  const { recent } = host.host.audit;
  const added = recent.find(({ what }) => what === "permission-rule");
  expect(added).toMatchObject({ by: "client owner", rule: expect.any(String) as string });
  expect(recent.find(({ what }) => what === "command")).toMatchObject({
    by: `rule ${added?.rule}`,
    rule: added?.rule,
  });
});

test("[V678] a changed policy, model, folder or option is on record with both values and who changed it", async () => {
  const host = newHost({ agents: { mine: {} } });
  const session = await host.open({ approvalPolicy: "approve-reads" });
  await session.patch({ approvalPolicy: "approve-all" });
  await session.patch({ approvalPolicy: "approve-all" });
  await session.patch({ cwd: host.folder });
  await expect(session.patch({ cwd: "/no/such/folder" })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
  });
  const common = { session: session.key, by: "client owner", ...ALLOWED };
  expect(host.host.audit.recent).toMatchObject([
    { ...common, what: "policy", subject: "approvalPolicy: none → approve-reads" },
    { ...common, what: "policy", subject: "approvalPolicy: approve-reads → approve-all" },
    { ...common, what: "option", subject: `cwd: ${host.work} → ${host.folder}` },
  ]);
});
