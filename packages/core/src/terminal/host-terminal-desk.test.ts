// People's terminals: a shell that tells of its commands, shared, kept for a client that vanished, shown when it is over.
import { realpathSync } from "node:fs";
import { type ClientId, type TerminalUri, makeId, terminalUri } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { until } from "../testing/agent-record.ts";
import { findByArgument, guardLeaks, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import { MemorySpool } from "../testing/memory-spool.ts";
import { ask, askOn, say } from "../testing/script.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";
import type { NewPersonTerminal } from "./terminal-desk.ts";

guardLeaks();
const newHost = useFakeHosts();
const ann = makeId("client", "ann");
const bash = { command: "/bin/bash" };
const home = realpathSync("/tmp");

interface Opened {
  readonly fake: FakeHost;
  readonly uri: TerminalUri;
  readonly watching: WatchingClient;
  readonly desk: FakeHost["host"]["terminals"];
}

async function openShell(
  request: Partial<NewPersonTerminal> = {},
  options: Parameters<typeof newHost>[0] = {},
): Promise<Opened> {
  const fake = newHost(options);
  const desk = fake.host.terminals;
  const uri = await desk.create({ clientId: ann, shell: bash, cwd: home, ...request });
  return { fake, uri, desk, watching: await WatchingClient.open(desk, uri, "ann") };
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
  test("[U22] is their shell, held by its client, on the list, telling commands, codes and directory", async () => {
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
    expect(fake.host.listTerminals(ME)).toMatchObject([{ session_key: null, title: "Mine" }]);
  });

  test("[U22] who joins late sees what the first sees, and both the same from then on", async () => {
    const { watching, desk, uri } = await openShell();
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    await runLine(watching, "echo héllo");
    const late = await WatchingClient.open(desk, uri, "ben");
    expect(late.content).toEqual(watching.content);
    await runLine(watching, "seq 1 20000");
    await until(() => late.text === watching.text && late.text.includes("20000\r\n"));
    await until(() => JSON.stringify(late.content) === JSON.stringify(watching.content));
    expect(late.type("x")).toMatchObject({ outcome: "rejected" });
    expect(late.submit({ type: "terminal/cleared", offset: 0 })).toMatchObject({ outcome: "rejected" });
  });

  test("[U22] a program's title is told until a person has chosen one", async () => {
    const { watching } = await openShell();
    expect(watching.state.titleSource).toBe("program");
    watching.type(String.raw`printf '\033]2;from a program\007'` + "\r");
    await watching.has(({ title }) => title === "from a program");
    watching.submit({ type: "terminal/titleChanged", title: "Chosen", source: "person" });
    watching.type(String.raw`printf '\033]2;again\007'; echo do''ne` + "\r");
    await watching.sees("done");
    expect(watching.state.title).toBe("Chosen");
  });

  test("[U22] a command that is open when the shell ends is closed, and the exit is told after all output", async () => {
    const { watching, fake } = await openShell();
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    watching.type("echo last; exec false\r");
    await watching.has(({ lifecycle }) => lifecycle.status === "exited");
    expect(watching.state).toMatchObject({ lifecycle: { exit: { kind: "code", exitCode: 1 } } });
    expect(commandsOf(watching)).toMatchObject([{ text: "last\r\n", end: {} }]);
    expect(commandsOf(watching)[0]?.end).not.toHaveProperty("exitCode");
    expect(watching.told.slice(-2)).toEqual(["terminal/commandFinished", "terminal/exited"]);
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
    const { desk, uri, fake } = await openShell({ uri: makeId("terminal URI", "editor-terminal:/1") });
    expect(uri).toBe("editor-terminal:/1");
    const create = (request: Partial<NewPersonTerminal>) =>
      desk.create({ clientId: ann, shell: bash, ...request });
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
    expect(fake.host.listTerminals(ME)).toMatchObject([{ id: uri }]);
    expect(await fake.host.readTerminal(uri, undefined, ME)).toMatchObject({
      lifecycle: { status: "running" },
    });
  });

  test("[U23] one that is claimed for a session ends with it", async () => {
    const seconds = uniqueSeconds();
    const fake = newHost();
    const session = await fake.open();
    const { resource, defaultChat = expect.fail() } = session.state;
    const uri = await fake.host.terminals.create({
      clientId: ann,
      shell: { command: "/bin/sh", args: ["-c", `sleep ${seconds}`] },
      claim: { kind: "session", session: resource, chat: defaultChat },
    });
    const watching = await WatchingClient.open(fake.host.terminals, uri, "ann");
    expect(watching.type("x")).toMatchObject({ outcome: "rejected" });
    expect(watching.claim()).toMatchObject({ outcome: "accepted" });
    watching.claim({ kind: "session", session: resource, chat: defaultChat });
    await session.close();
    expect(await untilGone(seconds)).toEqual([]);
  });
});

test("[U24] disposing ends a terminal and takes it off the list, whoever holds it; its history stays", async () => {
  const seconds = uniqueSeconds();
  const { desk, uri, watching, fake } = await openShell({}, { spool: new MemorySpool() });
  watching.type(`echo kept; sleep ${seconds}\r`);
  await watching.sees("kept\r\n");
  await until(() => findByArgument(`sleep ${seconds}`).length > 0);
  await desk.dispose(uri);
  expect(await untilGone(seconds)).toEqual([]);
  await until(() => fake.host.hub.list("root")[0]?.state.terminals.length === 0);
  const after = await WatchingClient.open(desk, uri, "ben");
  expect(after.text).toContain("kept\r\n");
  await desk.dispose(uri);
  await expect(desk.dispose("ahp-terminal:/none")).rejects.toMatchObject({ code: "TERMINAL_NOT_FOUND" });
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
  await fake.host.terminals.dispose(terminalUri(makeId("terminal", String(terminalId))));
  await turn.ended;
  expect(await session.agent.result("wait")).toEqual({ exitCode: null, signal: "SIGTERM" });
  expect((await session.agent.answer("output")).error?.code).toBe(-32002);
});

describe("[U25] a client that vanished", () => {
  test("[U25] its terminals say so, are listed, anyone's to claim, and its own again when it is back", async () => {
    const { desk, uri, watching, fake } = await openShell();
    const ben = await WatchingClient.open(desk, uri, "ben");
    expect(ben.claim()).toMatchObject({ outcome: "rejected" });
    desk.clientGone(ann);
    expect((await ben.next()).claim).toMatchObject({
      clientId: "ann",
      goneSince: expect.any(String) as string,
    });
    await until(() => JSON.stringify(fake.host.hub.list("root")[0]?.state.terminals).includes("goneSince"));
    expect(ben.type("x")).toMatchObject({ outcome: "rejected" });
    desk.clientBack(ann);
    expect((await ben.next()).claim).toEqual({ kind: "client", clientId: "ann" });
    desk.clientGone(ann);
    expect(ben.claim()).toMatchObject({ outcome: "accepted" });
    desk.clientBack(ann);
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
      patience: { goneClientMs: 50 },
    });
    const desk = fake.host.terminals;
    const session = await fake.open({ approvalPolicy: "approve-all" });
    const turn = session.stream("go");
    const { terminalId } = await session.agent.result("made");
    const agents = await WatchingClient.open(
      desk,
      terminalUri(makeId("terminal", String(terminalId))),
      "ann",
    );
    agents.claim();
    const uri = await desk.create({ clientId: ann, shell: bash });
    const [ben, taken] = [makeId("client", "ben"), await desk.create({ clientId: ann, shell: bash })];
    desk.clientGone(ann);
    const origin = { clientId: ben, clientSeq: 1 };
    const claim = { kind: "client", clientId: ben } as const;
    expect(desk.submit(taken, { type: "terminal/claimed", claim }, origin)).toMatchObject({
      outcome: "accepted",
    });
    await until(() => !fake.host.hub.has(uri));
    await agents.has(({ claim: held }) => held.kind === "session" && held.turnId === turn.turnId);
    expect(fake.host.hub.state(taken, "terminal")).toMatchObject({ claim, lifecycle: { status: "running" } });
  });

  test("[U25] one that vanished while its terminal was being started is noticed too", async () => {
    const fake = newHost();
    const desk = fake.host.terminals;
    const creating = desk.create({ clientId: ann, shell: bash });
    desk.clientGone(ann);
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

    const { host } = newHost({ storage, spool });
    const desk = host.terminals;
    expect(desk.subscribe(uri)).toBeUndefined();
    const late = await WatchingClient.open(desk, uri, "ben");
    const other = await WatchingClient.open(desk, uri, "carl");
    expect(late.content).toEqual(seen);
    expect(commandsOf(late)).toMatchObject([
      { commandLine: "echo one", text: "one\r\n", end: { exitCode: 0 } },
      { commandLine: "(exit 4)", end: { exitCode: 4 } },
      { commandLine: "sleep 60", end: {} },
    ]);
    expect(late.state.lifecycle.status).toBe("exited");
    expect(host.hub.list("root")[0]?.state.terminals).toEqual([]);
    expect(host.listTerminals(ME)).toEqual([]);
    for (const action of [
      { type: "terminal/input", data: "x" },
      { type: "terminal/titleChanged", title: "x", source: "person" },
      { type: "terminal/cleared", offset: 0 },
    ] as const) {
      expect(desk.submit(uri, action, reads(late.clientId))).toMatchObject({ outcome: "rejected" });
    }
    late.close();
    expect(late.reconnect()).toBe(true);
    late.close();
    expect(host.hub.has(uri)).toBe(true);
    other.close();
    expect(host.hub.has(uri)).toBe(false);
    expect(await desk.load("ahp-terminal:/none")).toBe(false);
  });

  test("[U26] what was cleared stays so", async () => {
    const spool = new MemorySpool();
    const { watching, uri, desk } = await openShell({}, { spool });
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    await runLine(watching, "echo be''fore");
    watching.submit({ type: "terminal/cleared", offset: 0 });
    await watching.next();
    await runLine(watching, "echo af''ter");
    watching.type("exit\r");
    await watching.has(({ lifecycle }) => lifecycle.status === "exited");
    const seen = watching.content;
    await desk.dispose(uri);
    const late = await WatchingClient.open(desk, uri, "ben");
    expect(late.content).toEqual(seen);
    expect(late.text).toContain("after\r\n");
    expect(late.text).not.toContain("before\r\n");
  });
});

test("[U4] a viewer that lost its connection reads on where it was", async () => {
  const { watching, desk, uri } = await openShell({ shell: { command: "/bin/sh", args: ["-c", "cat"] } });
  watching.type("one\r");
  await watching.sees("one\r\none\r\n");
  watching.close();
  watching.type("two\r");
  const other = await WatchingClient.open(desk, uri, "ben");
  await other.sees("two\r\ntwo\r\n");
  expect(watching.reconnect()).toBe(true);
  await until(() => watching.text === other.text);
});

test("[U6] a viewer that fell off the log subscribes anew: what is kept, and from there on every byte", async () => {
  const { watching, desk, uri } = await openShell({
    shell: { command: "/bin/sh", args: ["-c", "read w; seq 1 400000; read w; echo done"] },
  });
  const slow = desk.subscribe(uri) ?? expect.fail();
  watching.type("\r");
  await until(() => {
    watching.read();
    return watching.text.endsWith("400000\r\n");
  });
  expect(slow.cursor.read()).toMatchObject({ kind: "gap" });
  slow.cursor.close();
  const anew = await WatchingClient.open(desk, uri, "ben");
  expect(anew.state.output.skippedBytes).toBeGreaterThan(0);
  expect(anew.state.output.endOffset).toBe(watching.state.output.endOffset);
  expect(watching.text.endsWith(anew.text)).toBe(true);
  watching.type("\r");
  await anew.sees("done\r\n");
  expect(watching.text.endsWith(anew.text)).toBe(true);
});
