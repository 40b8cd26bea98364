// Streamable HTTP with the official SDK as the editor: a command's live terminal, a resumed session, and the limits of connections.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ask, say, type Step, update } from "../../packages/core/src/testing/script.ts";
import { useServedHosts, type ServedHost } from "../ahp/served-host.ts";
import { refusedStatus } from "./raw-editor.ts";
import { connect } from "./scripted-editor.ts";

const serve = useServedHosts();
afterEach(() => void vi.useRealTimers());

const line = "echo one; until test -e go; do sleep 0.02; done; echo two; exit 3";
const terminalId = "$term.terminalId";
const run: Step[] = [
  update("tool_call", { toolCallId: "t1", title: "Run it", kind: "execute", status: "in_progress" }),
  ask("term", "terminal/create", { command: "sh", args: ["-c", line] }),
  update("tool_call_update", { toolCallId: "t1", content: [{ type: "terminal", terminalId }] }),
  ask("exit", "terminal/wait_for_exit", { terminalId }),
  update("tool_call_update", { toolCallId: "t1", status: "completed" }),
  say("ran"),
];
const script = { prompts: { run } };

describe("an editor over streamable HTTP", () => {
  it("[B12, B31] sees the terminal of a command live", async () => {
    const host = await serve({ script });
    const editor = connect(host, "HTTP");
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.work);
    const turn = editor.prompt(sessionId, "run");
    await expect.poll(() => editor.terminalText).toBe("one\n");
    expect(editor.text).toBe("");
    writeFileSync(path.join(host.work, "go"), "");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(editor.terminalText).toBe("one\ntwo\n");
    expect(editor.metas.flatMap(({ terminal_exit }) => terminal_exit ?? [])).toMatchObject([
      { exit_code: 3 },
    ]);
  });

  it("[B9, B31] resumes a session after what it has, on another connection", async () => {
    const host = await serve({ script });
    const editor = connect(host, "HTTP");
    await editor.initialize(true, "me");
    const { sessionId } = await editor.newSession(host.work);
    void editor.prompt(sessionId, "run").catch(() => undefined);
    await expect.poll(() => editor.terminalText).toBe("one\n");
    const places = editor.updates.map(({ own }) => own);
    const { terminal = "", offset } = places.findLast((own) => own.terminal !== undefined) ?? {};
    const place = places.findLast((own) => own.place !== undefined)?.place;
    editor.close();
    const other = connect(host, "HTTP");
    await other.initialize(true, "me");
    const after = { place, terminals: { [terminal]: offset } };
    const request = { sessionId, cwd: host.work, mcpServers: [], _meta: { holdfast: { after } } };
    await other.agent.request("session/resume", request);
    writeFileSync(path.join(host.work, "go"), "");
    await expect.poll(() => other.text).toBe("ran");
    expect(other.terminalText).toBe("two\n");
    expect(other.userText).toBe("");
  });
});

async function openHttp(host: ServedHost): Promise<Response> {
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
  const response = await fetch(`${host.server.url}/acp`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": host.token },
    body: JSON.stringify(message),
  });
  await response.text();
  return response;
}

function headersOf(host: ServedHost, opened: Response): Record<string, string> {
  return { "x-api-key": host.token, "acp-connection-id": opened.headers.get("acp-connection-id") ?? "" };
}

/** Opens a stream and leaves it. */
async function look(host: ServedHost, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(`${host.server.url}/acp`, { headers });
  await response.body?.cancel();
  return response.status;
}

/** Sends a message that has no response. */
async function touch(host: ServedHost, headers: Readonly<Record<string, string>>): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", method: "nothing" });
  return (await fetch(`${host.server.url}/acp`, { method: "POST", headers, body })).status;
}

describe("the limits of connections", () => {
  it("[B33] lets 512 clients in, over both transports together", { timeout: 60_000 }, async () => {
    const host = await serve();
    const first = await openHttp(host);
    for (let count = 1; count < 512; count += 73) {
      const opened = await Promise.all(Array.from({ length: 73 }, () => openHttp(host)));
      expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
    }
    expect((await openHttp(host)).status).toBe(429);
    const address = `${host.server.url}/acp?tkn=${host.token}`;
    expect(await refusedStatus(address)).toBe(429);
    const headers = headersOf(host, first);
    expect((await fetch(`${host.server.url}/acp`, { method: "DELETE", headers })).status).toBe(202);
    expect(await refusedStatus(address)).toBe(101);
  });

  it("[A55] gives no stream for HEAD, and leaves the reader of the stream its place", async () => {
    const host = await serve();
    const headers = headersOf(host, await openHttp(host));
    const reading = await fetch(`${host.server.url}/acp`, { headers });
    const { status } = await fetch(`${host.server.url}/acp`, { method: "HEAD", headers });
    expect(status).toBe(405);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "session/list" });
    await fetch(`${host.server.url}/acp`, { method: "POST", headers, body });
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = reading.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"id":7');
    await reader?.cancel();
  });

  it("[B40] gives one connection 128 streams", { timeout: 30_000 }, async () => {
    const host = await serve();
    const headers = headersOf(host, await openHttp(host));
    const reading = new AbortController();
    // A response that nothing refers to any more is collected, and its stream is closed with it.
    const streams: Response[] = [];
    for (let count = 0; count < 128; count += 1) {
      const session = { ...headers, "acp-session-id": `session ${count}` };
      streams.push(await fetch(`${host.server.url}/acp`, { headers: session, signal: reading.signal }));
    }
    expect(await look(host, { ...headers, "acp-session-id": "one more" })).toBe(429);
    expect(await look(host, { ...headers, "acp-session-id": "session 0" })).toBe(200);
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    // Nobody reads them any more, and the client does not follow their sessions: they make room.
    reading.abort();
    await expect.poll(() => look(host, { ...headers, "acp-session-id": "one more" })).toBe(200);
  });

  it("[B31] closes a connection that nobody uses for 5 min, and none that is read", async () => {
    const host = await serve();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const idle = headersOf(host, await openHttp(host));
    const read = headersOf(host, await openHttp(host));
    const reader = await fetch(`${host.server.url}/acp`, { headers: read });
    vi.advanceTimersByTime(4 * 60_000);
    expect(await touch(host, idle)).toBe(202);
    vi.advanceTimersByTime(4 * 60_000);
    expect(await touch(host, idle)).toBe(202);
    vi.advanceTimersByTime(6 * 60_000);
    expect(await touch(host, idle)).toBe(404);
    expect(await look(host, read)).toBe(200);
    await reader.body?.cancel();
  });
});
