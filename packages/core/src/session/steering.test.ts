// Messages for the turn that runs: an agent that can takes them there, for others they come first in the queue.
import { defaultChatUri, makeId, type PendingMessageId, turnParts } from "@holdfast/ahp";
import { expect, test } from "vitest";
import type { Host } from "../host.ts";
import { until } from "../testing/agent-record.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { useRestarts } from "../testing/restarts.ts";
import { answer, say, type Script, type Step } from "../testing/script.ts";

const newHost = useFakeHosts();
const newRestarts = useRestarts();
const clientId = makeId("client", "ann");

/** A person sends a message for the running turn. */
function steer(host: Host, session: FakeSession, text: string): void {
  const submission = move(host, session, makeId("pending message", text), text);
  expect(submission).toMatchObject({ outcome: "accepted" });
}

/** A person makes a message, which may wait already, the one for the running turn. */
function move(
  host: Host,
  session: FakeSession,
  id: PendingMessageId,
  text: string,
): ReturnType<Host["submit"]> {
  const pending = { id, message: { text, origin: { kind: "user" as const } } };
  const action = { type: "chat/pendingMessageSet", kind: "steering", pending } as const;
  return host.submit(defaultChatUri(session.state.resource), action, {
    actor: { kind: "client", clientId },
    origin: { clientId, clientSeq: 1 },
  });
}

/** The parts of the turn that ended last, in words. */
function shownOf(session: FakeSession): string[] {
  return turnParts(session.lastTurn).map((part) => {
    if (part.kind === "markdown") return part.content;
    return part.kind === "systemNotification"
      ? `${part.notice.title}: ${part.notice.description}`
      : part.kind;
  });
}

function untilSteered(...after: readonly Step[]): Script {
  const steering = [...after, answer({ outcome: "injected" })];
  return { steering, prompts: { go: [say("one"), { do: "until", path: "gate" }, say("two")] } };
}

test("[N760] a message joins the running turn of an agent that takes it, and is shown in its place", async () => {
  const restarts = newRestarts({ script: untilSteered() });
  await restarts.start();
  const key = await restarts.open();
  const session = new FakeSession(restarts.host, key, restarts.heard);
  const turn = session.stream("go");
  await turn.until(({ type }) => type === "chat/responsePart");
  steer(restarts.host, session, "left, please");
  await until(() => session.chatState.steeringMessage === undefined);
  expect(await restarts.heard.heard("_session/steering")).toMatchObject({
    params: {
      prompt: [{ type: "text", text: "left, please" }],
      _meta: { steering: { idleBehavior: "promptRequired" } },
    },
  });
  restarts.pass("gate");
  await turn.ended;
  expect(session.chatState.turns).toHaveLength(1);
  expect(shownOf(session)).toEqual(["one", "Sent to the running turn: left, please", "two"]);
});

test("[N871] the sender of a queued message that joins the running turn gets that turn, and sends it once", async () => {
  const restarts = newRestarts({ script: untilSteered() });
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "approve-all" });
  const session = new FakeSession(restarts.host, key, restarts.heard);
  const turn = session.stream("go");
  await turn.until(({ type }) => type === "chat/responsePart");
  const sent = { queue: true, idempotencyKey: "once" };
  const chatting = session.chat("left", sent);
  const id = session.chatState.queuedMessages[0]!.id;
  expect(move(restarts.host, session, id, "left")).toMatchObject({ outcome: "accepted" });
  await until(() => session.chatState.steeringMessage === undefined);
  const repeated = session.chat("left", sent);
  expect(session.stream("left", sent).turnId).toBe(turn.turnId);
  await expect(session.chat("right", sent)).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
  expect(move(restarts.host, session, id, "left")).toMatchObject({
    reason: "That message has been sent already.",
  });
  restarts.pass("gate");
  for (const response of [chatting, repeated, session.chat("left", sent)]) {
    expect(await response).toMatchObject({ text: "onetwo", stop_reason: "end_turn" });
  }
  expect(session.chatState.turns).toHaveLength(1);
  const steered = restarts.heard.messages.filter(({ method }) => method === "_session/steering");
  expect(steered).toHaveLength(1);
});

test.each<readonly [string, Script]>([
  ["has no steering", { prompts: { go: [{ do: "sleep", ms: 200 }] } }],
  [
    "has no turn any more",
    { steering: [answer({ outcome: "promptRequired" })], prompts: { go: [{ do: "sleep", ms: 200 }] } },
  ],
  [
    "rejects it",
    {
      steering: [{ do: "fail", code: -32_603, message: "no" }],
      prompts: { go: [{ do: "sleep", ms: 200 }] },
    },
  ],
])("[N760] for an agent that %s, the message is sent first after the turn", async (_, script) => {
  const host = newHost({ agents: { mine: script } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const first = session.stream("go");
  const queued = session.stream("queued", { queue: true });
  await session.agent.heard("session/prompt");
  steer(host.host, session, "steered");
  expect(session.chatState.steeringMessage?.message.text).toBe("steered");
  await first.ended;
  await queued.ended;
  expect(session.chatState.turns.map(({ message }) => message.text)).toEqual(["go", "steered", "queued"]);
});

test("[N760] a message on its way when the host is killed reaches the agent once", async () => {
  const restarts = newRestarts({ script: untilSteered({ do: "until", path: "steered" }) });
  await restarts.start();
  const key = await restarts.open();
  const before = new FakeSession(restarts.host, key, restarts.heard);
  await before.stream("go").until(({ type }) => type === "chat/responsePart");
  steer(restarts.host, before, "left");
  await restarts.heard.heard("_session/steering");
  await restarts.start();
  const after = new FakeSession(restarts.host, key, restarts.heard);
  expect(after.chatState.steeringMessage?.message.text).toBe("left");
  restarts.pass("steered");
  await until(() => after.chatState.steeringMessage === undefined);
  restarts.pass("gate");
  await until(() => after.chatState.turns.length === 1 && after.chatState.activeTurn === undefined);
  expect(shownOf(after)).toEqual(["one", "Sent to the running turn: left", "two"]);
  const steered = restarts.heard.messages.filter(({ method }) => method === "_session/steering");
  expect(steered).toHaveLength(1);
});

test("[R3] a message for the running turn, and one behind it, go with a host and an agent that are lost together", async () => {
  const restarts = newRestarts({ script: { prompts: { go: [say("one"), { do: "hang" }] } } });
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "approve-all" });
  const before = new FakeSession(restarts.host, key, restarts.heard);
  await before.stream("go").until(({ type }) => type === "chat/responsePart");
  before.stream("queued", { queue: true });
  steer(restarts.host, before, "left");
  await restarts.host.hub.settled();
  await restarts.loseRuns();
  await restarts.start();
  const after = new FakeSession(restarts.host, key, restarts.heard);
  expect(await after.chat("again")).toMatchObject({ stop_reason: "end_turn" });
  expect(after.chatState).toMatchObject({ queuedMessages: [], steeringMessage: undefined });
  expect(after.chatState.turns.map(({ message }) => message.text)).toEqual(["go", "again"]);
});
