// Updates of agents: every kind is kept, and the oddities of real agents do no harm.
import { channelModels, turnParts } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, say, type Script, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Runs the steps as one turn of a session that allows everything. */
async function play(steps: readonly Step[], script: Script = {}) {
  const host = newHost({ agents: { mine: { ...script, prompts: { go: steps } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = await session.turn("go");
  return { host, session, turn };
}

test("[N9] text and thought become parts in their order; a new messageId and a tool call begin new ones", async () => {
  const chunk = (kind: string, text: string, messageId?: string): Step =>
    update(kind, { content: { type: "text", text }, messageId });
  const { session } = await play([
    chunk("agent_thought_chunk", "Let me "),
    chunk("agent_thought_chunk", "see"),
    chunk("agent_message_chunk", "One", "m1"),
    chunk("agent_message_chunk", " more", "m1"),
    chunk("agent_message_chunk", "Two", "m2"),
    update("tool_call", { toolCallId: "t", title: "Look", kind: "search", status: "completed" }),
    chunk("agent_message_chunk", "Three", "m2"),
  ]);
  const parts = session.lastTurn.responseParts.map((part) =>
    "content" in part ? [part.kind, part.content] : [part.kind],
  );
  expect(parts).toEqual([
    ["reasoning", "Let me see"],
    ["markdown", "One more"],
    ["markdown", "Two"],
    ["toolCall"],
    ["markdown", "Three"],
  ]);
});

test("[N341] a text that repeats a tool call of its turn names it, and a failed step of a plan has failed", async () => {
  const call = { toolCallId: "t", title: "Look", kind: "execute", status: "completed" };
  const repeat = (text: string, repeatsToolCall: unknown): Step =>
    update("agent_message_chunk", {
      content: { type: "text", text },
      messageId: text,
      _meta: { holdfast: { repeatsToolCall } },
    });
  const step = { content: "Look", priority: "low", status: "completed" };
  const { session } = await play([
    update("tool_call", call),
    repeat("same", "t"),
    repeat("other", "unknown"),
    repeat("odd", 7),
    update("plan", { entries: [step, { ...step, _meta: { holdfast: { outcome: "failed" } } }] }),
  ]);
  const texts = turnParts(session.lastTurn).flatMap((part) =>
    part.kind === "markdown" ? [[part.content, part.repeats]] : [],
  );
  expect(texts).toEqual([
    ["same", "t"],
    ["other", undefined],
    ["odd", undefined],
  ]);
  expect(session.lastTurn.plans).toMatchObject([
    { entries: [{ status: "completed" }, { status: "failed" }] },
  ]);
});

test("[N9] a picture in an answer is a part that can be fetched", async () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  const { session } = await play([update("agent_message_chunk", { content: image })]);
  expect(session.lastTurn.responseParts).toMatchObject([
    { kind: "contentRef", uri: "data:image/png;base64,aGk=", contentType: "image/png" },
  ]);
});

test("[N304] resources that come along in an answer or a tool call are kept, texts and bytes", async () => {
  const text = { uri: "file:///notes.md", mimeType: "text/markdown", text: "# Größe" };
  const blob = { uri: "file:///a.bin", blob: "AAE=" };
  const resource = (content: object): Step =>
    update("agent_message_chunk", { content: { type: "resource", resource: content } });
  const { session } = await play([
    resource(text),
    resource(blob),
    update("tool_call", {
      toolCallId: "t",
      title: "Read",
      status: "completed",
      content: [{ type: "content", content: { type: "resource", resource: text } }],
    }),
  ]);
  const data = Buffer.from("# Größe").toString("base64");
  expect(session.lastTurn.responseParts).toMatchObject([
    {
      kind: "contentRef",
      uri: `data:text/markdown;base64,${data}`,
      contentType: "text/markdown",
      name: "file:///notes.md",
    },
    { kind: "contentRef", uri: "data:application/octet-stream;base64,AAE=", name: "file:///a.bin" },
    { toolCall: { content: [{ type: "embeddedResource", data, contentType: "text/markdown" }] } },
  ]);
});

test("[N9] a null in place of an optional member counts as absent, in an answer and in a tool call", async () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png", uri: null, annotations: null };
  const link = { type: "resource_link", uri: "file:///a", name: "a", mimeType: null, title: null };
  const text = { type: "resource", resource: { uri: "file:///b", mimeType: null, text: "b" } };
  const contents = [image, link, text];
  const { session, turn } = await play([
    ...contents.map((content) => update("agent_message_chunk", { content, messageId: null })),
    update("tool_call", {
      toolCallId: "t",
      title: "Read",
      name: null,
      status: "completed",
      locations: [{ path: "/a", line: null }],
      content: contents.map((content) => ({ type: "content", content })),
    }),
    update("tool_call_update", { toolCallId: "t", title: null, kind: null, content: null, locations: null }),
  ]);
  const b = Buffer.from("b").toString("base64");
  expect(session.lastTurn.responseParts).toMatchObject([
    { kind: "contentRef", uri: "data:image/png;base64,aGk=", contentType: "image/png" },
    { kind: "contentRef", uri: "file:///a", name: "a" },
    { kind: "contentRef", uri: `data:text/plain;base64,${b}`, name: "file:///b" },
    {
      toolCall: {
        content: [
          { type: "embeddedResource", data: "aGk=", contentType: "image/png" },
          { type: "resource", uri: "file:///a" },
          { type: "embeddedResource", data: b, contentType: "text/plain" },
        ],
      },
    },
  ]);
  // A chat that is loaded from the storage leaves out actions that the model does not know.
  const problems = turn.actions.map((action) => channelModels.chat.checkAction(action));
  expect(problems.filter(({ ok }) => !ok)).toEqual([]);
});

test.each(["end_turn", "cancelled"])(
  "[N305] the tokens that a prompt used are kept with its turn, which ends with %s",
  async (stopReason) => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, totalTokens: 18, odd: "x" };
    const { session } = await play([{ do: "answer", result: { stopReason, usage } }]);
    expect(session.lastTurn.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 3,
      totalTokens: 18,
    });
  },
);

test("[N305] the response of a synchronous chat has the token counts too, and malformed usage is left out", async () => {
  const answers = {
    good: [{ do: "answer", result: { stopReason: "end_turn", usage: { totalTokens: 7 } } }],
    odd: [{ do: "answer", result: { stopReason: "end_turn", usage: { totalTokens: -1 } } }],
    none: [{ do: "answer", result: { stopReason: "end_turn", usage: null } }],
  } as const;
  const host = newHost({ agents: { mine: { prompts: answers } } });
  const { key } = await host.open({ approvalPolicy: "approve-all" });
  const usageOf = async (message: string): Promise<unknown> =>
    (await host.host.chat(key, { message }, ME)).usage;
  expect(await usageOf("good")).toEqual({ totalTokens: 7 });
  expect(await usageOf("odd")).toBeUndefined();
  expect(await usageOf("none")).toBeUndefined();
});

test("[N9] plan, commands, mode, options, title and usage all arrive", async () => {
  const modes = {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
  };
  const option = {
    id: "model",
    name: "Model",
    type: "select",
    currentValue: "b",
    options: [
      {
        name: "All",
        options: [
          { value: "a", name: "A" },
          { value: "b", name: "B" },
        ],
      },
    ],
  };
  const { session } = await play(
    [
      update("plan", {
        entries: [{ content: "Think", priority: "high", status: "completed" }, { content: "Do" }],
      }),
      update("available_commands_update", {
        availableCommands: [{ name: "fix", description: "Fix it", input: { hint: "what" } }],
      }),
      update("current_mode_update", { currentModeId: "code" }),
      update("config_option_update", {
        configOptions: [
          option,
          { id: "fast", name: "Fast", type: "boolean", currentValue: true },
          { id: "odd", name: "Odd", type: "dial", currentValue: "1" },
        ],
      }),
      update("session_info_update", { title: "Fixing" }),
      update("usage_update", { used: 5, size: 100 }),
    ],
    { session: { modes } },
  );
  expect(session.lastTurn.plans).toMatchObject([
    {
      entries: [
        { content: "Think", priority: "high", status: "completed" },
        { content: "Do", status: "pending" },
      ],
    },
  ]);
  expect(session.state).toMatchObject({
    title: "Fixing",
    commands: [{ name: "fix", inputHint: "what" }],
    modes: { currentModeId: "code" },
  });
  expect(session.state.configOptions).toMatchObject([
    { id: "model", currentValue: "b", choices: [{ value: "a", group: "All" }, { value: "b" }] },
    { id: "fast", currentValue: true },
  ]);
  expect(session.chatState.contextUsage).toMatchObject({ usedTokens: 5, sizeTokens: 100 });
});

test("[N38] models reported in the older way outlast an update of the other options, until these have a model", async () => {
  const models = { currentModelId: "big", availableModels: [{ modelId: "small" }, { modelId: "big" }] };
  const fast = { id: "fast", name: "Fast", type: "boolean", currentValue: true };
  const optionsUpdate = (configOptions: readonly object[]): Parameters<typeof play>[0][number] =>
    update("config_option_update", { configOptions });
  const { session: kept } = await play([optionsUpdate([fast])], { session: { models } });
  expect(kept.state.configOptions).toMatchObject([
    { category: "model", currentValue: "big", choices: [{ value: "small" }, { value: "big" }] },
    { id: "fast", currentValue: true },
  ]);
  const own = {
    id: "llm",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: "x",
    options: [],
  };
  const { session: replaced } = await play([optionsUpdate([fast, own])], { session: { models } });
  expect(replaced.state.configOptions).toMatchObject([{ id: "fast" }, { id: "llm" }]);
});

test("[N9] an update of a kind that nobody knows is kept as it came, and an update without sense does no harm", async () => {
  const { session } = await play([
    update("hologram_update", { beams: 3, _meta: { a: 1 } }),
    { do: "notify", method: "session/update", params: { sessionId: "x" } },
    { do: "notify", method: "session/update" },
    update("tool_call", { title: "No id" }),
    update("plan", { entries: "none" }),
    say("still here"),
  ]);
  expect(session.chatState.agentUpdates).toEqual([
    {
      updateKind: "hologram_update",
      count: 1,
      update: { sessionUpdate: "hologram_update", beams: 3, _meta: { a: 1 } },
    },
  ]);
  expect(session.text).toBe("still here");
});

test("[N9] a line of ten megabytes is read", async () => {
  const { session } = await play([{ do: "hugeLine", sizeBytes: 10 * 1024 * 1024, text: "0123456789abcdef" }]);
  const [part] = turnParts(session.lastTurn);
  // Memory holds the end of it (N240).
  const omittedChars = part?.kind === "markdown" ? (part.omittedChars ?? 0) : 0;
  expect(session.text.length + omittedChars).toBe(10 * 1024 * 1024);
});

test("[N10] a permission request may be the first report of a tool call", async () => {
  const call = {
    kind: "edit",
    title: "Write a.txt",
    locations: [{ path: "/a.txt", line: 4 }],
    rawInput: { path: "/a.txt" },
    content: [{ type: "diff", path: "/a.txt", oldText: null, newText: "new" }],
  };
  const { session } = await play([
    askPermission("call-1", call),
    update("tool_call_update", { toolCallId: "call-1", status: "completed" }),
  ]);
  expect(session.toolCalls).toMatchObject([
    {
      toolCallId: "call-1",
      status: "completed",
      confirmed: "setting",
      displayName: "Write a.txt",
      toolKind: "edit",
      locations: [{ path: "/a.txt", line: 4 }],
      content: [{ type: "fileEdit", path: "/a.txt", after: { kind: "text", text: "new" } }],
    },
  ]);
});

test("[N10] a tool call that is reported twice is one call with the newest text; after its end nothing changes it", async () => {
  const { session } = await play([
    update("tool_call", { toolCallId: "t", title: "Terminal", status: "pending" }),
    update("tool_call", {
      toolCallId: "t",
      title: "ls -l",
      kind: "execute",
      status: "in_progress",
      rawInput: { command: "ls -l" },
    }),
    update("tool_call_update", {
      toolCallId: "t",
      status: "completed",
      rawOutput: { code: 0 },
      content: [{ type: "content", content: { type: "text", text: "total 0" } }],
    }),
    update("tool_call", { toolCallId: "t", title: "again", status: "pending" }),
  ]);
  expect(session.toolCalls).toMatchObject([
    {
      displayName: "ls -l",
      toolKind: "execute",
      rawInput: { command: "ls -l" },
      status: "completed",
      result: { success: true, rawOutput: { code: 0 } },
      content: [{ type: "text", text: "total 0" }],
    },
  ]);
});

test("[N10] a failed call has failed, and one that the turn left open is over with the turn", async () => {
  const { session } = await play([
    update("tool_call", { toolCallId: "bad", title: "Bad", status: "pending" }),
    update("tool_call_update", { toolCallId: "bad", status: "failed" }),
    update("tool_call", { toolCallId: "open", title: "Open", status: "in_progress" }),
  ]);
  expect(session.toolCalls).toMatchObject([{ status: "failed" }, { status: "cancelled", reason: "skipped" }]);
});

test("[N10] content of a tool call that we do not know is kept as it came", async () => {
  const { session } = await play([
    update("tool_call", {
      toolCallId: "t",
      title: "T",
      content: [{ type: "terminal" }, { type: "scent", name: "rose" }],
    }),
  ]);
  expect(session.toolCalls[0]?.content).toEqual([
    { type: "raw", value: { type: "terminal" } },
    { type: "raw", value: { type: "scent", name: "rose" } },
  ]);
});

test("[N11] unknown requests get -32601 at once, with or without an underscore; unknown notifications are ignored", async () => {
  const { session } = await play([
    ask("plain", "craft/drainMidTurnQueue", { a: 1 }),
    ask("private", "_x.ai/thing"),
    { do: "notify", method: "qwen/notify/something", params: { b: 2 } },
    { do: "notify", method: "_auth/status_update", params: {} },
    say("done"),
  ]);
  expect((await session.agent.answer("plain")).error).toMatchObject({ code: -32601 });
  expect((await session.agent.answer("private")).error).toMatchObject({ code: -32601 });
  expect(session.text).toBe("done");
});

test("[N455] a tool call id above 1,024 characters drops the update, a title above 16,384 is cut, a question with either is refused", async () => {
  const mebibyte = 1024 * 1024;
  const { session, host } = await play([
    update("tool_call", { toolCallId: "i".repeat(mebibyte), title: "dropped" }),
    update("tool_call", { toolCallId: "t", title: "T".repeat(mebibyte) }),
    update("tool_call_update", { toolCallId: "t", title: "U".repeat(mebibyte), status: "completed" }),
    askPermission("i".repeat(1025), { kind: "execute" }),
    askPermission("long", { kind: "execute", title: "T".repeat(16_385) }),
    askPermission("short", { kind: "execute", title: "T".repeat(16_384) }),
    say("done"),
  ]);
  const calls = turnParts(session.lastTurn).flatMap((part) =>
    part.kind === "toolCall" ? [part.toolCall] : [],
  );
  expect(
    calls.map(({ toolCallId, displayName }) => [toolCallId, displayName.length, displayName.slice(-1)]),
  ).toEqual([
    ["t", 16_384, "…"],
    ["short", 16_384, "T"],
  ]);
  expect(host.log.filter((line) => line.includes("An update was dropped"))).toHaveLength(1);
  expect(session.text).toBe("done");
});

test("[N456] an error message above 16,384 characters is cut, and a session id above 1,024 fails the start", async () => {
  const { session } = await play([{ do: "fail", code: -32000, message: "E".repeat(5 * 1024 * 1024) }]);
  const { end } = session.lastTurn;
  expect(end).toMatchObject({ error: { code: "ACP_TURN_FAILED" } });
  expect(JSON.stringify(end).length).toBeLessThan(17_000);
  const long = newHost({
    agents: { mine: { newSession: [{ do: "answer", result: { sessionId: "s".repeat(8 * 1024 * 1024) } }] } },
  });
  await expect(long.open()).rejects.toMatchObject({
    code: "ACP_SESSION_INIT_FAILED",
    message: expect.stringContaining("named its session with more than 1024 characters") as string,
  });
});
