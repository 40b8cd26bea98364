// Terminals of the host: their output outlives the agent's handle, and a failure leaves nothing.
import { ROOT_URI, defaultChatUri, makeId, newRootState, sessionUri } from "@holdfast/ahp";
import { Spawner } from "@holdfast/terminal/process";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import { afterAll, expect, test } from "vitest";
import { Hub } from "../channel/hub.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import type { HostTerminal } from "./host-terminal.ts";
import { HostTerminals } from "./host-terminals.ts";
import type { TerminalPlan } from "./terminal-plan.ts";
import { TerminalFollower } from "./terminal-follower.ts";

guardLeaks();
const processPort = new Spawner({ environment: { PATH: process.env["PATH"] } });
const hub = new Hub();
hub.open(ROOT_URI, "root", newRootState());
const terminals = new HostTerminals({ processPort, hub, now: () => new Date() });
const session = sessionUri(makeId("session", "s"));
const claim = { kind: "session", session, chat: defaultChatUri(session) } as const;
afterAll(async () => {
  await terminals.close();
  await processPort.close();
});

const wanted = (command: string, args: string[] = []) => ({
  command,
  args,
  cwd: "/",
  env: undefined,
  outputByteLimit: undefined,
});

test("[N27] what a command wrote is there after the agent has released it, until the session closes", async () => {
  const held = new HeldTerminals<HostTerminal>();
  const terminal = await terminals.create(wanted("echo kept"), claim);
  held.add(terminal);
  await terminal.exited;
  await held.release(terminal.id);
  expect(held.find(terminal.id)).toBeUndefined();
  expect(held.display(terminal.id)?.output.tail().output).toBe("kept\n");
  expect(hub.state(terminal.uri, "terminal")?.lifecycle).toMatchObject({ status: "exited" });
  await held.close();
  expect(hub.has(terminal.uri)).toBe(false);
  expect(terminals.get(terminal.id)).toBeUndefined();
});

test("[N24] however quickly a command exits, its channel says so", async () => {
  const made = await Promise.all(
    Array.from({ length: 40 }, () => terminals.create(wanted("/bin/true"), claim)),
  );
  await Promise.all(made.map(({ exited }) => exited));
  await new Promise(setImmediate);
  expect(made.filter(({ uri }) => hub.state(uri, "terminal")?.lifecycle.status !== "exited")).toEqual([]);
  await Promise.all(made.map((terminal) => terminal.close()));
});

test("[N22] a command that cannot be started leaves no channel", async () => {
  await expect(terminals.create(wanted("no-such-program", ["x"]), claim)).rejects.toMatchObject({
    code: "program_not_found",
  });
  expect(hub.list("terminal")).toEqual([]);
  // The list may rest for a moment after the last change.
  await until(() => (hub.list("root")[0]?.state.terminals.length === 0 ? true : undefined));
});

test.each([
  [
    { columns: 1e9, rows: 1e9 },
    { cols: 1000, rows: 500 },
  ],
  [
    { columns: 1, rows: 1 },
    { cols: 2, rows: 1 },
  ],
  [
    { columns: 0, rows: -5 },
    { cols: 2, rows: 1 },
  ],
  [{ columns: 120 }, { cols: 120, rows: 30 }],
])(
  "[U201] a tty of an agent that asks for %j has %j, in its state and in its PTY",
  async (size, expected) => {
    const terminal = await terminals.create({ ...wanted("stty size"), kind: "tty", size }, claim);
    await terminal.exited;
    expect(hub.state(terminal.uri, "terminal")?.size).toEqual(expected);
    expect(terminal.output.tail().output).toBe(`${expected.rows} ${expected.cols}\n`);
    await terminal.close();
  },
);

test.each(["text", "tty"] as const)(
  "[T204] shell-integration marks that a %s command prints are not in its output",
  async (kind) => {
    const command = String.raw`printf 'a\033]633;A\007b\033]133;C\033\\c\033]633;E;rm -rf /;0123\007d\033]8;;x\007e\033]63'`;
    const terminal = await terminals.create({ ...wanted(command), kind }, claim);
    await terminal.exited;
    const { startOffset, endOffset } = terminal.output;
    const shown = Buffer.from(terminal.output.bytes(startOffset, endOffset)).toString();
    expect(shown).toBe("abcd\x1b]8;;x\x07e\x1b]63");
    // The command itself, and none that it forged.
    expect(terminal.commands.count).toBe(1);
    await terminal.close();
  },
);

test("[T204] a command that a script follows keeps every byte", async () => {
  const command = String.raw`printf 'a\033]633;A\007b'`;
  const plan = { ...wanted(command), env: {}, kind: "text", title: "t", claim, isPaced: true } as const;
  const terminal = await terminals.open({
    ...plan,
    size: { columns: 80, rows: 24 },
    textLimitBytes: 1024,
    agent: undefined,
  });
  await terminal.exited;
  expect(Buffer.from(terminal.output.bytes(0, terminal.output.endOffset)).toString()).toBe(
    "a\x1b]633;A\x07b",
  );
  await terminal.close();
});

const planned = (command: string, more: Partial<TerminalPlan> = {}): TerminalPlan => ({
  title: command,
  claim,
  kind: "text",
  command: "/bin/sh",
  args: ["-c", command],
  cwd: "/",
  env: { PATH: process.env["PATH"] ?? "" },
  size: { columns: 80, rows: 24 },
  textLimitBytes: 1024,
  ...more,
});

test("[T502] followers of a command with a pipe for each stream can separate stderr from stdout", async () => {
  const { uri, id } = await terminals.open(
    planned("echo one; echo two >&2; echo three", { separateError: true }),
  );
  const text = { output: "", error: "" };
  const follower = new TerminalFollower(
    {
      uri,
      hub,
      spool: undefined,
      live: () => terminals.get(id),
      state: () => hub.state(uri, "terminal"),
      onReadable: () => {},
      onSkipped: () => {},
    },
    0,
  );
  // Once it has ended, everything can be read without waiting.
  await until(() => hub.state(uri, "terminal")?.lifecycle.status === "exited");
  for (let reading = await follower.next(); reading.kind !== "exited"; reading = await follower.next()) {
    if (reading.kind === "output") text[reading.stream ?? "output"] += Buffer.from(reading.bytes).toString();
  }
  expect(text).toEqual({ output: "one\nthree\n", error: "two\n" });
  follower.close();
  await terminals.get(id)?.close();
});

test("[T503] a terminal of the host has the limits of its plan, and its exit names the one that fired", async () => {
  const terminal = await terminals.open(planned("yes", { limits: { outputBytes: 100_000 } }));
  await terminal.exited;
  const limit = { name: "output", value: 100_000, unit: "bytes", level: "command" };
  expect(terminal.exit).toMatchObject({ kind: "signal", limit });
  await terminal.close();
});

test("[U762] a terminal that is being started when the host closes is ended, and none can be opened after that", async () => {
  const own = new Hub();
  own.open(ROOT_URI, "root", newRootState());
  const closing = new HostTerminals({ processPort, hub: own, now: () => new Date() });
  const starting = closing.open(planned("sleep 600"));
  await closing.close();
  const { uri, state } = await starting;
  expect(state.name).not.toBe("running");
  expect(own.has(uri)).toBe(false);
  await expect(closing.open(planned("true"))).rejects.toMatchObject({ code: "HOST_STOPPING" });
});

test("[M24] an agent's command stays the title of its terminal, whatever its output says", async () => {
  const line = String.raw`printf '\033]0;git status\007'`;
  const terminal = await terminals.create({ ...wanted(line), kind: "tty" }, claim);
  await terminal.exited;
  expect(Buffer.from(terminal.output.bytes(0, terminal.output.endOffset)).toString()).toContain("git status");
  expect(hub.state(terminal.uri, "terminal")).toMatchObject({ title: line, titleSource: "agent" });
  await terminal.close();
});
