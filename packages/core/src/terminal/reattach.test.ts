// Terminals that outlive their host: what they show, their commands, their exits and their spool in the next host.
import { makeId, terminalUri, type TerminalUri } from "@holdfast/ahp";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { until } from "../testing/agent-record.ts";
import { ME } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { type Restarts, useRestarts } from "../testing/restarts.ts";
import { TerminalClient } from "../testing/terminal-client.ts";
import { ask } from "../testing/script.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";

const newRestarts = useRestarts();
const ann = makeId("client", "ann");

function watch(restarts: Restarts, uri: string, name = "ann"): Promise<WatchingClient> {
  return WatchingClient.open(new TerminalClient(restarts.host), uri, name);
}

async function openShell(restarts: Restarts, line?: string): Promise<TerminalUri> {
  const client = new TerminalClient(restarts.host);
  client.clientBack(ann);
  // Not the account's own, which may report no commands.
  const shell = line === undefined ? { command: "bash" } : { command: "/bin/sh", args: ["-c", line] };
  return client.create({ clientId: ann, cwd: restarts.work, shell });
}

function durable(restarts: Restarts, uri: string): string[] {
  return restarts.storage.readLog(uri, 0, 10_000).entries.map(({ action }) => action.type);
}

test("[U720] a shell continues: the same text, each command published once, and it takes input", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const uri = await openShell(restarts);
  const before = await watch(restarts, uri);
  before.type("echo first; false\r");
  await before.has(({ lastCommand }) => lastCommand?.exitCode === 1);
  before.type("read line; echo got $line\r");
  await before.has(({ openCommand }) => openCommand?.commandLine.startsWith("read") === true);
  const { text, state } = before;
  await restarts.start();
  const ranMs = Date.now() - Date.parse(state.openCommand?.startedAt ?? "");
  const after = await watch(restarts, uri);
  expect(after.text).toBe(text);
  expect(after.state).toMatchObject({ openCommand: state.openCommand, lastCommand: state.lastCommand });
  after.type("input\r");
  await after.sees("got input");
  const { lastCommand: read } = await after.has(({ lastCommand }) => lastCommand?.exitCode === 0);
  expect(read?.durationMs).toBeGreaterThanOrEqual(ranMs);
  await restarts.start();
  const log = durable(restarts, uri);
  expect(log.filter((type) => type === "terminal/commandExecuted")).toHaveLength(2);
  expect(log.filter((type) => type === "terminal/commandFinished")).toHaveLength(2);
  expect(log.filter((type) => type === "terminal/commandDetectionAvailable")).toHaveLength(1);
  const third = await watch(restarts, uri);
  expect(third.content.filter(({ kind }) => kind === "command")).toHaveLength(2);
});

test("[C845] the next host lists them from the oldest on", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const uris: string[] = [];
  for (let count = 0; count < 3; count += 1) uris.push(await openShell(restarts, "exec sleep 1000"));
  const ids = (): string[] => restarts.host.terminals.list(ME).map(({ id }) => id);
  const before = ids();
  // The disk has the newest terminal first.
  const { spool } = restarts;
  const readNow = spool.extent.bind(spool);
  vi.spyOn(spool, "extent").mockImplementation(async (uri) => {
    for (let ticks = uris.indexOf(uri); ticks < uris.length; ticks += 1) await setImmediate();
    return readNow(uri);
  });
  await restarts.start();
  expect(ids()).toEqual(before);
});

test("[U721] a command that ended while no host was there has its true end, and its output is spooled once", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const uri = await openShell(
    restarts,
    "echo one; while [ ! -e ../go ]; do sleep 0.02; done; echo two; exit 5",
  );
  const before = await watch(restarts, uri);
  await before.sees("one");
  await restarts.kill();
  restarts.pass("go");
  await until(async () => (await restarts.port.held()).runs[0]?.hasExited);
  await restarts.start();
  const after = await watch(restarts, uri);
  await after.has(({ lifecycle }) => lifecycle.status === "exited");
  expect(after.state.lifecycle).toMatchObject({ exit: { kind: "code", exitCode: 5 } });
  expect(after.text).toBe("one\r\ntwo\r\n");
  const spooled = await restarts.spool.read(uri, 0, 1000);
  expect(Buffer.from(spooled?.bytes ?? []).toString()).toBe("one\r\ntwo\r\n");
  const exits = restarts.storage.audit.read({ what: "command-exit" });
  expect(exits.map(({ entry }) => entry.exitCode)).toEqual([5]);
  await restarts.start();
  expect(durable(restarts, uri).filter((type) => type === "terminal/exited")).toHaveLength(1);
});

test("[U724] what a command left running when it ended without a host is found", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const uri = await openShell(
    restarts,
    "trap '' HUP; echo one; while [ ! -e ../go ]; do sleep 0.02; done; sleep 600 & exit 5",
  );
  await (await watch(restarts, uri)).sees("one");
  await restarts.kill();
  restarts.pass("go");
  await until(async () => (await restarts.port.held()).runs[0]?.hasExited);
  await restarts.start();
  const after = await watch(restarts, uri);
  const { leftovers } = await after.has((state) => state.leftovers !== undefined);
  expect(leftovers?.processes.map(({ command }) => command)).toEqual(["sleep 600"]);
});

test("[U722] a full screen is drawn again for a viewer that comes back and for a new one", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const draw = String.raw`printf '\033[?1049h\033[2J\033[5;10Hhello\033[10;3Hworld'; while [ ! -e ../go ]; do sleep 0.02; done; printf '\033[?1049l'`;
  const uri = await openShell(restarts, draw);
  const before = await watch(restarts, uri);
  await before.sees("world");
  await restarts.start();
  await until(async () => (await watch(restarts, uri)).text.includes("world"));
  for (const name of ["ann", "bob"]) {
    const { text } = await watch(restarts, uri, name);
    expect(text).toMatch(/\u001B\[\?47h[\s\S]*hello[\s\S]*world/);
  }
  restarts.pass("go");
  const after = await watch(restarts, uri);
  await after.has(({ lifecycle }) => lifecycle.status === "exited");
});

test("[U723] of a terminal that wrote more than is held, the end is shown and every byte is spooled once", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const line = "seq 1 400000; while [ ! -e ../go ]; do sleep 0.02; done; seq 400001 500000; echo end";
  const uri = await openShell(restarts, line);
  const lines = (last: number): string =>
    Array.from({ length: last }, (_, index) => `${index + 1}\r\n`).join("");
  const firstBytes = lines(400_000).length;
  await until(async () => (await restarts.spool.extent(uri))?.endOffset === firstBytes);
  await restarts.start();
  restarts.pass("go");
  const whole = `${lines(500_000)}end\r\n`;
  await until(async () => ((await restarts.spool.extent(uri))?.endOffset ?? 0) >= whole.length);
  const { bytes } = (await restarts.spool.read(uri, 0, whole.length + 1)) ?? { bytes: [] };
  expect(Buffer.from(bytes).toString() === whole).toBe(true);
  const { text, state } = await watch(restarts, uri);
  expect(state.output.endOffset).toBe(whole.length);
  expect(whole.endsWith(text.slice(-100_000))).toBe(true);
}, 60_000);

function uriOf(id: string): TerminalUri {
  return terminalUri(makeId("terminal", id));
}

/** The bytes that a follower of a paced command gets from an offset on, up to another one or to the end. */
async function follow(restarts: Restarts, id: string, from: number, to = Number.POSITIVE_INFINITY) {
  let wake: () => void = () => {};
  const reader = await restarts.host.terminals.follow(id, from, ME, () => wake(), true);
  const streams = { output: "", error: "" };
  let joined = "";
  while (from + joined.length < to) {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const reading = await reader.next();
    expect(reading.kind).not.toBe("skipped");
    if (reading.kind === "end") break;
    if (reading.kind === "nothing") await woken;
    if (reading.kind !== "output") continue;
    expect(reading.offset).toBe(from + joined.length);
    const text = Buffer.from(reading.bytes).toString("latin1");
    streams[reading.stream ?? "output"] += text;
    joined += text;
  }
  reader.close();
  return { ...streams, joined, endOffset: from + joined.length };
}

test.each([
  { steps: 300, size: 10, readBytes: 10_000 },
  // More than is held.
  { steps: 120, size: 10_000, readBytes: 17_000_000 },
])(
  "[U725] stdout and stderr of a command reach a follower whole, once and apart in the next host: $readBytes bytes",
  async ({ steps, size, readBytes }) => {
    const restarts = newRestarts();
    await restarts.start();
    const range = `$((i*${size}+1)) $(((i+1)*${size}))`;
    const line = `i=0; while [ $i -lt ${steps} ]; do seq -f o%.0f ${range}; seq -f e%.0f ${range} >&2; i=$((i+1)); done`;
    const paced = { kind: "text", separateError: true, isPaced: true } as const;
    const command = { command: line, cwd: restarts.work, ...paced };
    const { id } = await restarts.host.terminals.create(command, ME);
    const first = await follow(restarts, id, 0, readBytes);
    await restarts.start();
    const second = await follow(restarts, id, first.endOffset, first.endOffset + 2000);
    await restarts.start();
    const third = await follow(restarts, id, second.endOffset);
    const lines = (letter: string): string =>
      Array.from({ length: steps * size }, (_, index) => `${letter}${index + 1}\n`).join("");
    expect(first.output + second.output + third.output === lines("o")).toBe(true);
    expect(first.error + second.error + third.error === lines("e")).toBe(true);
    const { bytes } = (await restarts.spool.read(uriOf(id), 0, third.endOffset + 1)) ?? {
      bytes: [],
    };
    const spooled = Buffer.from(bytes).toString("latin1");
    expect(spooled === first.joined + second.joined + third.joined).toBe(true);
  },
  60_000,
);

test("[U725] a note that does not say how much came from stderr continues where the held bytes begin", async () => {
  const restarts = newRestarts();
  await restarts.start();
  const command = "seq 1000; seq 1000 >&2; while [ ! -e go ]; do sleep 0.02; done; echo end; echo end >&2";
  const made = await restarts.host.terminals.create(
    { command, cwd: restarts.work, kind: "text", separateError: true },
    ME,
  );
  const lines = Array.from({ length: 1000 }, (_, index) => `${index + 1}\n`).join("");
  const endOffset = 2 * lines.length;
  await until(async () => (await restarts.spool.extent(uriOf(made.id)))?.endOffset === endOffset);
  await restarts.kill();
  const [held] = (await restarts.port.held()).runs;
  const run = await restarts.port.attach(held?.id ?? "", { bytes() {}, exit() {}, end() {} }, {});
  // As earlier hosts wrote it: the offset of both streams is acknowledged as one of stdout.
  const place = { rawOffset: endOffset, offset: endOffset };
  run.acknowledge("output", endOffset, JSON.stringify(place));
  await restarts.start();
  writeFileSync(path.join(restarts.work, "go"), "");
  const { output, error } = await follow(restarts, made.id, endOffset);
  expect([output, error.endsWith("end\n")]).toEqual(["end\n", true]);
});

test("[U660] a command that an earlier host started counts for its session until it ends", async () => {
  const restarts = newRestarts({
    script: {
      prompts: {
        first: [ask("one", "terminal/create", { command: "sleep", args: ["1000"] })],
        second: [
          ask("two", "terminal/create", { command: "true" }),
          ask("killed", "terminal/kill", { terminalId: "$one.terminalId" }),
          ask("waited", "terminal/wait_for_exit", { terminalId: "$one.terminalId" }),
          ask("three", "terminal/create", { command: "true" }),
        ],
      },
    },
    config: { limits: { session: { openTerminals: 1 } } },
  });
  await restarts.start();
  const key = await restarts.open();
  await new FakeSession(restarts.host, key, restarts.heard).turn("first");
  await restarts.start();
  await new FakeSession(restarts.host, key, restarts.heard).turn("second");
  expect((await restarts.heard.answer("two")).error).toMatchObject({ code: -32029 });
  expect(await restarts.heard.result("three")).toMatchObject({ terminalId: expect.any(String) });
});
