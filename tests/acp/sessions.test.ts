// ACP served to editors at `/acp`: sessions and turns, with the official SDK as the editor.
import { defaultChatUri } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { useServedHosts } from "../ahp/served-host.ts";
import { RawEditor, type RawMessage } from "./raw-editor.ts";
import { collectRejections, connect, open, post, requestIdOf, script } from "./scripted-editor.ts";

const serve = useServedHosts();

describe.each(["WebSocket", "HTTP"] as const)("over %s", (transport) => {
  it("[B1] runs a turn from initialize to its end", async () => {
    const host = await serve({ script });
    const editor = connect(host, transport);
    const { protocolVersion, agentInfo, agentCapabilities } = await editor.initialize();
    expect({ protocolVersion, name: agentInfo?.name }).toEqual({ protocolVersion: 1, name: "holdfast" });
    expect(agentCapabilities).toMatchObject({
      loadSession: true,
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    });
    const { sessionId, modes, configOptions } = await editor.newSession(host.work);
    expect(modes?.currentModeId).toBe("code");
    expect(configOptions).toMatchObject([{ id: "model", currentValue: "small" }]);
    expect(await editor.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    expect(editor.text).toBe("Hello there.");
    // Its own message is on its screen already.
    expect(editor.userText).toBe("");
  });

  it("[B2] streams a turn that another client began", async () => {
    const host = await serve({ script });
    const editor = connect(host, transport);
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.work);
    await post(host, sessionId, "/chat/stream", { message: "hello" });
    await expect.poll(() => editor.text).toBe("Hello there.");
    expect(editor.userText).toBe("hello");
  });

  it("[E811] reports how a turn of another client ended, and not its own", async () => {
    const host = await serve({ script });
    const editor = connect(host, transport);
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.work);
    const turnsEnded = (): unknown[] =>
      editor.updates.flatMap(({ update }) => {
        const { holdfast } = (update._meta ?? {}) as { holdfast?: { turnEnded?: object } };
        return holdfast?.turnEnded ?? [];
      });
    await editor.prompt(sessionId, "hello");
    expect(turnsEnded()).toEqual([]);
    await post(host, sessionId, "/chat/stream", { message: "hello" });
    const turnId: unknown = expect.any(String);
    await expect.poll(turnsEnded).toEqual([{ turnId, stopReason: "end_turn" }]);
    await post(host, sessionId, "/chat/stream", { message: "fail" });
    const error = { code: "ACP_TURN_FAILED", message: expect.stringContaining("out of luck") as unknown };
    await expect.poll(turnsEnded).toMatchObject([{ stopReason: "end_turn" }, { turnId, error }]);
  });

  it("[B3] withdraws a permission request that another client answered", async () => {
    const host = await serve({ script });
    const editor = connect(host, transport);
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.work);
    const turn = editor.prompt(sessionId, "ask");
    const { request, signal } = await editor.permission();
    expect(request.options.map(({ optionId, kind }) => ({ optionId, kind }))).toEqual([
      { optionId: "yes", kind: "allow_once" },
      { optionId: "yes-always", kind: "allow_always" },
      { optionId: "no", kind: "reject_once" },
    ]);
    expect(request.toolCall).toMatchObject({ toolCallId: "edit", status: "pending" });
    await post(host, sessionId, "/permission", { requestId: requestIdOf(request), optionId: "yes" });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(signal.aborted).toBe(true);
    expect(editor.text).toBe("done");
    expect(editor.asked).toHaveLength(1);
  });

  it("[B4] decides for every client by the editor's answer", async () => {
    const host = await serve({ script });
    const editor = connect(host, transport);
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.work);
    const turn = editor.prompt(sessionId, "ask");
    const asked = await editor.permission();
    const requestId = requestIdOf(asked.request);
    asked.answer({ outcome: "selected", optionId: "no" });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(host.agentRecord()).toContain('"outcome":"selected","optionId":"no"');
    const late = await post(host, sessionId, "/permission", { requestId, optionId: "yes" });
    expect(await late.json()).toMatchObject({ resolved: false });
  });

  it("[B5] cancels a turn by session/cancel", async () => {
    const host = await serve({ script });
    const editor = connect(host, transport);
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.work);
    const turn = editor.prompt(sessionId, "hang");
    await expect.poll(() => editor.text).toBe("working");
    await editor.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(await editor.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
  });
});

describe("sessions of editors", () => {
  it("[B4] leaves a request that an editor cancels open for others", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const turn = editor.prompt(sessionId, "ask");
    const asked = await editor.permission();
    asked.answer({ outcome: "cancelled" });
    const requestId = requestIdOf(asked.request);
    const decided = await post(host, sessionId, "/permission", { requestId, optionId: "yes" });
    expect(await decided.json()).toMatchObject({ resolved: true });
    expect(await turn).toEqual({ stopReason: "end_turn" });
  });

  it("[B4] leaves a request open for others when an editor names an option that there is not", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const turn = editor.prompt(sessionId, "ask");
    const asked = await editor.permission();
    asked.answer({ outcome: "selected", optionId: "no such option" });
    await editor.agent.request("session/list", {});
    const requestId = requestIdOf(asked.request);
    await post(host, sessionId, "/permission", { requestId, optionId: "yes" });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(host.faults).toEqual([]);
  });

  it.each([
    {
      name: "an unknown option",
      outcome: { outcome: "selected", optionId: "maybe" },
      why: "yes, yes-always, no",
    },
    { name: "an unknown outcome", outcome: { outcome: "weird" }, why: 'expected "selected" or "cancelled"' },
  ])("[B52] says why $name cannot be used, and asks once more", async ({ outcome, why }) => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const turn = editor.prompt(sessionId, "ask");
    (await editor.permission()).answer(outcome as never);
    const again = await editor.permission(2);
    expect(again.request).toEqual(editor.asked[0]?.request);
    expect(JSON.stringify(editor.updates.at(-1))).toContain(JSON.stringify(why).slice(1, -1));
    again.answer({ outcome: "selected", optionId: "no" });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(host.agentRecord()).toContain('"outcome":"selected","optionId":"no"');
  });

  it("[B52] reports an editor's error and does not ask a third time", async () => {
    const host = await serve({ script });
    const editor = await RawEditor.open(`${host.server.url}/acp?agent=mine`, { "x-api-key": host.token });
    await editor.initialize();
    const { result } = await editor.request("session/new", { cwd: host.work });
    const sessionId = String(result?.["sessionId"]);
    editor.send({
      id: "p",
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: "ask" }] },
    });
    const asked = (): RawMessage[] =>
      editor.messages.filter(({ method }) => method === "session/request_permission");
    const notices = (): string[] =>
      editor.messages.map((each) => JSON.stringify(each)).filter((text) => text.includes("Still open"));
    await expect.poll(asked).toHaveLength(1);
    editor.send({ id: asked()[0]?.id, error: { code: -32603, message: "The dialog failed." } });
    await expect.poll(asked).toHaveLength(2);
    expect(notices()).toEqual([
      expect.stringContaining("error -32603, The dialog failed. You are asked once more"),
    ]);
    editor.send({ id: asked()[1]?.id, result: {} });
    await expect.poll(notices).toHaveLength(2);
    expect(notices()[1]).toContain("The request stays open");
    expect(asked()).toHaveLength(2);
    await post(host, sessionId, "/permission", { requestId: asked()[0]?.id, optionId: "yes" });
    expect((await editor.answer("p")).result).toEqual({ stopReason: "end_turn" });
  });

  it("[B52] asks an editor that cancelled a request again when it opens the session", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await post(host, sessionId, "/chat/stream", { message: "ask" });
    (await editor.permission()).answer({ outcome: "cancelled" });
    await expect.poll(() => JSON.stringify(editor.updates.at(-1))).toContain("The request stays open");
    expect(editor.asked).toHaveLength(1);
    await editor.agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
    (await editor.permission(2)).answer({ outcome: "cancelled" });
    await editor.agent.request("session/load", { sessionId, cwd: host.work, mcpServers: [] });
    (await editor.permission(3)).approve();
    await expect.poll(() => editor.text).toContain("done");
  });

  it("[B5] cancels a turn when its request is cancelled", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const cancellation = new AbortController();
    const prompt = { sessionId, prompt: [{ type: "text" as const, text: "hang" }] };
    const turn = editor.agent.request("session/prompt", prompt, { cancellationSignal: cancellation.signal });
    await expect.poll(() => editor.text).toBe("working");
    cancellation.abort();
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  it("[B5] survives the cancellation of a prompt whose session is being closed", async () => {
    const rejections = collectRejections();
    const host = await serve({ script: { ...script, ignoresCancel: true }, timeouts: { cancelMs: 500 } });
    const { editor, sessionId } = await open(host);
    const cancellation = new AbortController();
    const prompt = { sessionId, prompt: [{ type: "text" as const, text: "hang" }] };
    const turn = editor.agent.request("session/prompt", prompt, { cancellationSignal: cancellation.signal });
    await expect.poll(() => editor.text).toBe("working");
    // The agent ignores that its turn is cancelled, so the session is being closed until the host kills it.
    const closing = host.host.closeSession(sessionId, undefined, { kind: "owner" });
    expect(host.host.listSessions({ kind: "owner" })).toEqual([]);
    cancellation.abort();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    await closing;
    expect(rejections).toEqual([]);
    expect(host.faults).toEqual([]);
  });

  it("[B60] cancels what the editor waits for, and no message that others have queued", async () => {
    const host = await serve({ script });
    const { editor: ada, sessionId } = await open(host);
    const bob = connect(host);
    await bob.initialize();
    await bob.agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
    const running = ada.prompt(sessionId, "hang");
    await expect.poll(() => ada.text).toBe("working");
    const bobs = bob.prompt(sessionId, "hello");
    const queued = await post(host, sessionId, "/chat/stream", { message: "hello", queue: true });
    const chat = defaultChatUri(uriOfKey(sessionId));
    const waiting = (): number => host.host.hub.state(chat, "chat")?.queuedMessages.length ?? 0;
    await expect.poll(waiting).toBe(2);
    await bob.cancel(sessionId);
    expect(await bobs).toEqual({ stopReason: "cancelled" });
    expect(waiting()).toBe(1);
    await ada.cancel(sessionId);
    expect(await running).toEqual({ stopReason: "cancelled" });
    expect(await queued.text()).toContain('"stopReason":"end_turn"');
  });

  it("[B6] queues a prompt behind another client's turn", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await post(host, sessionId, "/chat/stream", { message: "ask" });
    const asked = await editor.permission();
    const turn = editor.prompt(sessionId, "hello");
    asked.answer({ outcome: "selected", optionId: "yes" });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(editor.text).toBe("doneHello there.");
  });

  it("[B6] answers a queued prompt that is dropped with cancelled", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await post(host, sessionId, "/chat/stream", { message: "hang" });
    await expect.poll(() => editor.text).toBe("working");
    const turn = editor.prompt(sessionId, "hello");
    await editor.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  it("[B7] ends neither turn nor session with a connection", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const turn = editor.prompt(sessionId, "ask").catch(() => "lost");
    await editor.permission();
    editor.close();
    expect(await turn).toBe("lost");
    const other = connect(host);
    await other.initialize();
    await other.agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
    const asked = await other.permission();
    asked.answer({ outcome: "selected", optionId: "yes" });
    await expect.poll(() => other.text).toBe("done");
  });

  it("[B7] keeps a session that an editor closes, and another client's turn in it", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await post(host, sessionId, "/chat/stream", { message: "ask" });
    await editor.permission();
    await editor.agent.request("session/close", { sessionId });
    expect(host.host.approvals.list({ kind: "owner" })).toHaveLength(1);
    const own = await open(host);
    const turn = own.editor.prompt(own.sessionId, "hang");
    await expect.poll(() => own.editor.text).toBe("working");
    await own.editor.agent.request("session/close", { sessionId: own.sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(host.host.listSessions({ kind: "owner" })).toHaveLength(2);
  });

  it("[B11] sets modes and options, and reports those that others set", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.agent.request("session/set_mode", { sessionId, modeId: "plan" });
    expect(host.host.getSession(sessionId, { kind: "owner" }).current_mode).toBe("plan");
    const { configOptions } = await editor.agent.request("session/set_config_option", {
      sessionId,
      configId: "model",
      value: "large",
    });
    expect(configOptions).toMatchObject([{ id: "model", currentValue: "large" }]);
    await host.host.patchSession(sessionId, { model: "small", runtimeMode: "code" }, { kind: "owner" });
    await expect
      .poll(() => editor.kinds("config_option_update").at(-1))
      .toMatchObject({ configOptions: [{ currentValue: "small" }] });
    await expect
      .poll(() => editor.kinds("current_mode_update").at(-1))
      .toMatchObject({ currentModeId: "code" });
    const wrong = editor.agent.request("session/set_mode", { sessionId, modeId: "none" });
    await expect(wrong).rejects.toMatchObject({ code: -32602, data: { code: "INVALID_REQUEST" } });
  });

  it("[B14] passes on thoughts, plans, diffs, usage and commands", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "rich");
    const shown = editor.updates.map(({ update }) => update);
    expect(shown).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "agent_thought_chunk",
        content: { type: "text", text: "hm" },
      }),
    );
    expect(editor.kinds("plan")).toMatchObject([{ entries: [{ content: "step", status: "pending" }] }]);
    expect(editor.kinds("tool_call")).toMatchObject([{ toolCallId: "e1", kind: "edit" }]);
    expect(editor.kinds("tool_call_update").at(-1)).toMatchObject({ toolCallId: "e1", status: "completed" });
    expect(editor.kinds("tool_call_update")).toContainEqual(
      expect.objectContaining({
        content: [{ type: "diff", path: "/tmp/a.txt", oldText: "a", newText: "b" }],
      }),
    );
    expect(editor.kinds("usage_update")).toMatchObject([{ used: 10, size: 100 }]);
    expect(editor.kinds("available_commands_update")).toMatchObject([
      { availableCommands: [{ name: "web", description: "Search", input: { hint: "words" } }] },
    ]);
  });

  it("[B16] answers the prompt of a failed turn with the agent's error", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await expect(editor.prompt(sessionId, "fail")).rejects.toMatchObject({
      code: -32603,
      message: "out of luck",
      data: { code: "ACP_TURN_FAILED" },
    });
    const signedOut = await serve({ script: { signInBy: "key", authMethods: [{ id: "key", name: "Key" }] } });
    const other = connect(signedOut);
    await other.initialize();
    await expect(other.newSession(signedOut.work)).rejects.toMatchObject({ code: -32000 });
  });

  it("[B18] refuses to fork with the reason", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const fork = editor.agent.request("session/fork" as "session/load", {
      sessionId,
      cwd: host.work,
      mcpServers: [],
    });
    await expect(fork).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining("cannot be forked"),
    });
  });

  it("[B19] deletes a session for everybody, and one that is not there at once", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.agent.request("session/delete", { sessionId });
    expect(host.host.listSessions({ kind: "owner" }, true)).toEqual([]);
    expect(await editor.agent.request("session/delete", { sessionId })).toEqual({});
  });

  it("[B20] sends links, embedded text and pictures on to the agent", async () => {
    const capabilities = { promptCapabilities: { image: true } };
    const host = await serve({ script: { ...script, capabilities } });
    const { editor, sessionId } = await open(host);
    await editor.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "look" },
        { type: "resource_link", uri: "file:///tmp/a.txt", name: "a.txt" },
        { type: "resource", resource: { uri: "file:///tmp/b.txt", text: "unsaved" } },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ],
    });
    const heard = host.agentRecord();
    expect(heard).toContain('"type":"resource_link","uri":"file:///tmp/a.txt","name":"a.txt"');
    expect(heard).toContain(String.raw`<context ref=\"file:///tmp/b.txt\">\nunsaved\n</context>`);
    expect(heard).toContain('"type":"image","data":"aGk=","mimeType":"image/png"');
  });
});
