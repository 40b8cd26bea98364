// The bridge of `holdfast acp`, with an editor and a host that are lists of messages.
import { describe, expect, it } from "vitest";
import { Bridge, type HostEnd } from "./bridge.ts";
import { membersOf } from "./message.ts";

interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly _meta?: { readonly holdfast?: Record<string, unknown> };
    readonly requestId?: unknown;
  };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** A host's end of one connection: what it received. */
class ScriptedHost implements HostEnd {
  readonly received: Sent[] = [];

  send(text: string): void {
    this.received.push(JSON.parse(text) as Sent);
  }

  methods(): (string | undefined)[] {
    return this.received.map(({ method }) => method);
  }
}

function start(): {
  bridge: Bridge;
  editor: Sent[];
  warnings: string[];
  say: (message: object) => void;
  receive: (message: object) => void;
} {
  const editor: Sent[] = [];
  const warnings: string[] = [];
  const bridge = new Bridge(
    (text) => editor.push(JSON.parse(text) as Sent),
    (line) => warnings.push(line),
  );
  const say = (message: object): void => bridge.fromEditor(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const receive = (message: object): void => bridge.fromHost(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return { bridge, editor, warnings, say, receive };
}

const initialize = { id: 0, method: "initialize", params: { protocolVersion: 1 } };

/** A bridge with one session. */
async function open(): Promise<ReturnType<typeof start> & { host: ScriptedHost }> {
  const started = start();
  const host = new ScriptedHost();
  await started.bridge.connected(host);
  started.say(initialize);
  started.receive({ id: 0, result: { protocolVersion: 1 } });
  started.say({ id: 1, method: "session/new", params: { cwd: "/" } });
  started.receive({ id: 1, result: { sessionId: "s", _meta: { holdfast: { place: "5" } } } });
  return { ...started, host };
}

/** Connects to the next host, whose responses are given; the requests of the bridge's own are answered in turn. */
async function reconnect(
  { bridge, receive }: ReturnType<typeof start>,
  answers: readonly object[],
): Promise<ScriptedHost> {
  const host = new ScriptedHost();
  const connected = bridge.connected(host);
  for (const answer of answers) {
    const { id } = host.received.at(-1) ?? {};
    receive({ id, ...answer });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
  }
  await connected;
  return host;
}

const resumed = { result: { _meta: { holdfast: { questions: [] } } } };

describe("the bridge of an editor", () => {
  it("[C812] passes messages on, and names what must not happen twice", async () => {
    const { host, say, editor } = await open();
    say({ id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } });
    const own = host.received.map(({ params }) => params?._meta?.holdfast ?? {});
    expect(own[0]).toEqual({ clientId: expect.any(String) });
    expect(own[1]).toEqual({ uri: expect.stringMatching(/^ahp-session:\//) });
    expect(String(own[2]?.["turnId"])).toMatch(new RegExp(`^${String(own[0]?.["clientId"])}\\.1$`));
    expect(editor.map(({ id }) => id)).toEqual([0, 1]);
  });

  it("[C812] continues each session after its last update and repeats the prompt that waits", async () => {
    const opened = await open();
    const { say, receive, host, bridge, editor } = opened;
    say({ id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } });
    const holdfast = { place: "7.1" };
    receive({ method: "session/update", params: { sessionId: "s", update: {}, _meta: { holdfast } } });
    const terminal = { terminal: "t", offset: 12 };
    receive({
      method: "session/update",
      params: { sessionId: "s", update: {}, _meta: { holdfast: terminal } },
    });
    bridge.disconnected();
    say({ method: "session/cancel", params: { sessionId: "s" } });
    const next = await reconnect(opened, [{ result: {} }, resumed]);
    expect(next.methods()).toEqual(["initialize", "session/resume", "session/prompt", "session/cancel"]);
    expect(next.received[0]?.params?._meta).toEqual(host.received[0]?.params?._meta);
    expect(next.received[1]?.params?._meta?.holdfast).toEqual({
      after: { place: "7.1", terminals: { t: 12 } },
    });
    expect(next.received[2]).toEqual(host.received[2]);
    receive({ id: 2, result: { stopReason: "end_turn" } });
    expect(editor.at(-1)).toMatchObject({ id: 2, result: { stopReason: "end_turn" } });
    expect(editor).toHaveLength(5);
  });

  it("[C812] asks the editor once, answers a host that asks again, and withdraws what others answered", async () => {
    const opened = await open();
    const { say, receive, bridge, editor } = opened;
    const question = (id: string): object => ({
      id,
      method: "session/request_permission",
      params: { sessionId: "s" },
    });
    receive(question("a"));
    receive(question("b"));
    receive(question("c"));
    say({ id: "a", result: { outcome: { outcome: "selected", optionId: "yes" } } });
    bridge.disconnected();
    const waiting = { result: { _meta: { holdfast: { questions: ["a", "b"] } } } };
    const next = await reconnect(opened, [{ result: {} }, waiting]);
    expect(editor.at(-1)).toMatchObject({ method: "$/cancel_request", params: { requestId: "c" } });
    receive(question("a"));
    receive(question("b"));
    expect(next.received.at(-1)).toMatchObject({ id: "a", result: { outcome: { optionId: "yes" } } });
    const asked = editor.filter(({ method }) => method === "session/request_permission");
    expect(asked.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it("[B52] asks the editor again what it left open when it opens the session again", async () => {
    const { say, receive, editor } = await open();
    const question = { id: "a", method: "session/request_permission", params: { sessionId: "s" } };
    receive(question);
    say({ id: "a", result: { outcome: { outcome: "cancelled" } } });
    receive(question);
    say({ id: 2, method: "session/load", params: { sessionId: "s", cwd: "/" } });
    receive(question);
    const asked = editor.filter(({ method }) => method === "session/request_permission");
    expect(asked).toHaveLength(2);
  });

  it("[C812] shows a history that was cut off once", async () => {
    const opened = await open();
    const { say, receive, bridge, editor } = opened;
    const update = { method: "session/update", params: { sessionId: "old", update: {} } };
    say({ id: 2, method: "session/load", params: { sessionId: "old", cwd: "/" } });
    receive(update);
    bridge.disconnected();
    const next = await reconnect(opened, [{ result: {} }, resumed]);
    expect(next.methods().at(-1)).toBe("session/load");
    receive(update);
    receive(update);
    receive({ id: 2, result: {} });
    expect(editor.filter(({ method }) => method === "session/update")).toHaveLength(2);
    expect(editor.at(-1)).toMatchObject({ id: 2 });
  });

  it("[C812] continues a session from now on where its place is unknown, and leaves one that is gone", async () => {
    const opened = await open();
    opened.bridge.disconnected();
    const lost = { error: { code: -32600, data: { code: "EVENTS_LOST" } } };
    const next = await reconnect(opened, [{ result: {} }, lost, resumed]);
    expect(next.methods()).toEqual(["initialize", "session/resume", "session/resume"]);
    expect(next.received[2]?.params?._meta?.holdfast).toEqual({});
    opened.bridge.disconnected();
    const gone = { error: { code: -32002, data: { code: "ACP_SESSION_NOT_FOUND" } } };
    await reconnect(opened, [{ result: {} }, gone, gone]);
    opened.bridge.disconnected();
    const last = await reconnect(opened, [{ result: {} }]);
    expect(last.methods()).toEqual(["initialize"]);
  });

  it("[C812] waits again when the next connection is lost, too", async () => {
    const opened = await open();
    const { bridge, say } = opened;
    bridge.disconnected();
    const lost = bridge.connected(new ScriptedHost());
    bridge.disconnected();
    await lost;
    say({ id: 3, method: "session/list", params: {} });
    const next = await reconnect(opened, [{ result: {} }, resumed]);
    expect(next.methods()).toEqual(["initialize", "session/resume", "session/list"]);
  });

  it("[C825] passes on what the host warns of, once", async () => {
    const started = start();
    const host = new ScriptedHost();
    await started.bridge.connected(host);
    started.say(initialize);
    const result = { _meta: { holdfast: { warnings: ["The editor does not offer it."] } } };
    started.receive({ id: 0, result });
    expect(started.warnings).toEqual(["The editor does not offer it."]);
    started.bridge.disconnected();
    await reconnect(started, [{ result }]);
    expect(started.warnings).toHaveLength(1);
  });

  it("[C813] answers what is no message, and what it cannot repeat", async () => {
    const { bridge, say, editor } = await open();
    bridge.fromEditor("garbage");
    bridge.fromEditor("[]");
    bridge.fromHost("garbage");
    say({ id: "nobody-asked", result: {} });
    expect(editor.slice(2)).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
    ]);
    say({ id: 9, method: "session/fork", params: {} });
    say({ id: 10, method: "session/list", params: {} });
    bridge.disconnected();
    expect(editor.at(-1)).toMatchObject({ id: 9, error: { code: -32603 } });
    bridge.giveUp("No host can be reached.");
    expect(editor.at(-1)).toMatchObject({ id: 10, error: { data: { code: "HOST_NOT_RUNNING" } } });
    expect(membersOf(null)).toEqual({});
  });
});
