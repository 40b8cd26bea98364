// Turns of a session: one at a time, queued in order, and an end that comes after all updates.
import { type ChatAction, defaultChatUri, makeId, type PendingMessageId } from "@holdfast/ahp";
import { expect, test, vi } from "vitest";
import { Redactor } from "../redaction/redactor.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { answer, ask, say, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Another client sets a message that waits. */
function setPending(
  { host }: FakeHost,
  session: FakeSession,
  kind: "queued" | "steering",
  id: PendingMessageId,
  text: string,
) {
  const pending = { id, message: { text, origin: { kind: "user" as const } } };
  const clientId = makeId("client", "ann");
  const action = { type: "chat/pendingMessageSet", kind, pending } as const;
  return host.submit(defaultChatUri(session.state.resource), action, {
    actor: { kind: "client", clientId },
    origin: { clientId, clientSeq: 1 },
  });
}

test("[N6] while a turn runs a second one is rejected with ACP_TURN_ACTIVE, streamed or not", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("long");
  expect(() => session.stream("another")).toThrow(expect.objectContaining({ code: "ACP_TURN_ACTIVE" }));
  await expect(session.chat("another")).rejects.toMatchObject({ code: "ACP_TURN_ACTIVE", status: 409 });
  await session.cancel();
  expect(session.chatState.turns).toHaveLength(1);
  expect(await session.chat("another")).toMatchObject({ stop_reason: "end_turn" });
});

test("[N7] queued turns run in the order in which they came, and the seventeenth is rejected with ACP_QUEUE_FULL", async () => {
  const host = newHost({ agents: { mine: { prompts: { first: [{ do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const first = session.stream("first");
  const names = Array.from({ length: 16 }, (_, index) => `queued ${index}`);
  const queued = names.map((name) => session.stream(name, { queue: true }));
  expect(() => session.stream("too many", { queue: true })).toThrow(
    expect.objectContaining({ code: "ACP_QUEUE_FULL" }),
  );
  await session.agent.heard("session/prompt");
  process.kill(session.agent.process.pid, "SIGKILL");
  expect(await first.ended).toMatchObject({ type: "chat/error", error: { code: "ACP_AGENT_EXITED" } });
  const ends = await Promise.all(queued.map((turn) => turn.ended));
  expect(ends.map(({ type }) => type)).toEqual(names.map(() => "chat/turnComplete"));
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["first", ...names]);
});

test("[N840] a queued message that another client changes keeps its sender, who gets the response", async () => {
  const host = newHost({
    agents: { mine: { prompts: { long: [{ do: "hang" }], "edited words": [say("to the edited words")] } } },
  });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("long");
  await session.agent.heard("session/prompt");
  const sent = { queue: true, idempotencyKey: "once" };
  const chatting = session.chat("first words", sent);
  const streamed = session.stream("the next", { queue: true });
  const [waiting] = session.chatState.queuedMessages;
  const submission = setPending(host, session, "queued", waiting!.id, "edited words");
  expect(submission).toMatchObject({ outcome: "accepted" });
  expect(session.chatState.queuedMessages.map(({ message }) => message.text)).toEqual([
    "edited words",
    "the next",
  ]);
  const repeated = session.chat("first words", sent);
  await session.cancel();
  expect(await chatting).toMatchObject({ text: "to the edited words", stop_reason: "end_turn" });
  expect(await repeated).toMatchObject({ text: "to the edited words" });
  await streamed.ended;
  expect(session.chatState.turns).toHaveLength(3);
});

test("[N841] a change of a queued message that comes after its turn began is rejected and starts nothing", async () => {
  const prompts = { long: [{ do: "hang" }], waiting: [{ do: "hang" }] } as const;
  const host = newHost({ agents: { mine: { prompts } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("long");
  const next = session.stream("waiting", { queue: true });
  const [waiting] = session.chatState.queuedMessages;
  await session.cancel();
  await next.until(({ type }) => type === "chat/turnStarted");
  const sent = { outcome: "rejected", reason: "That message has been sent already." };
  expect(setPending(host, session, "queued", waiting!.id, "edited")).toMatchObject(sent);
  expect(session.chatState.queuedMessages).toEqual([]);
  await session.cancel();
  await next.ended;
  expect(setPending(host, session, "queued", waiting!.id, "edited")).toMatchObject(sent);
  expect(await session.chat("another")).toMatchObject({ stop_reason: "end_turn" });
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["long", "waiting", "another"]);
});

test.each([
  ["queued", "steering"],
  ["steering", "queued"],
] as const)(
  "[N842] a %s message that becomes a %s one under its id waits once and is sent once",
  async (before, after) => {
    const prompts = { long: [{ do: "hang" }], changed: [say("to the changed words")] } as const;
    const host = newHost({ agents: { mine: { prompts } } });
    const session = await host.open({ approvalPolicy: "approve-all" });
    session.stream("long");
    const id = makeId("pending message", "m");
    expect(setPending(host, session, before, id, "first words")).toMatchObject({ outcome: "accepted" });
    expect(setPending(host, session, after, id, "changed")).toMatchObject({ outcome: "accepted" });
    const { queuedMessages, steeringMessage } = session.chatState;
    const all = [...queuedMessages, ...(steeringMessage === undefined ? [] : [steeringMessage])];
    expect(all.map(({ message }) => message.text)).toEqual(["changed"]);
    await session.cancel();
    await vi.waitFor(() => expect(session.chatState.turns).toHaveLength(2));
    expect(session.chatState).toMatchObject({ queuedMessages: [], steeringMessage: undefined });
    expect(await session.chat("another")).toMatchObject({ stop_reason: "end_turn" });
    const texts = session.chatState.turns.map(({ message }) => message.text);
    expect(texts).toEqual(["long", "changed", "another"]);
  },
);

test("[N842] a queued message that becomes one for the running turn keeps its idempotency key", async () => {
  const prompts = { long: [{ do: "hang" }], changed: [say("to the changed words")] } as const;
  const host = newHost({ agents: { mine: { prompts } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("long");
  await session.agent.heard("session/prompt");
  const sent = { queue: true, idempotencyKey: "once" };
  const chatting = session.chat("first words", sent);
  const id = session.chatState.queuedMessages[0]!.id;
  expect(setPending(host, session, "steering", id, "changed")).toMatchObject({ outcome: "accepted" });
  const repeated = session.chat("first words", sent);
  const streamed = session.stream("first words", sent);
  expect(session.chatState.queuedMessages).toEqual([]);
  expect(setPending(host, session, "queued", id, "changed")).toMatchObject({ outcome: "accepted" });
  const [waiting] = session.chatState.queuedMessages;
  expect(waiting?.message.request?.key).toBe("once");
  await session.cancel();
  for (const response of [chatting, repeated]) {
    expect(await response).toMatchObject({ text: "to the changed words" });
  }
  await streamed.ended;
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["long", "changed"]);
});

test.each([
  ["queued", "steering"],
  ["steering", "queued"],
] as const)(
  "[N850] a %s message that becomes a %s one has its new place before it leaves the old one",
  async (before, after) => {
    const { session, pendingActions, set } = await withRunningTurn();
    const id = makeId("pending message", "m");
    set(before, id);
    set(after, id);
    expect(await pendingActions()).toMatchObject([
      { type: "chat/pendingMessageSet", kind: before, pending: { id } },
      { type: "chat/pendingMessageSet", kind: after, pending: { id } },
      { type: "chat/pendingMessageRemoved", kind: before, id },
    ]);
    await session.cancel();
  },
);

test("[N850] a message for the running turn that another one replaces is removed", async () => {
  const { session, pendingActions, set } = await withRunningTurn();
  const [one, two] = [makeId("pending message", "one"), makeId("pending message", "two")];
  set("steering", one);
  set("steering", two);
  expect(await pendingActions()).toMatchObject([
    { type: "chat/pendingMessageSet", pending: { id: one } },
    { type: "chat/pendingMessageRemoved", kind: "steering", id: one },
    { type: "chat/pendingMessageSet", pending: { id: two } },
  ]);
  expect(session.chatState.steeringMessage?.id).toBe(two);
  await session.cancel();
});

/** A turn that hangs, with which messages can wait. */
async function withRunningTurn(): Promise<{
  session: FakeSession;
  pendingActions: () => Promise<ChatAction[]>;
  set: (kind: "queued" | "steering", id: PendingMessageId) => void;
}> {
  const host = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  session.stream("long");
  const { cursor } = host.host.hub.subscribe(defaultChatUri(session.state.resource), () => {});
  return {
    session,
    pendingActions: async () => {
      await host.host.hub.settled();
      const reading = cursor.read();
      const actions = reading.kind === "entries" ? reading.entries.map(({ action }) => action) : [];
      return (actions as ChatAction[]).filter(({ type }) => type.startsWith("chat/pendingMessage"));
    },
    set: (kind, id) => void setPending(host, session, kind, id, "words"),
  };
}

test("[E326] a tool's name is what the agent calls the tool, else its kind, and never the title", async () => {
  const title = "rm -rf /tmp/a /tmp/b && make all";
  const steps = [
    update("tool_call", { toolCallId: "kind", title, kind: "execute" }),
    update("tool_call", { toolCallId: "name", title, kind: "execute", name: "Bash" }),
    update("tool_call", { toolCallId: "none", title }),
    ask("made", "terminal/create", { command: "echo", args: ["asked", "for"], cwd: "/" }),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  await turn.until((action) => action.type === "chat/toolCallStart" && action.contributor.kind === "host");
  await session.cancel();
  await turn.ended;
  expect(session.toolCalls.map(({ toolName, displayName }) => [toolName, displayName])).toEqual([
    ["execute", title],
    ["Bash", title],
    ["other", title],
    ["execute", "echo asked for"],
  ]);
});

test("[N8] a turn's end never overtakes its updates: a thousand and the answer in one write", async () => {
  const texts = Array.from({ length: 1000 }, (_, index) => `${index} `);
  const steps: Step[] = [...texts.map(say), answer({ stopReason: "max_tokens" })];
  const host = newHost({ agents: { mine: { prompts: { flood: [{ do: "together", steps }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  for (let round = 0; round < 3; round += 1) {
    const turn = await session.turn("flood");
    expect(session.text).toBe(texts.join(""));
    expect(turn.actions.at(-1)).toMatchObject({ type: "chat/turnComplete", stopReason: "max_tokens" });
  }
  expect(await session.chat("flood")).toEqual({ text: texts.join(""), stop_reason: "max_tokens" });
});

test("[N9] an update after the prompt's response, in the same write, is kept and changes no ended turn", async () => {
  const late = [
    answer({ stopReason: "end_turn" }),
    say("too late"),
    update("usage_update", { used: 10, size: 200, cost: { amount: 0.5, currency: "USD" } }),
    update("session_info_update", { title: "A better title" }),
  ];
  const host = newHost({
    agents: { mine: { prompts: { hi: [{ do: "together", steps: [say("in time"), ...late] }] } } },
  });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = await session.turn("hi");
  await turn.until(({ type }) => type === "chat/contextUsageChanged");
  expect(session.text).toBe("in time");
  expect(session.chatState.contextUsage).toMatchObject({ usedTokens: 10, sizeTokens: 200 });
  expect(session.chatState.agentUpdates).toMatchObject([{ updateKind: "agent_message_chunk", count: 1 }]);
  await session.turn("again");
  expect(session.state.title).toBe("A better title");
});

test("[N9] an update before the first turn is kept", async () => {
  const early = update("available_commands_update", {
    availableCommands: [{ name: "web", description: "Look it up" }],
  });
  const host = newHost({ agents: { mine: { newSession: [answer({ sessionId: "fake-session" }), early] } } });
  const session = await host.open();
  await session.turn("hi");
  expect(session.state.commands).toEqual([{ name: "web", description: "Look it up" }]);
});

test("[N9] texts that continue no part are kept one by one, however many come in one write", async () => {
  const echo = (text: string): Step => update("user_message_chunk", { content: { type: "text", text } });
  const steps = [say("one "), echo("a"), echo("b"), echo("c"), say("two "), say("three "), say("four")];
  const host = newHost({
    agents: {
      mine: {
        prompts: { hi: [{ do: "together", steps: [...steps, answer({ stopReason: "end_turn" })] }] },
      },
    },
  });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.turn("hi");
  expect(session.text).toBe("one two three four");
  expect(session.chatState.agentUpdates).toMatchObject([
    { updateKind: "user_message_chunk", update: { content: { text: "c" } }, count: 3 },
  ]);
});

test("[N6] an agent's error ends the turn with its message, and the session continues", async () => {
  const host = newHost({
    agents: { mine: { prompts: { bad: [{ do: "fail", code: -32050, message: "Try later" }] } } },
  });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const failure = { code: "ACP_TURN_FAILED", message: "Try later" };
  await expect(session.chat("bad")).rejects.toMatchObject({ ...failure, details: { detailCode: "-32050" } });
  expect(session.status).toMatchObject({ state: "ready", last_error: "Try later" });
  expect(await session.chat("good")).toMatchObject({ stop_reason: "end_turn" });
});

test("[N13] a turn that takes longer than timeoutSeconds ends with ACP_TURN_TIMEOUT, and the session continues", async () => {
  const host = newHost({
    agents: { mine: { prompts: { long: [{ do: "hang" }] } } },
    config: { defaults: { timeoutSeconds: 1 } },
  });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await expect(session.chat("long")).rejects.toMatchObject({ code: "ACP_TURN_TIMEOUT", status: 504 });
  expect(session.lastTurn.end).toMatchObject({
    state: "failed",
    limit: { name: "turn-time", value: 1000, unit: "ms" },
  });
  expect(session.agent.methods).toContain("session/cancel");
  expect(await session.chat("short")).toMatchObject({ stop_reason: "end_turn" });
});

test("[N18] silence is reported and kills nothing; a sign of life takes the report back", async () => {
  const steps = [{ do: "until", path: "gate" }, say("here"), { do: "until", path: "second gate" }] as const;
  const host = newHost({ agents: { mine: { prompts: { quiet: steps } } }, timeouts: { silenceMs: 60 } });
  const session = await host.open();
  const turn = session.stream("quiet");
  const report = await turn.until(({ type }) => type === "chat/activityChanged");
  expect(report).toMatchObject({ activity: expect.stringContaining("No sign of life") as string });
  host.pass("gate");
  await turn.until(({ type }) => type === "chat/responsePart");
  await turn.until((action) => action.type === "chat/activityChanged" && action.activity === undefined);
  host.pass("second gate");
  expect(await turn.ended).toMatchObject({ type: "chat/turnComplete" });
  expect(session.agent.processes).toHaveLength(1);
});

test("[N36] an agent's message as a turn fails is published without secrets, everywhere", async () => {
  const secret = "sk-host-secret-42";
  const redactor = new Redactor();
  redactor.add(secret);
  const fails: Step = { do: "fail", code: -32_603, message: `401 for ${secret}` };
  const host = newHost({ agents: { mine: { prompts: { "*": [fails] } } }, redactor });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await expect(session.chat("hi")).rejects.toThrow("401 for [redacted]");
  expect(session.status.last_error).toBe("401 for [redacted]");
  expect(JSON.stringify([session.state, session.chatState])).not.toContain(secret);
});
