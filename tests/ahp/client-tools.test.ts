// Tools that an editor lends to the agent of its session: offered over MCP, decided by policy, answered by the editor.
import { policyOf } from "@holdfast/core/policy";
import { readPolicy } from "@holdfast/protocol";
import { expect, test } from "vitest";
import {
  chat,
  complete,
  done,
  failure,
  lend,
  openFile,
  rejection,
  script,
  session,
  startTurn,
  ToolScene,
} from "./client-tools-scene.ts";
import { useServedHosts } from "./served-host.ts";

const serveHost = useServedHosts();
const call = { name: "openFile", arguments: { path: "/a\u202e.txt" } };

test("[E821] a question with arguments that are cut says how much of them is missing", async () => {
  const long = { name: "openFile", arguments: { path: "/a", padding: "x".repeat(5000), end: "rm" } };
  const steps = [
    { do: "mcp", method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { do: "mcp", method: "tools/call", params: long, as: "opened" },
  ];
  const host = await serveHost({ script: { ...script, prompts: { work: steps } } });
  const { editor } = await ToolScene.open(host);
  const { action } = await editor.action("chat/toolCallReady");
  expect(action).toMatchObject({
    invocationMessage: expect.stringMatching(
      /x… \(3\d{3} more characters in the input of the call\)$/,
    ) as string,
  });
});

test("[E820, E821] an agent lists and calls a tool of the editor, a person allows it, and the editor answers", async () => {
  const steps = [
    { do: "mcp", method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { do: "mcp", method: "tools/list" },
    { do: "mcp", method: "tools/call", params: call, as: "opened" },
  ];
  const host = await serveHost({ script: { ...script, prompts: { work: steps } } });
  const person = await host.client({ clientId: "person", version: "0.6.0" });
  const { editor } = await ToolScene.open(host);
  await person.subscribe(chat);
  const { action } = await editor.action("chat/toolCallStart");
  expect(action).toMatchObject({
    toolName: "openFile",
    displayName: "Open a file",
    contributor: { kind: "client", clientId: "editor" },
  });
  const { toolCallId = "" } = action;
  const asked = await editor.action("chat/toolCallReady");
  expect(asked.action).toMatchObject({
    invocationMessage: String.raw`openFile of the client editor: {"path":"/a\u{202e}.txt"}`,
  });
  // Before somebody has allowed it, it cannot be answered.
  expect(await rejection(editor, complete(editor, toolCallId))).toBe("That tool call is not running.");
  const approval = { turnId: "t1", toolCallId, approved: true, confirmed: "user-action" };
  person.dispatch({ type: "chat/toolCallConfirmed", ...approval }, chat);
  await editor.action("chat/toolCallConfirmed");
  // Only the editor that lends it answers.
  const foreign = await rejection(person, complete(person, toolCallId), "person");
  expect(foreign).toBe("That tool call is not one of this client's tools.");
  complete(editor, toolCallId);
  await editor.action("chat/turnComplete");
  const answers = host
    .agentRecord()
    .split("\n")
    .filter((line) => line.startsWith('{"answered"'))
    .map((line) => JSON.parse(line) as unknown);
  expect(answers).toMatchObject([
    { result: { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } } } },
    { result: { tools: [openFile] } },
    { answered: "opened", result: { content: done.content, isError: false } },
  ]);
  expect(host.faults).toEqual([]);
});

test("[E822] a call fails with the reason when it is denied, cancelled, or its client does not lend the tool any more", async () => {
  const denying = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "deny-all" });
  expect(await denying.call()).toMatchObject(failure("CLIENT_TOOL_DENIED"));
  const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "approve-all" });
  const { editor } = scene;
  expect(await scene.call("closeFile")).toMatchObject(failure("CLIENT_TOOL_UNKNOWN"));
  const left = scene.call();
  await scene.running();
  editor.dispatch({ type: "session/activeClientRemoved", clientId: "editor" }, session);
  expect(await left).toMatchObject(failure("CLIENT_TOOL_GONE"));
  expect(await scene.names()).toEqual([]);
  lend(editor, "editor", [openFile]);
  await expect.poll(() => scene.names()).toEqual(["openFile"]);
  const unneeded = scene.call("openFile", {}, 7);
  await scene.running(1);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  expect((await scene.send(JSON.stringify(cancelled))).status).toBe(202);
  expect(await unneeded).toMatchObject(failure("CLIENT_TOOL_CANCELLED"));
  const cut = scene.call();
  await scene.running(2);
  editor.dispatch({ type: "chat/turnCancelled", turnId: "t1", duration: 0 }, chat);
  expect(await cut).toMatchObject(failure("CLIENT_TOOL_CANCELLED"));
  await expect.poll(() => scene.call()).toMatchObject(failure("CLIENT_TOOL_NO_TURN"));
});

test("[E821] a rule of the policy file that denies wins over the session's policy", async () => {
  const rule = { id: "no lent tools", effect: "deny", on: ["tool"], tools: ["other"] };
  const read = readPolicy({ rules: [rule] });
  if (!read.ok) throw new Error(JSON.stringify(read));
  const policy = { current: () => ({ policy: policyOf(read.value, "policy.jsonc") }) };
  const scene = await ToolScene.open(await serveHost({ script, policy }), { approvalPolicy: "approve-all" });
  expect(await scene.call()).toMatchObject(failure("CLIENT_TOOL_DENIED"));
});

test("[E822] a call fails when its client does not answer in time, or stays disconnected", async () => {
  const approving = { approvalPolicy: "approve-all" };
  const slow = await ToolScene.open(await serveHost({ script, timeouts: { clientToolMs: 300 } }), approving);
  expect(await slow.call()).toMatchObject(failure("CLIENT_TOOL_TIMEOUT"));
  const late = await slow.running();
  expect(await rejection(slow.editor, complete(slow.editor, late.toolCallId))).toBe(
    "That tool call has ended.",
  );
  const away = await ToolScene.open(
    await serveHost({ script, timeouts: { awayToolClientMs: 300 } }),
    approving,
  );
  const lost = away.call();
  await away.running();
  away.editor.socket.terminate();
  expect(await lost).toMatchObject(failure("CLIENT_TOOL_GONE"));
});

test("[E822] a call that no agent waits for any more is not waited for", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "approve-all" });
  const abort = new AbortController();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
  const headers = { "content-type": "application/json", authorization: scene.authorization };
  const dropped = fetch(scene.url, { method: "POST", headers, body, signal: abort.signal });
  const failed = dropped.catch((error: unknown) => String(error));
  await scene.running();
  abort.abort();
  expect(await failed).toContain("AbortError");
  const { action } = await scene.editor.action("chat/toolCallComplete");
  expect(action).toMatchObject({ result: { success: false, error: { code: "CLIENT_TOOL_CANCELLED" } } });
});

test("[A818] a call is asked for again by its key, and runs once", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "approve-all" });
  const ask = async (id: number, key: string): Promise<Response> =>
    scene.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: call }), {
      "idempotency-key": key,
    });
  const key = "11111111-2222-3333-4444-555555555555";
  const asked = [ask(1, key), ask(2, key)];
  const { toolCallId } = await scene.running();
  complete(scene.editor, toolCallId);
  const late = [...(await Promise.all(asked)), await ask(3, key)];
  for (const response of late) {
    expect(await response.json()).toMatchObject({ result: { content: done.content, isError: false } });
  }
  const starts = scene.editor.actions.filter(({ action }) => action.type === "chat/toolCallStart");
  expect(starts).toHaveLength(1);
  for (const wrong of ["short", "x".repeat(65), "no spaces allowed in it"]) {
    expect((await ask(4, wrong)).status).toBe(400);
  }
});

test("[N821] a client takes no name from another client's tool", async () => {
  const host = await serveHost({ script });
  const scene = await ToolScene.open(host, { approvalPolicy: "approve-all" });
  expect(await scene.names()).toEqual(["openFile"]);
  const other = await host.client({ clientId: "other" });
  await other.subscribe(session);
  const unusable = [{ name: "no name" }, { name: "list", inputSchema: { type: "array" } }, {}];
  lend(other, "other", [openFile, { name: "search" }, ...unusable]);
  await expect.poll(() => scene.names()).toEqual(["openFile", "openFile_2", "search"]);
  // Although it was there before the other one.
  lend(scene.editor, "editor", [{ name: "search" }, openFile]);
  await expect.poll(() => scene.names()).toEqual(["openFile", "openFile_2", "search", "search_2"]);
  const result = scene.call("openFile");
  const { toolCallId } = await scene.running();
  expect((await scene.editor.action("chat/toolCallStart")).action).toMatchObject({
    contributor: { clientId: "editor" },
  });
  const foreign = await rejection(other, complete(other, toolCallId), "other");
  expect(foreign).toBe("That tool call is not one of this client's tools.");
  complete(scene.editor, toolCallId);
  expect(await result).toMatchObject({ isError: false });
  const impostor = await rejection(other, lend(other, "editor", [openFile]), "other");
  expect(impostor).toBe("A client can only announce itself.");
});

test("[N822] calls wait at once, each for its own answer, and no more than 16", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "approve-all" });
  const { editor } = scene;
  const results = Array.from({ length: 16 }, (_, id) => scene.call("openFile", { path: `/${id}` }, id));
  await scene.running(15);
  expect(await scene.call("openFile", {}, 16)).toMatchObject(failure("CLIENT_TOOL_BUSY"));
  const body = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params: call });
  expect(await (await scene.send(body)).json()).toMatchObject({ error: { code: -32600 } });
  const starts = editor.actions.filter(({ action }) => action.type === "chat/toolCallReady").toReversed();
  for (const { action } of starts) {
    const text = String("invocationMessage" in action ? action.invocationMessage : "");
    complete(editor, action.toolCallId, { ...done, content: [{ type: "text", text }] });
  }
  const texts = (await Promise.all(results)).map((result) => JSON.stringify(result));
  expect(texts.map((text, id) => text.includes(`/${id}\\"`))).toEqual(texts.map(() => true));
});

test("[E823] descriptions, arguments and results have bounds", async () => {
  const host = await serveHost({ script });
  const scene = await ToolScene.open(host, { approvalPolicy: "approve-all" });
  const { editor } = scene;
  const large = { ...openFile, description: "x".repeat(64 * 1024) };
  expect(await rejection(editor, lend(editor, "editor", [large]))).toContain("at most 65536 bytes; tools[0]");
  const many = Array.from({ length: 257 }, (_, number) => ({ name: `tool${number}` }));
  expect(await rejection(editor, lend(editor, "editor", many))).toBe("A client lends at most 256 tools.");
  const channel = "mine:/two";
  const creating = { channel, provider: "mine", workingDirectories: [`file://${host.work}`] };
  const created = editor.request("createSession", {
    ...creating,
    activeClient: { clientId: "editor", tools: many },
  });
  await expect(created).rejects.toThrow("A client lends at most 256 tools.");
  const input = { path: "x".repeat(256 * 1024) };
  expect(await scene.call("openFile", input)).toMatchObject(failure("CLIENT_TOOL_TOO_LARGE"));
  const result = scene.call();
  const { toolCallId } = await scene.running();
  const long = { ...done, content: [{ type: "text", text: "x".repeat(2 * 1024 * 1024) }] };
  expect(await rejection(editor, complete(editor, toolCallId, long))).toContain("at most 2097152 bytes");
  complete(editor, toolCallId);
  expect(await result).toMatchObject({ isError: false });
});

test("[E834] tools that cannot be offered are listed with the reasons, and the others are offered", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "approve-all" });
  const { editor } = scene;
  const tools = [
    openFile,
    { name: "no!" },
    { description: "x" },
    { name: "a", inputSchema: [] },
    openFile,
    [],
  ];
  const notices = async (): Promise<unknown> => {
    const { state } = await editor.subscribe(session);
    return (state as { _meta?: { holdfast?: { notices?: unknown } } })._meta?.holdfast?.notices;
  };
  // The second time it is known already.
  for (const each of [tools, [...tools, { name: "search" }]]) lend(editor, "editor", each);
  await expect.poll(() => scene.names()).toEqual(["openFile", "search"]);
  const description = [
    "tools[1].name: must have 1–64 letters, digits, '_', '-' or '.'; it is \"no!\".",
    "tools[2].name: must be a string.",
    "tools[3].inputSchema: must have the type object.",
    "tools[4]: there is another tool with the name openFile.",
    "tools[5]: must be an object.",
  ].join("\n");
  expect(await notices()).toMatchObject([{ severity: "warning", description }]);
});

test("[E834] a second result is rejected since the call has ended, and a denied tool has the agent's name for it", async () => {
  const scene = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "approve-all" });
  const { editor } = scene;
  const result = scene.call();
  const { toolCallId } = await scene.running();
  complete(editor, toolCallId);
  await result;
  expect(await rejection(editor, complete(editor, toolCallId))).toBe("That tool call has ended.");
  editor.dispatch({ type: "chat/turnCancelled", turnId: "t1", duration: 0 }, chat);
  // The turn is over when its agent has stopped.
  await expect
    .poll(() => rejection(editor, complete(editor, toolCallId)))
    .toBe("That tool call has ended: its turn is over.");
  const denying = await ToolScene.open(await serveHost({ script }), { approvalPolicy: "deny-all" });
  const other = await denying.host.client({ clientId: "other" });
  await other.subscribe(session);
  lend(other, "other", [openFile]);
  await expect.poll(() => denying.names()).toEqual(["openFile", "openFile_2"]);
  expect(JSON.stringify(await denying.call("openFile_2"))).toContain("The tool openFile_2 was not allowed");
});

test("[E825] an agent without MCP over HTTP is offered nothing by a host that has no bridge", async () => {
  const host = await serveHost({ script: { ...script, capabilities: {} } });
  const editor = await host.client({ clientId: "editor" });
  await editor.request("createSession", {
    channel: session,
    provider: "mine",
    workingDirectories: [`file://${host.work}`],
    activeClient: { clientId: "editor", tools: [openFile] },
  });
  await editor.subscribe(chat);
  startTurn(editor);
  await expect.poll(() => host.agentRecord()).toContain('"mcpServers":[]');
});

test("[E824] an agent that holds the stream learns that the tools changed", async () => {
  const scene = await ToolScene.open(await serveHost({ script }));
  const headers = { accept: "text/event-stream", authorization: scene.authorization };
  const stream = await fetch(scene.url, { headers });
  expect([stream.status, stream.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("event-stream"),
  ]);
  const reader = stream.body?.getReader();
  const read = async (): Promise<string> => Buffer.from((await reader?.read())?.value ?? []).toString();
  lend(scene.editor, "editor", [openFile]);
  lend(scene.editor, "editor", [openFile, { name: "search" }]);
  expect(await read()).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
  );
  expect(await scene.names()).toEqual(["openFile", "search"]);
  // One of them is open already.
  const others = await Promise.all(Array.from({ length: 8 }, () => fetch(scene.url, { headers })));
  expect(others.filter(({ status }) => status === 429)).toHaveLength(1);
  expect(others.filter(({ status }) => status === 200)).toHaveLength(7);
  await scene.editor.request("disposeSession", { channel: session });
  expect(await read()).toBe("");
});
