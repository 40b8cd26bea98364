// People's terminals: a shell that reports its commands, shared, kept for a client that vanished, shown when it is over.
import { realpathSync } from "node:fs";
import { type ClientId, type TerminalUri, makeId, terminalUri } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { until } from "../testing/agent-record.ts";
import { findByArgument, guardLeaks, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import { MemorySpool } from "../testing/memory-spool.ts";
import { ask, askOn, say } from "../testing/script.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";
import type { WantedShell } from "../testing/terminal-client.ts";

guardLeaks();
const newHost = useFakeHosts();
const ann = makeId("client", "ann");
const bash = { command: "/bin/bash" };
const home = realpathSync("/tmp");

interface Opened {
  readonly fake: FakeHost;
  readonly uri: TerminalUri;
  readonly watching: WatchingClient;
  readonly terminals: FakeHost["terminals"];
}

async function openShell(
  request: Partial<WantedShell> = {},
  options: Parameters<typeof newHost>[0] = {},
): Promise<Opened> {
  const fake = newHost(options);
  const terminals = fake.terminals;
  const uri = await terminals.create({ clientId: ann, shell: bash, cwd: home, ...request });
  return { fake, uri, terminals, watching: await WatchingClient.open(terminals, uri, "ann") };
}

/** Types a line and waits for its command to end; gives its part. */
async function runLine(watching: WatchingClient, line: string) {
  const count = commandsOf(watching).filter(({ end }) => end !== undefined).length;
  expect(watching.type(`${line}\r`)).toEqual({ outcome: "accepted" });
  return until(() => commandsOf(watching).filter(({ end }) => end !== undefined)[count]);
}

function commandsOf({ content }: WatchingClient) {
  return content.flatMap((part) => (part.kind === "command" ? [part] : []));
}

describe("[U22] a person's terminal", () => {
  test("[U22] is their shell, held by its client, on the list, reporting commands, codes and directory", async () => {
    const { watching, fake, uri } = await openShell({ name: "Mine", size: { cols: 100, rows: 30 } });
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    expect(watching.state).toMatchObject({
      run: "tty",
      title: "Mine",
      claim: { kind: "client", clientId: "ann" },
      cwd: `file://${home}`,
      size: { cols: 100, rows: 30 },
    });
    expect(await runLine(watching, "echo one; tput cols")).toMatchObject({
      commandLine: "echo one; tput cols",
      text: "one\r\n100\r\n",
      end: { exitCode: 0 },
    });
    expect(await runLine(watching, "(exit 3)")).toMatchObject({ end: { exitCode: 3 } });
    await runLine(watching, "cd /usr");
    await watching.has(({ cwd }) => cwd === "file:///usr");
    expect(watching.text).not.toContain("]633");
    expect(fake.host.hub.list("root")[0]?.state.terminals).toMatchObject([{ resource: uri, title: "Mine" }]);
    expect(fake.host.terminals.list(ME)).toMatchObject([{ session_key: null, title: "Mine" }]);
  });

  test("[U22] a client that joins late sees what the first sees, and both the same from then on", async () => {
    const { watching, terminals, uri } = await openShell();
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    await runLine(watching, "echo héllo");
    const late = await WatchingClient.open(terminals, uri, "ben");
    expect(late.content).toEqual(watching.content);
    await runLine(watching, "seq 1 20000");
    await until(() => late.text === watching.text && late.text.includes("20000\r\n"));
    await until(() => JSON.stringify(late.content) === JSON.stringify(watching.content));
    expect(late.type("x")).toMatchObject({ outcome: "rejected" });
    expect(late.submit({ type: "terminal/cleared", offset: 0 })).toMatchObject({ outcome: "rejected" });
  });

  test("[U22] a program's title is published until a person has chosen one", async () => {
    const { watching } = await openShell();
    expect(watching.state.titleSource).toBe("program");
    watching.type(String.raw`printf '\033]2;from a program\007'` + "\r");
    await watching.has(({ title }) => title === "from a program");
    watching.submit({ type: "terminal/titleChanged", title: "Chosen", source: "person" });
    watching.type(String.raw`printf '\033]2;again\007'; echo do''ne` + "\r");
    await watching.sees("done");
    expect(watching.state.title).toBe("Chosen");
  });

  test("[U22] a command that is open when the shell ends is closed, and the exit is published after all output", async () => {
    const { watching, fake } = await openShell();
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    watching.type("echo last; exec false\r");
    await watching.has(({ lifecycle }) => lifecycle.status === "exited");
    expect(watching.state).toMatchObject({ lifecycle: { exit: { kind: "code", exitCode: 1 } } });
    expect(commandsOf(watching)).toMatchObject([{ text: "last\r\n", end: {} }]);
    expect(commandsOf(watching)[0]?.end).not.toHaveProperty("exitCode");
    expect(watching.actionTypes.slice(-2)).toEqual(["terminal/commandFinished", "terminal/exited"]);
    expect(watching.type("x")).toMatchObject({ outcome: "rejected" });
    await until(() => fake.host.hub.list("root")[0]?.state.terminals[0]?.lifecycle.status === "exited");
  });

  test("[U22] a shell that cannot be integrated works, as unclassified output", async () => {
    const { watching } = await openShell({
      shell: { command: "/bin/sh", args: ["-c", "read w; echo got $w"] },
    });
    watching.type("it\r");
    await watching.sees("got it");
    await watching.has(({ lifecycle }) => lifecycle.status === "exited");
    expect(watching.content).toHaveLength(1);
    expect(watching.state.supportsCommandDetection).toBe(false);
  });

  test("[U23] what cannot be opened is refused with a reason, and leaves nothing", async () => {
    const { terminals, uri, fake } = await openShell({ uri: makeId("terminal URI", "editor-terminal:/1") });
    expect(uri).toBe("editor-terminal:/1");
    const create = (request: Partial<WantedShell>) =>
      terminals.create({ clientId: ann, shell: bash, ...request });
    await expect(create({ uri })).rejects.toMatchObject({ code: "TERMINAL_EXISTS" });
    await expect(create({ cwd: "/no/such/folder" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(create({ cwd: "file://elsewhere/x" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(create({ size: { cols: 0 } })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(create({ shell: { command: "/no/such/shell" } })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    const session = makeId("session URI", "ahp-session:/none");
    const chat = makeId("chat URI", "ahp-chat:/none");
    await expect(create({ claim: { kind: "session", session, chat } })).rejects.toMatchObject({
      code: "ACP_SESSION_NOT_FOUND",
    });
    expect(fake.host.hub.list("terminal")).toHaveLength(1);
    expect(fake.host.terminals.list(ME)).toMatchObject([{ id: uri }]);
    expect(await fake.host.terminals.read(uri, undefined, ME)).toMatchObject({
      lifecycle: { status: "running" },
    });
  });

  test("[U23] one that is claimed for a session ends with it", async () => {
    const seconds = uniqueSeconds();
    const fake = newHost();
    const session = await fake.open();
    const { resource, defaultChat = expect.fail() } = session.state;
    const uri = await fake.terminals.create({
      clientId: ann,
      shell: { command: "/bin/sh", args: ["-c", `sleep ${seconds}`] },
      claim: { kind: "session", session: resource, chat: defaultChat },
    });
    const watching = await WatchingClient.open(fake.terminals, uri, "ann");
    expect(watching.type("x")).toMatchObject({ outcome: "rejected" });
    expect(watching.claim()).toMatchObject({ outcome: "accepted" });
    watching.claim({ kind: "session", session: resource, chat: defaultChat });
    await session.close();
    expect(await untilGone(seconds)).toEqual([]);
  });
});

test("[U24] disposing ends a terminal and takes it off the list; its history stays", async () => {
  const seconds = uniqueSeconds();
  const { terminals, uri, watching, fake } = await openShell({}, { spool: new MemorySpool() });
  watching.type(`echo kept; sleep ${seconds}\r`);
  await watching.sees("kept\r\n");
  await until(() => findByArgument(`sleep ${seconds}`).length > 0);
  await terminals.dispose(uri);
  expect(await untilGone(seconds)).toEqual([]);
  await until(() => fake.host.hub.list("root")[0]?.state.terminals.length === 0);
  const after = await WatchingClient.open(terminals, uri, "ben");
  expect(after.text).toContain("kept\r\n");
  await terminals.dispose(uri);
  await expect(terminals.dispose("ahp-terminal:/none")).rejects.toMatchObject({ code: "TERMINAL_NOT_FOUND" });
});

test("[E79] a disposed terminal's URI is used again, and nothing of the old one is shown under it", async () => {
  const { terminals, uri, watching, fake } = await openShell({}, { spool: new MemorySpool() });
  watching.type("echo first-$((1 + 1))\r");
  await watching.sees("first-2");
  await terminals.dispose(uri);
  const before = await WatchingClient.open(terminals, uri, "ben");
  expect(before.text).toContain("first-2");
  const shell = { command: "/bin/sh", args: ["-c", "read word"] };
  await terminals.create({ uri, clientId: ann, shell });
  await expect(terminals.create({ uri, clientId: ann, shell })).rejects.toMatchObject({
    code: "TERMINAL_EXISTS",
  });
  const after = await WatchingClient.open(terminals, uri, "ann");
  expect(after.text).toBe("");
  after.type("\n");
  await after.has(({ lifecycle }) => lifecycle.status === "exited");
  await terminals.dispose(uri);
  expect((await WatchingClient.open(terminals, uri, "ben")).text).not.toContain("first-2");
  await fake.host.hub.settled();
});

test("[E79] what a session's history refers to keeps its URI", async () => {
  const steps = [ask("made", "terminal/create", { command: "echo kept" })];
  const fake = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await fake.open({ approvalPolicy: "approve-all" });
  await session.turn("go");
  const { terminalId } = await session.agent.result("made");
  const uri = terminalUri(makeId("terminal", String(terminalId)));
  await fake.terminals.dispose(uri);
  await expect(fake.terminals.create({ uri, clientId: ann })).rejects.toMatchObject({
    code: "TERMINAL_EXISTS",
  });
});

test("[U24] disposing of an agent's terminal answers its wait, and the agent cannot name it any more", async () => {
  const id = { terminalId: "$made.terminalId" };
  const fake = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            ask("made", "terminal/create", { command: "exec sleep 60" }),
            askOn("wait", "terminal/wait_for_exit", id),
            say("It runs"),
            { do: "await", name: "wait" },
            ask("output", "terminal/output", id),
          ],
        },
      },
    },
  });
  const session = await fake.open({ approvalPolicy: "approve-all" });
  const turn = session.stream("go");
  const { terminalId } = await session.agent.result("made");
  await turn.until(({ type }) => type === "chat/responsePart");
  await fake.terminals.dispose(terminalUri(makeId("terminal", String(terminalId))));
  await turn.ended;
  expect(await session.agent.result("wait")).toEqual({ exitCode: null, signal: "SIGTERM" });
  expect((await session.agent.answer("output")).error?.code).toBe(-32002);
});

describe("[U25] a client that vanished", () => {
  test("[U25] its terminals say so, are listed, anyone's to claim, and its own again when it is back", async () => {
    const { terminals, uri, watching, fake } = await openShell();
    const ben = await WatchingClient.open(terminals, uri, "ben");
    expect(ben.claim()).toMatchObject({ outcome: "rejected" });
    terminals.clientGone(ann);
    expect((await ben.next()).claim).toMatchObject({
      clientId: "ann",
      goneSince: expect.any(String) as string,
    });
    await until(() => JSON.stringify(fake.host.hub.list("root")[0]?.state.terminals).includes("goneSince"));
    expect(ben.type("x")).toMatchObject({ outcome: "rejected" });
    terminals.clientBack(ann);
    expect((await ben.next()).claim).toEqual({ kind: "client", clientId: "ann" });
    terminals.clientGone(ann);
    expect(ben.claim()).toMatchObject({ outcome: "accepted" });
    terminals.clientBack(ann);
    expect((await watching.next()).claim).toEqual({ kind: "client", clientId: "ben" });
    expect(ben.type("echo b''en\r")).toEqual({ outcome: "accepted" });
    await watching.sees("ben\r\n");
  });

  test("[U25] after a time what it still holds is ended, and an agent's command goes back to its session", async () => {
    const fake = newHost({
      agents: {
        mine: {
          prompts: {
            go: [
              ask("made", "terminal/create", { command: "read w", _meta: { holdfast: { tty: true } } }),
              { do: "until", path: "on" },
            ],
          },
        },
      },
      timeouts: { goneClientMs: 50 },
    });
    const terminals = fake.terminals;
    const session = await fake.open({ approvalPolicy: "approve-all" });
    const turn = session.stream("go");
    const { terminalId } = await session.agent.result("made");
    const agents = await WatchingClient.open(
      terminals,
      terminalUri(makeId("terminal", String(terminalId))),
      "ann",
    );
    agents.claim();
    const uri = await terminals.create({ clientId: ann, shell: bash });
    const [ben, taken] = [makeId("client", "ben"), await terminals.create({ clientId: ann, shell: bash })];
    terminals.clientGone(ann);
    const origin = { clientId: ben, clientSeq: 1 };
    const claim = { kind: "client", clientId: ben } as const;
    expect(terminals.submit(taken, { type: "terminal/claimed", claim }, origin)).toMatchObject({
      outcome: "accepted",
    });
    await until(() => !fake.host.hub.has(uri));
    await agents.has(({ claim: held }) => held.kind === "session" && held.turnId === turn.turnId);
    expect(fake.host.hub.state(taken, "terminal")).toMatchObject({ claim, lifecycle: { status: "running" } });
  });

  test("[U25] one that vanished while its terminal was being started is noticed too", async () => {
    const fake = newHost();
    const terminals = fake.terminals;
    const creating = terminals.create({ clientId: ann, shell: bash });
    terminals.clientGone(ann);
    expect(fake.host.hub.state(await creating, "terminal")?.claim).toMatchObject({
      goneSince: expect.any(String) as string,
    });
  });
});

describe("[U26] a terminal that is over", () => {
  const reads = (client: ClientId) => ({ clientId: client, clientSeq: 1 });

  test("[U26] is watched after a restart, with its commands, and leaves memory when nobody looks", async () => {
    const storage = new MemoryStorage();
    const spool = new MemorySpool();
    const { watching, uri, fake } = await openShell({}, { storage, spool });
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    await runLine(watching, "echo one");
    await runLine(watching, "(exit 4)");
    watching.type("sleep 60\r");
    await until(() => commandsOf(watching).length === 3);
    await fake.host.close();
    watching.read();
    const seen = watching.content;

    const { host, terminals } = newHost({ storage, spool });
    expect(terminals.subscribe(uri)).toBeUndefined();
    const late = await WatchingClient.open(terminals, uri, "ben");
    const other = await WatchingClient.open(terminals, uri, "carl");
    expect(late.content).toEqual(seen);
    expect(commandsOf(late)).toMatchObject([
      { commandLine: "echo one", text: "one\r\n", end: { exitCode: 0 } },
      { commandLine: "(exit 4)", end: { exitCode: 4 } },
      { commandLine: "sleep 60", end: {} },
    ]);
    expect(late.state.lifecycle.status).toBe("exited");
    expect(host.hub.list("root")[0]?.state.terminals).toEqual([]);
    expect(host.terminals.list(ME)).toEqual([]);
    for (const action of [
      { type: "terminal/input", data: "x" },
      { type: "terminal/titleChanged", title: "x", source: "person" },
      { type: "terminal/cleared", offset: 0 },
    ] as const) {
      expect(terminals.submit(uri, action, reads(late.clientId))).toMatchObject({ outcome: "rejected" });
    }
    late.close();
    expect(late.reconnect()).toBe(true);
    late.close();
    expect(host.hub.has(uri)).toBe(true);
    other.close();
    expect(host.hub.has(uri)).toBe(false);
    expect(await terminals.load("ahp-terminal:/none")).toBe(false);
  });

  test("[U26] what was cleared stays so", async () => {
    const spool = new MemorySpool();
    const { watching, uri, terminals } = await openShell({}, { spool });
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    await runLine(watching, "echo be''fore");
    watching.submit({ type: "terminal/cleared", offset: 0 });
    await watching.next();
    await runLine(watching, "echo af''ter");
    watching.type("exit\r");
    await watching.has(({ lifecycle }) => lifecycle.status === "exited");
    const seen = watching.content;
    await terminals.dispose(uri);
    const late = await WatchingClient.open(terminals, uri, "ben");
    expect(late.content).toEqual(seen);
    expect(late.text).toContain("after\r\n");
    expect(late.text).not.toContain("before\r\n");
  });
});

test("[U4] a viewer that lost its connection reads on where it was", async () => {
  const { watching, terminals, uri } = await openShell({
    shell: { command: "/bin/sh", args: ["-c", "cat"] },
  });
  watching.type("one\r");
  await watching.sees("one\r\none\r\n");
  watching.close();
  watching.type("two\r");
  const other = await WatchingClient.open(terminals, uri, "ben");
  await other.sees("two\r\ntwo\r\n");
  expect(watching.reconnect()).toBe(true);
  await until(() => watching.text === other.text);
});

test("[U6] a viewer that fell off the log subscribes again: what is kept, and from there on every byte", async () => {
  const { watching, terminals, uri } = await openShell({
    shell: { command: "/bin/sh", args: ["-c", "read w; seq 1 400000; read w; echo done"] },
  });
  const slow = terminals.subscribe(uri) ?? expect.fail();
  watching.type("\r");
  await until(() => {
    watching.read();
    return watching.text.endsWith("400000\r\n");
  });
  expect(slow.cursor.read()).toMatchObject({ kind: "gap" });
  slow.cursor.close();
  const rejoined = await WatchingClient.open(terminals, uri, "ben");
  expect(rejoined.state.output.skippedBytes).toBeGreaterThan(0);
  expect(rejoined.state.output.endOffset).toBe(watching.state.output.endOffset);
  expect(watching.text.endsWith(rejoined.text)).toBe(true);
  watching.type("\r");
  await rejoined.sees("done\r\n");
  expect(watching.text.endsWith(rejoined.text)).toBe(true);
});
