// `holdfast acp` with an editor on the official SDK, against the program itself and its built-in agent.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRealHost, type RealHost, type RealHostOptions } from "../host/real-host.ts";
import { testedProgram } from "../setup/tested-program.ts";
import { overStdio, overWebSocket, type SdkEditor } from "./sdk-editor.ts";

let sharedHost: RealHost;
let projectCount = 0;

beforeAll(async () => {
  sharedHost = await startRealHost();
});
afterAll(() => sharedHost.close());

/** The host of tests that need no keeper, with a project that no other test has. */
function shared(): RealHost {
  const project = path.join(sharedHost.project, String((projectCount += 1)));
  mkdirSync(project);
  return { ...sharedHost, project };
}

/** A host that may be restarted; the test's end closes the last one. */
async function start(options: RealHostOptions): Promise<{ host: RealHost }> {
  const started = { host: await startRealHost(options) };
  onTestFinished(() => started.host.close());
  return started;
}

async function call(host: RealHost, method: string, route: string, body?: object): Promise<unknown> {
  const response = await fetch(`${host.url}/sdk/acp${route}`, {
    method,
    headers: { "content-type": "application/json", "x-api-key": host.token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

async function decide(host: RealHost, optionId: string): Promise<unknown> {
  const { approvals } = (await call(host, "GET", "/approvals")) as { approvals: { requestId: string }[] };
  return call(host, "POST", `/approvals/${approvals[0]?.requestId}`, { optionId });
}

async function open(
  host: RealHost,
  args: readonly string[] = ["--agent", "shell"],
): Promise<{
  readonly editor: SdkEditor;
  readonly sessionId: string;
}> {
  const editor = overStdio(host.home, args);
  await editor.initialize();
  const { sessionId } = await editor.newSession(host.project);
  return { editor, sessionId };
}

// Each starts the program three times and more, which takes its time on a busy machine.
describe("holdfast acp", { timeout: 180_000 }, () => {
  it("[C810] [B54] runs a turn of the built-in agent: a permission answered over HTTP, a live terminal, a cancel, a resumed session", async () => {
    const host = shared();
    const { editor, sessionId } = await open(host);
    const turn = editor.prompt(sessionId, "echo one; until test -e go; do sleep 0.05; done; echo two");
    const asked = await editor.permission();
    expect(await decide(host, "allow_once")).toMatchObject({ resolved: true });
    await expect.poll(() => editor.terminalText).toBe("one\r\n");
    expect(asked.signal.aborted).toBe(true);
    writeFileSync(path.join(host.project, "go"), "");
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(editor.terminalText).toBe("one\r\ntwo\r\n");
    const cancelled = editor.prompt(sessionId, "sleep 60");
    (await editor.permission(2)).approve();
    await editor.cancel(sessionId);
    expect(await cancelled).toMatchObject({ stopReason: "cancelled" });
    const other = overStdio(host.home);
    await other.initialize();
    const { sessions } = await other.agent.request("session/list", { cwd: host.project });
    expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
    await other.agent.request("session/load", { sessionId, cwd: host.project, mcpServers: [] });
    expect(other.userText).toContain("echo one");
    // [B54] As it was live.
    expect(other.terminalText).toContain("one\r\ntwo\r\n");
    const last = other.prompt(sessionId, "echo three");
    (await other.permission()).approve();
    expect(await last).toMatchObject({ stopReason: "end_turn" });
    await expect.poll(() => editor.terminalText).toContain("three");
  });

  it("[C811] continues a turn across a restart of the host, without losing or doubling an update", async () => {
    const started = await start({ keeper: true });
    const { editor, sessionId } = await open(started.host);
    const line = "for i in 1 2 3 4 5 6; do echo line $i; until test -e go$i; do sleep 0.05; done; done";
    const turn = editor.prompt(sessionId, line);
    await editor.permission();
    started.host = await started.host.restart("SIGTERM");
    // The question was open at the editor when the host went away; the answer reaches the next host.
    editor.asked[0]?.approve();
    for (const step of [1, 2, 3, 4, 5, 6]) {
      await expect.poll(() => editor.terminalText).toContain(`line ${step}\r\n`);
      if (step === 3) started.host = await started.host.restart("SIGKILL");
      writeFileSync(path.join(started.host.project, `go${step}`), "");
    }
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(editor.terminalText).toBe([1, 2, 3, 4, 5, 6].map((step) => `line ${step}\r\n`).join(""));
    expect(editor.asked).toHaveLength(1);
    expect(editor.userText).toBe("");
  });

  it("[C811] answers a prompt whose turn ended with its host, and continues the session", async () => {
    const { editor, sessionId } = await open(shared());
    const turn = editor.prompt(sessionId, "sleep 60").catch((error: unknown) => error);
    await editor.permission();
    sharedHost = await sharedHost.restart("SIGKILL");
    expect(await turn).toMatchObject({ code: -32603 });
    const next = editor.prompt(sessionId, "echo again");
    (await editor.permission(2)).approve();
    expect(await next).toMatchObject({ stopReason: "end_turn" });
    expect(editor.terminalText).toContain("again");
    // The question of the interrupted turn is withdrawn, and not asked again.
    expect(editor.asked.map(({ request }) => request.toolCall.title)).toEqual(["sleep 60", "echo again"]);
  });

  it("[C814] joins a session, whose history it shows", async () => {
    const host = shared();
    const first = overWebSocket(host, "?agent=shell");
    await first.initialize();
    const { sessionId } = await first.newSession(host.project);
    const turn = first.prompt(sessionId, "echo one");
    (await first.permission()).approve();
    await turn;
    const joined = await open(host, ["--session", sessionId.slice(sessionId.lastIndexOf(":") + 1, -4)]);
    expect(joined.sessionId).toBe(sessionId);
    await expect.poll(() => joined.editor.userText).toBe("echo one");
  });

  it("[C825] runs commands in the editor's terminals, and says what the editor lacks", async () => {
    const host = shared();
    const editor = overStdio(host.home, ["--agent", "shell", "--client-fs", "--client-terminal"]);
    await editor.initialize(false, undefined, { terminal: true });
    await expect.poll(() => editor.stderr()).toContain("The editor does not offer fs.readTextFile");
    expect(editor.stderr()).not.toContain("does not offer terminal");
    const { sessionId } = await editor.newSession(host.project);
    const turn = editor.prompt(sessionId, "echo in the editor");
    (await editor.permission()).approve();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(editor.terminals.created).toMatchObject([{ sessionId, cwd: host.project }]);
  });

  it("[C813] writes nothing but frames to stdout, and answers garbage", async () => {
    const host = shared();
    const child = spawn(process.execPath, [testedProgram, "acp", "--home", host.home], { stdio: "pipe" });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stdin.write("garbage\n\n[1]\n");
    child.stdin.write(
      `{"jsonrpc":"2.0","id":7,"method":"nothing","params":"${"x".repeat(16 * 1024 * 1024)}"}\n`,
    );
    child.stdin.write('{"jsonrpc":"2.0","id":8,"method":"no/such"}\n');
    child.stdin.write('{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":1}}\n');
    await expect.poll(() => stdout).toContain('"id":9');
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    const frames = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    expect(frames.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [7, -32600],
      [8, -32601],
      [9, undefined],
    ]);
  });

  it("[C815] starts a host when none runs", async () => {
    const home = mkdtempSync(path.join(tmpdir(), "holdfast-acp-"));
    onTestFinished(async () => {
      await once(
        spawn(process.execPath, [testedProgram, "stop", "--all", "--home", home], { stdio: "ignore" }),
        "exit",
      );
      rmSync(home, { recursive: true, force: true });
    });
    const editor = overStdio(home);
    expect((await editor.initialize()).agentInfo?.name).toBe("holdfast");
    expect(existsSync(path.join(home, "host.json"))).toBe(true);
  });

  it("[C815] fails with the reason when the host turns it down", async () => {
    const host = shared();
    const environment = { ...process.env, HOLDFAST_TOKEN: "wrong" };
    const refused = spawn(process.execPath, [testedProgram, "acp", "--url", host.url], { env: environment });
    let stderr = "";
    refused.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await once(refused, "exit")).toEqual([5, null]);
    expect(stderr).toContain("(UNAUTHORIZED)");
  });
});
