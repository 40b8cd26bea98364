// Commands that an agent runs itself, as terminals that are only shown.
import { type Action, type TerminalState, makeId, terminalUri } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { MemorySpool } from "../testing/memory-spool.ts";
import { MortalStorage } from "../testing/mortal-storage.ts";
import { ask, say, type Script, type Step, update } from "../testing/script.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";

guardLeaks();
const newHost = useFakeHosts();

const shows = (terminalId: string) => ({ content: [{ type: "terminal", terminalId }] });
const info = (terminal_id: string, cwd?: string) => ({ terminal_info: { terminal_id, cwd } });
const output = (terminal_id: string, data: string) => ({ terminal_output: { terminal_id, data } });
const exit = (terminal_id: string, exit_code: number | null, signal: string | null = null) => ({
  terminal_exit: { terminal_id, exit_code, signal },
});
const call = (toolCallId: string, meta: object, more: object = {}): Step =>
  update("tool_call", { toolCallId, title: "make all", kind: "execute", ...more, _meta: meta });
const more = (toolCallId: string, meta: object, fields: object = {}): Step =>
  update("tool_call_update", { toolCallId, ...fields, _meta: meta });
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function play(steps: readonly Step[], prompts: Script["prompts"] = {}) {
  const host = newHost({ agents: { mine: { prompts: { go: steps, ...prompts } } } });
  const session = await host.open();
  await session.turn("go");
  return { host, session };
}

/** The terminals that there are, as they say they are, with what they show. */
async function shown({ host }: FakeHost): Promise<(TerminalState & { text: string })[]> {
  const listed = host.terminals.list(ME);
  return Promise.all(
    listed.map(async ({ id }) => {
      const state = host.hub.state(terminalUri(makeId("terminal", id)), "terminal");
      if (state === undefined) throw new Error(`There is no terminal ${id}`);
      return { ...state, text: (await host.terminals.read(id, undefined, ME)).text };
    }),
  );
}

function hasExited({ host }: FakeHost, index: number): boolean {
  return host.terminals.list(ME)[index]?.lifecycle.status === "exited";
}

/** The terminal that a tool call shows. */
function terminalOf(session: FakeSession, index = 0): string {
  const [content] = session.toolCalls[index]?.content ?? [];
  if (content?.type !== "terminal") throw new Error(`It shows ${JSON.stringify(content)}`);
  return content.resource;
}

const exited = (kind: object) => ({ status: "exited", exit: kind });
const nobodySaid = exited({ kind: "unknown", reason: "The agent ran it and did not say how it ended" });

test("[N53] a command that is announced, written and ended is a terminal that its tool call shows", async () => {
  const { host, session } = await play([
    call("c", info("c", "/work/here"), shows("c")),
    more("c", output("c", "one\n")),
    more("c", output("c", "two\n")),
    more("c", exit("c", 3), { status: "failed" }),
  ]);
  const [terminal, ...others] = await shown(host);
  expect(others).toEqual([]);
  expect(terminal).toMatchObject({
    resource: terminalOf(session),
    run: "display",
    title: "make all",
    cwd: "file:///work/here",
    claim: { kind: "session", session: session.state.resource },
    lifecycle: exited({ kind: "code", exitCode: 3 }),
    text: "one\ntwo\n",
  });
  expect(session.toolCalls[0]?.content).toMatchObject([{ title: "make all", isPty: false }]);
});

test("[N53] output, exit and reference come in any order, under both names and in both kinds of update", async () => {
  const { host, session } = await play([
    more("a", output("a", "first\n")),
    call("a", { terminal_output_delta: { terminal_id: "a", data: "second\n" } }, shows("a")),
    call("b", exit("b", null, "SIGKILL")),
    more("b", output("b", "late\n"), shows("b")),
    // Half a character in each.
    more("c", output("c", "\u{1F600}".slice(0, 1)), shows("c")),
    more("c", { ...exit("c", 0), ...output("c", "\u{1F600}".slice(1)) }),
  ]);
  expect(await shown(host)).toMatchObject([
    { title: "make all", text: "first\nsecond\n", resource: terminalOf(session, 0) },
    { text: "late\n", lifecycle: exited({ kind: "signal", signal: "SIGKILL" }) },
    { text: "\u{1F600}", lifecycle: exited({ kind: "code", exitCode: 0 }) },
  ]);
  expect(terminalOf(session, 1)).toBe((await shown(host))[1]?.resource);
});

test("[N53] a viewer sees it live, and its end after the last of its output", async () => {
  const steps = [
    call("c", info("c"), shows("c")),
    { do: "until", path: "watched" } as const,
    more("c", { ...exit("c", 0), ...output("c", "live\n") }, { status: "completed" }),
    { do: "until", path: "seen" } as const,
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const { uri } = await until(() => host.host.hub.list("terminal")[0]);
  const viewer = await WatchingClient.open(host.terminals, uri, "viewer");
  host.pass("watched");
  await viewer.has(({ lifecycle }) => lifecycle.status === "exited");
  expect(viewer.actions.map(({ type }: Action) => type)).toEqual([
    "terminal/data",
    "terminal/claimed",
    "terminal/exited",
  ]);
  expect(viewer.text).toBe("live\n");
  host.pass("seen");
  await turn.ended;
  viewer.close();
});

test("[N53] the updates of ACP v2 are shown in the same way; a snapshot replaces what was there", async () => {
  const chunk = (text: string): Step =>
    update("terminal_output_chunk", { terminalId: "v", data: base64(text) });
  const snapshot = (text: string): Step =>
    update("terminal_update", { terminalId: "v", output: { data: base64(text) } });
  const steps = [
    update("terminal_update", { terminalId: "v", command: "make", cwd: "/work" }),
    update("tool_call_update", { toolCallId: "c", title: "C", ...shows("v") }),
    chunk("one\n"),
    snapshot("one\ntwo\n"),
    { do: "until", path: "grown" } as const,
    snapshot("another\n"),
    chunk("more\n"),
    update("terminal_update", { terminalId: "v", exitStatus: { exitCode: 4 } }),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  await until(() => (host.host.terminals.list(ME)[0]?.output.endOffset ?? 0) > 4);
  // Output that only continues is not written again.
  expect(host.host.terminals.list(ME)[0]?.output.endOffset).toBe(8);
  expect((await shown(host))[0]?.text).toBe("one\ntwo\n");
  host.pass("grown");
  await turn.ended;
  expect(await shown(host)).toMatchObject([
    {
      resource: terminalOf(session),
      cwd: "file:///work",
      text: "another\nmore\n",
      lifecycle: exited({ kind: "code", exitCode: 4 }),
    },
  ]);
  const viewer = await WatchingClient.open(host.terminals, terminalOf(session), "late");
  expect(viewer.text).toBe("another\nmore\n");
  viewer.close();
});

test("[N54] a command without an exit ends with its turn, and takes what still comes until then", async () => {
  const steps = [
    call("a", info("a"), shows("a")),
    call("b", info("b"), shows("b")),
    more("a", {}, { status: "completed" }),
    { do: "until", path: "looked" } as const,
    more("a", output("a", "late\n")),
    more("a", exit("a", 5)),
  ];
  const host = newHost({
    agents: { mine: { prompts: { go: steps, again: [more("a", output("a", "x"))] } } },
  });
  const session = await host.open();
  const turn = session.stream("go");
  await until(() => session.toolCalls[0]?.status === "completed");
  const running = { lifecycle: { status: "running" } };
  expect(await shown(host)).toMatchObject([running, running]);
  host.pass("looked");
  await turn.ended;
  await until(() => hasExited(host, 1));
  await session.turn("again");
  const exitedWith = exited({ kind: "code", exitCode: 5 });
  expect(await shown(host)).toMatchObject([
    { text: "late\n", lifecycle: exitedWith },
    { lifecycle: nobodySaid },
  ]);
});

test("[N54] an agent that dies, and a session that closes, leave no command that seems to run", async () => {
  const { host, session } = await play([call("a", info("a"), shows("a")), { do: "exit", code: 1 }]);
  await until(() => hasExited(host, 0));
  await session.close();
  expect(host.host.hub.list("terminal")).toEqual([]);
});

test("[N53] a name that a later turn announces again is another terminal", async () => {
  const run = (text: string): Step[] => [
    call("1", { ...info("1"), ...output("1", text) }, shows("1")),
    more("1", exit("1", 0), { status: "completed" }),
  ];
  const { host, session } = await play(run("old"), { again: run("new") });
  const before = terminalOf(session);
  await session.turn("again");
  expect(terminalOf(session)).not.toBe(before);
  expect(await shown(host)).toMatchObject([{ resource: before, text: "old" }, { text: "new" }]);
});

test("[N55] names of the agent's own reach no terminal of the host, and its requests do not reach them", async () => {
  const { host, session } = await play([
    ask("made", "terminal/create", { command: "echo mine" }),
    ask("wait", "terminal/wait_for_exit", { terminalId: "$made.terminalId" }),
    more("c", { terminal_output: { terminal_id: "$made.terminalId", data: "forged\n" } }),
    more("c", { terminal_exit: { terminal_id: "$made.terminalId", exit_code: 9 } }),
    call("own", { ...info("own"), ...output("own", "shown\n") }),
    ask("output", "terminal/output", { terminalId: "own" }),
    ask("kill", "terminal/kill", { terminalId: "own" }),
    ask("again", "terminal/output", { terminalId: "$made.terminalId" }),
  ]);
  for (const name of ["output", "kill"]) {
    expect((await session.agent.answer(name)).error).toMatchObject({ code: -32002 });
  }
  expect(await session.agent.result("again")).toMatchObject({
    output: "mine\n",
    exitStatus: { exitCode: 0 },
  });
  expect((await shown(host)).map(({ run, text }) => [run, text])).toEqual([
    ["text", "mine\n"],
    ["display", "shown\n"],
  ]);
});

test("[N55] nobody types into it, sizes, claims, clears or ends it, and a client that tries gets the reason", async () => {
  const steps = [call("c", info("c"), shows("c")), { do: "until", path: "tried" } as const];
  const fake = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const { host } = fake;
  const session = await fake.open();
  const turn = session.stream("go");
  const [terminal] = await until(() => host.terminals.list(ME).length === 1 && host.terminals.list(ME));
  const { id } = terminal ?? expect.fail();
  const refused = { code: "TERMINAL_NOT_INTERACTIVE", message: expect.stringMatching(/only shown/) };
  await expect(host.terminals.write(id, Buffer.from("x"), ME)).rejects.toMatchObject(refused);
  await expect(host.terminals.resize(id, { cols: 9, rows: 9 }, ME)).rejects.toMatchObject(refused);
  await expect(host.terminals.kill(id, ME)).rejects.toMatchObject(refused);
  const uri = terminalUri(makeId("terminal", id));
  await expect(fake.terminals.dispose(uri)).rejects.toMatchObject(refused);
  const viewer = await WatchingClient.open(fake.terminals, uri, "viewer");
  const rejected = { outcome: "rejected", reason: expect.stringMatching(/only shown/) };
  expect(viewer.type("x")).toMatchObject(rejected);
  expect(viewer.submit({ type: "terminal/resized", cols: 9, rows: 9 })).toMatchObject(rejected);
  expect(viewer.submit({ type: "terminal/cleared", offset: 0 })).toMatchObject(rejected);
  expect(viewer.claim()).toMatchObject(rejected);
  const { claim } = viewer.state;
  if (claim.kind !== "session") throw new Error("A session holds it");
  const { kind, session: holder, chat } = claim;
  expect(viewer.claim({ kind, session: holder, chat })).toMatchObject(rejected);
  expect(viewer.state.lifecycle).toEqual({ status: "running" });
  fake.pass("tried");
  await turn.ended;
  await viewer.has(({ lifecycle }) => lifecycle.status === "exited");
  viewer.close();
  await fake.terminals.dispose(uri);
  expect(host.terminals.list(ME)).toEqual([]);
});

test("[N56] a flood is bounded, soon through, and only its end is in the chat", async () => {
  const piece = `${"x".repeat(5118)}\n`;
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            call("c", info("c"), shows("c")),
            { do: "repeat", times: 4000, steps: [more("c", output("c", piece))] },
            more("c", exit("c", 0), { status: "completed" }),
            say("done"),
          ],
        },
      },
    },
  });
  const session = await host.open();
  const startedAtMs = performance.now();
  const turn = await session.turn("go");
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  expect(host.host.terminals.list(ME)).toMatchObject([{ output: { endOffset: 4000 * 5119 } }]);
  const [terminal] = host.host.terminals.list(ME);
  expect(terminal?.output.skippedBytes).toBeGreaterThan(4000 * 5119 - 3 * 1024 * 1024);
  expect(JSON.stringify(session.chatState).length).toBeLessThan(32 * 1024);
  expect(turn.actions.filter(({ type }) => type.startsWith("chat/toolCall"))).toHaveLength(4);
});

test("[N56] it is read after the host was killed and after its session is closed, and snapshots hold there too", async () => {
  const storage = new MortalStorage();
  const spool = new MemorySpool();
  const steps = [
    call("c", { ...info("c"), ...output("c", "before\n") }, shows("c")),
    update("terminal_update", { terminalId: "c", output: { data: base64("after\n") } }),
    more("c", output("c", "last\n")),
    { do: "until", path: "killed" } as const,
  ];
  const agents = { mine: { prompts: { go: steps } } };
  const first = newHost({ agents, storage: storage.forHost, spool });
  const session = await first.open();
  void session.stream("go");
  await until(() => first.host.terminals.list(ME)[0]?.output.endOffset === 18);
  const [running] = await shown(first);
  await first.host.hub.settled();
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept, spool });
  await second.host.hub.settled();
  const id = running?.resource.split("/").at(-1) ?? "";
  expect(await second.host.terminals.read(id, undefined, ME)).toMatchObject({
    text: "after\nlast\n",
    truncated: false,
    lifecycle: { status: "exited", exit: { kind: "unknown" } },
  });
  const viewer = await WatchingClient.open(second.terminals, running?.resource ?? "", "later");
  expect(viewer.state.run).toBe("display");
  expect(viewer.text).toBe("after\nlast\n");
  viewer.close();
  await second.host.closeSession(session.key, undefined, ME);
  expect(await second.host.terminals.read(id, undefined, ME)).toMatchObject({ text: "after\nlast\n" });
});

test("[N306] a title that its tool call gets later is the terminal's, also for the next host", async () => {
  const storage = new MortalStorage();
  const spool = new MemorySpool();
  const steps = [
    call("c", info("c"), { title: "Terminal", ...shows("c") }),
    more("c", {}, { title: "make all" }),
    more("c", exit("c", 0), { status: "completed" }),
  ];
  const agents = { mine: { prompts: { go: steps } } };
  const first = newHost({ agents, storage: storage.forHost, spool });
  const session = await first.open();
  await session.turn("go");
  expect(first.host.terminals.list(ME)).toMatchObject([{ title: "make all" }]);
  await first.host.hub.settled();
  storage.die();
  await first.host.close();
  const second = newHost({ agents, storage: storage.kept, spool });
  await second.host.hub.settled();
  expect(second.host.terminals.list(ME, session.key)).toMatchObject([{ title: "make all" }]);
});

test.each([
  ["a string", "made\n", "made\n"],
  ["Codex's own members", { aggregated_output: "both\n", stdout: "out\n", exit_code: 0 }, "both\n"],
  ["stdout and stderr", { stdout: "out\n", stderr: "err\n" }, "out\nerr\n"],
  ["no output", { exit_code: 0 }, ""],
])(
  "[N307] a terminal of which only the exit is reported shows the tool call's output: %s",
  async (_title, rawOutput, text) => {
    const { host, session } = await play([
      call("c", info("c"), shows("c")),
      more("c", exit("c", 0), { status: "completed", rawOutput }),
      call("d", { ...info("d"), ...output("d", "streamed\n") }, shows("d")),
      more("d", exit("d", 0), { status: "completed", rawOutput }),
    ]);
    expect(await shown(host)).toMatchObject([{ text }, { text: "streamed\n" }]);
    expect(session.toolCalls[0]?.content).toMatchObject([{ result: { preview: text } }]);
  },
);

test("[N56] only the newest stay in memory", async () => {
  const many = Array.from({ length: 70 }, (_, index) =>
    call(`c${index}`, output(`c${index}`, "x"), { title: `make ${index}`, ...shows(`c${index}`) }),
  );
  const { host } = await play(many);
  await until(() => host.host.terminals.list(ME).length <= 64);
  const all = await shown(host);
  expect(all.map(({ title }) => title)).toEqual(
    Array.from({ length: 64 }, (_, index) => `make ${index + 6}`),
  );
});
