// Commands of an agent in the terminals of an editor that lends them.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, say, type Step, update } from "../../packages/core/src/testing/script.ts";
import { useServedHosts, type ServedHost } from "../ahp/served-host.ts";
import { startRealHost } from "../host/real-host.ts";
import { RawEditor } from "./raw-editor.ts";
import { overWebSocket, type SdkEditor } from "./sdk-editor.ts";

const serve = useServedHosts();
const place = { terminalId: "$term.terminalId" };
const isolation = "not isolated, in the editor sdk-editor";

/** A call whose command runs where the host decides. */
function command(line: string, ...then: Step[]): Step[] {
  return call("t1", line, ...then);
}

function call(toolCallId: string, line: string, ...then: Step[]): Step[] {
  return [
    update("tool_call", { toolCallId, title: "Run it", kind: "execute", status: "in_progress" }),
    ask("term", "terminal/create", {
      command: "sh",
      args: ["-c", line],
      env: [{ name: "WORD", value: "hello" }],
    }),
    update("tool_call_update", { toolCallId, content: [{ type: "terminal", ...place }] }),
    ...then,
    ask("exit", "terminal/wait_for_exit", place),
    ask("output", "terminal/output", place),
    ask("release", "terminal/release", place),
    update("tool_call_update", { toolCallId, status: "completed" }),
    say("ran"),
  ];
}

async function open(
  script: object,
  capabilities: object = { terminal: true },
): Promise<{ host: ServedHost; editor: SdkEditor; sessionId: string; other: SdkEditor; warnings: unknown }> {
  const host = await serve({ script });
  const address = { url: host.server.url, token: host.token };
  const editor = overWebSocket(address, "?agent=mine&clientTerminal=true");
  const { _meta: meta } = await editor.initialize(false, undefined, capabilities);
  const { sessionId } = await editor.newSession(host.work);
  const other = overWebSocket(address);
  await other.initialize();
  await other.agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
  const { warnings } = (meta?.["holdfast"] ?? {}) as { warnings?: unknown };
  return { host, editor, sessionId, other, warnings };
}

/** An editor that lends its terminals, and answers nothing. */
async function openLending(host: ServedHost): Promise<RawEditor> {
  const address = `${host.server.url}/acp?agent=mine&clientTerminal=true`;
  const editor = await RawEditor.open(address, { "x-api-key": host.token });
  await editor.initialize({ terminal: true });
  return editor;
}

/** How many sessions each client follows. */
async function following(host: ServedHost): Promise<number[]> {
  const response = await host.fetch("/admin/clients");
  const { clients } = (await response.json()) as { clients: { channelCount: number }[] };
  return clients.map(({ channelCount }) => channelCount);
}

function commandsOf(host: ServedHost): object[] {
  return host.host.audit.recent.filter(({ what }) => what.startsWith("command"));
}

/** The agent's answer to a request. */
function answerTo(host: ServedHost, name: string): unknown {
  return answerIn(host.agentRecord(), name);
}

function answerIn(record: string, name: string): unknown {
  const lines = record.trim().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { answered?: string });
  return entries.find(({ answered }) => answered === name);
}

describe("commands in an editor's terminals", () => {
  it("[B37] run there after a question that says so, and every client sees their output", async () => {
    const line = "echo $WORD; until test -e go; do sleep 0.02; done; echo more; exit 3";
    const { host, editor, other, sessionId, warnings } = await open({ prompts: { run: command(line) } });
    const turn = editor.prompt(sessionId, "run");
    const { request, approve } = await editor.permission();
    expect(request._meta?.["holdfast"]).toMatchObject({ subject: { kind: "command", isolation } });
    expect(request.toolCall.title).toBe(`${line} (${isolation})`);
    expect(editor.terminals.created).toEqual([]);
    approve();
    await expect.poll(() => other.terminalText).toBe("hello\n");
    const terminals = host.host.terminals.list({ kind: "owner" });
    expect(terminals).toMatchObject([{ title: `${line} (${isolation})` }]);
    writeFileSync(path.join(host.work, "go"), "");
    await turn;
    expect(warnings).toBeUndefined();
    expect(editor.terminals.created).toMatchObject([{ sessionId, command: "sh", cwd: host.work }]);
    expect(other.terminalText).toBe("hello\nmore\n");
    expect(answerTo(host, "exit")).toMatchObject({ result: { exitCode: 3, signal: null } });
    expect(answerTo(host, "output")).toMatchObject({ result: { output: "hello\nmore\n" } });
    // The editor shows its own terminal, and nothing twice.
    expect(editor.terminalText).toBe("");
    const shown = editor.updates.flatMap(({ update: each }) => ("content" in each ? [each.content] : []));
    expect(shown).toContainEqual([{ type: "terminal", terminalId: "own-1" }]);
    await expect.poll(() => editor.terminals.released).toEqual(["own-1"]);
    expect(commandsOf(host)).toMatchObject([
      { what: "command", decision: "allowed", isolation },
      { what: "command-exit", isolation, exitCode: 3 },
    ]);
  });

  it("[B37] that are lines of a shell run in the host's shell", async () => {
    const steps = [
      ask("term", "terminal/create", { command: "echo one && echo two" }),
      ask("exit", "terminal/wait_for_exit", place),
      ask("output", "terminal/output", place),
    ];
    const { host, editor, sessionId } = await open({ prompts: { run: steps } });
    const turn = editor.prompt(sessionId, "run");
    (await editor.permission()).approve();
    await turn;
    expect(editor.terminals.created[0]?.args?.at(-1)).toBe("echo one && echo two");
    expect(answerTo(host, "output")).toMatchObject({ result: { output: "one\ntwo\n" } });
  });

  it("[B37] are ended by the agent", async () => {
    const { host, editor, sessionId } = await open({
      prompts: { run: command("sleep 60", ask("kill", "terminal/kill", place)) },
    });
    const turn = editor.prompt(sessionId, "run");
    (await editor.permission()).approve();
    await turn;
    expect(answerTo(host, "kill")).toMatchObject({ result: {} });
    expect(answerTo(host, "exit")).toMatchObject({ result: { exitCode: null, signal: "SIGTERM" } });
  });

  it("[B38] fail with a code when the editor disconnects, and the next runs in the host", async () => {
    const steps = [...command("echo one; sleep 60"), ...call("t2", "echo two")];
    const { host, editor, other, sessionId } = await open({ prompts: { run: steps } });
    void editor.prompt(sessionId, "run").catch(() => undefined);
    (await editor.permission()).approve();
    await expect.poll(() => other.terminalText).toBe("one\n");
    editor.close();
    await expect.poll(() => other.text).toBe("ranran");
    expect(answerTo(host, "exit")).toMatchObject({ error: { data: { code: "editor_gone" } } });
    expect(answerTo(host, "output")).toMatchObject({
      result: { output: expect.stringContaining("Whether the command still runs is unknown") as string },
    });
    expect(other.terminalText).toContain("two\n");
    expect(commandsOf(host)).toMatchObject([
      { what: "command", isolation },
      { what: "command-exit", isolation, outcome: "unknown: nobody saw its end" },
      { what: "command", isolation: expect.not.stringContaining("editor") as string },
      { what: "command-exit", isolation: expect.not.stringContaining("editor") as string, exitCode: 0 },
    ]);
  });

  it("[B38] run in the host when the editor disconnects while it loads the session", async () => {
    const flood = [{ do: "hugeLine", sizeBytes: 8_000_000, text: "word " }];
    const host = await serve({ script: { prompts: { flood, run: command("echo one") } } });
    const other = overWebSocket({ url: host.server.url, token: host.token }, "?agent=mine");
    await other.initialize();
    const { sessionId } = await other.newSession(host.work);
    await other.prompt(sessionId, "flood");
    const editor = await openLending(host);
    // The host waits until it has read the history.
    editor.socket.pause();
    editor.send({ id: "load", method: "session/load", params: { sessionId, cwd: host.work } });
    await expect.poll(() => following(host)).toEqual([1, 1]);
    editor.socket.terminate();
    await expect.poll(() => following(host)).toEqual([1]);
    void other.prompt(sessionId, "run").catch(() => undefined);
    await expect.poll(() => answerTo(host, "output")).toMatchObject({ result: { output: "one\n" } });
    expect(other.asked).toEqual([]);
  });

  it("[B38] run in the host when the editor disconnects while its session is created", async () => {
    const newSession = [
      { do: "until", path: "go" },
      { do: "answer", result: { sessionId: "s" } },
    ];
    const host = await serve({ script: { newSession, prompts: { run: command("echo one") } } });
    const editor = await openLending(host);
    editor.send({ id: "new", method: "session/new", params: { cwd: host.work } });
    await expect.poll(() => host.host.listSessions({ kind: "owner" })).toHaveLength(1);
    editor.socket.terminate();
    await expect.poll(() => following(host)).toEqual([]);
    writeFileSync(path.join(host.work, "..", "go"), "");
    const other = overWebSocket({ url: host.server.url, token: host.token });
    await other.initialize();
    const sessionId = host.host.listSessions({ kind: "owner" })[0]?.session_key ?? "";
    void other.prompt(sessionId, "run").catch(() => undefined);
    await expect.poll(() => answerTo(host, "output")).toMatchObject({ result: { output: "one\n" } });
    expect(other.asked).toEqual([]);
  });

  it("[B37] run in the host in the session of an app", async () => {
    const host = await serve({ script: { prompts: { run: command("echo one") } } });
    const body = JSON.stringify({ name: "editor", scopes: ["acp.agent", "terminal"] });
    const made = await host.fetch("/admin/keys", { method: "POST", body });
    const { secret } = (await made.json()) as { secret: string };
    const address = { url: host.server.url, token: secret };
    const editor = overWebSocket(address, "?agent=mine&clientTerminal=true");
    await editor.initialize(true, undefined, { terminal: true });
    // Not the host's own, which keys do not reach.
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-app-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { sessionId } = await editor.newSession(folder);
    const turn = editor.prompt(sessionId, "run");
    (await editor.permission()).approve();
    await turn;
    expect(editor.terminals.created).toEqual([]);
    expect(answerTo(host, "output")).toMatchObject({ result: { output: "one\n" } });
  });

  it("[B38] run in the host where the editor has no terminals, and it says so", async () => {
    const { host, editor, sessionId, warnings } = await open({ prompts: { run: command("echo one") } }, {});
    expect(warnings).toEqual(["The editor does not offer terminal: the host runs commands itself."]);
    await editor.prompt(sessionId, "run");
    expect(editor.terminals.created).toEqual([]);
    expect(answerTo(host, "output")).toMatchObject({ result: { output: "one\n" } });
  });

  it("[B41] fail with a code in the next host when theirs was killed, and a new one runs there", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-editor-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [scriptFile, record] = [path.join(folder, "script.json"), path.join(folder, "record.ndjson")];
    const steps = [...command("sleep 60"), ...call("t2", "touch second")];
    writeFileSync(scriptFile, JSON.stringify([{ prompts: { run: steps } }]));
    const mine = {
      command: process.execPath,
      args: [fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url))],
      env: { FAKE_AGENT_SCRIPT: scriptFile, FAKE_AGENT_RECORD: record },
    };
    let host = await startRealHost({ keeper: true, config: { agents: { mine } } });
    onTestFinished(() => host.close());
    const editor = overWebSocket(host, "?agent=mine&clientTerminal=true");
    await editor.initialize(false, undefined, { terminal: true });
    const { sessionId } = await editor.newSession(host.project);
    void editor.prompt(sessionId, "run").catch(() => undefined);
    (await editor.permission()).approve();
    const answerOf = (name: string): unknown => answerIn(readFileSync(record, "utf8"), name);
    await expect.poll(() => answerOf("term")).toBeDefined();
    host = await host.restart();
    await expect.poll(() => answerOf("release")).toBeDefined();
    for (const name of ["exit", "output"]) {
      expect(answerOf(name)).toMatchObject({ error: { data: { code: "editor_gone" } } });
    }
    expect(answerOf("release")).toMatchObject({ result: {} });
    await expect.poll(() => existsSync(path.join(host.project, "second"))).toBe(true);
  });
});
