// Messages that wait while their host is killed: sent by the next one, as their senders asked.
import { rmSync } from "node:fs";
import path from "node:path";
import { type ChatState, makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { type Restarts, useRestarts } from "../testing/restarts.ts";
import { answer, askPermission, say } from "../testing/script.ts";

const newRestarts = useRestarts();

function sessionOf(restarts: Restarts, key: string): FakeSession {
  return new FakeSession(restarts.host, key, restarts.heard);
}

/** The chat of a session once so many of its turns have ended and none runs. */
function ended(restarts: Restarts, key: string, turns: number): Promise<ChatState> {
  return until(() => {
    const { chatState } = sessionOf(restarts, key);
    return chatState.activeTurn === undefined && chatState.turns.length === turns && chatState;
  });
}

test("[R725] messages that were queued behind the turn are sent after it", async () => {
  const restarts = newRestarts({
    script: { prompts: { first: [{ do: "until", path: "go" }], "*": [say("$prompt.text")] } },
  });
  await restarts.start();
  const key = await restarts.open();
  sessionOf(restarts, key).stream("first");
  sessionOf(restarts, key).stream("second", { queue: true });
  await restarts.start();
  restarts.pass("go");
  const { turns, queuedMessages } = await ended(restarts, key, 2);
  expect(turns.map(({ message }) => message.text)).toEqual(["first", "second"]);
  expect(queuedMessages).toEqual([]);
});

/** More than is kept with a message. */
const picture = {
  mime: "image/png",
  contentString: `data:image/png;base64,${Buffer.alloc(300_000).toString("base64")}`,
};
const notStored = {
  code: "ACP_ATTACHMENT_NOT_STORED",
  message: "Attachment 1 (image/png, 300000 bytes) is no longer stored. Attach it again.",
};
const seeing = {
  protocolVersion: 1,
  agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
};

test("[N880] a queued message whose attachment is no longer stored fails, and the next one is sent", async () => {
  const restarts = newRestarts({
    script: {
      initialize: [answer(seeing)],
      prompts: { first: [{ do: "until", path: "go" }], "*": [say("$prompt.text")] },
    },
  });
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "approve-all" });
  sessionOf(restarts, key).stream("first");
  const look = { queue: true, attachments: [picture], idempotencyKey: "look" };
  sessionOf(restarts, key).stream("look", look);
  sessionOf(restarts, key).stream("", { queue: true, attachments: [picture] });
  sessionOf(restarts, key).stream("last", { queue: true });
  await restarts.start();
  const repeated = sessionOf(restarts, key).chat("look", look);
  restarts.pass("go");
  await expect(repeated).rejects.toMatchObject(notStored);
  const { turns } = await ended(restarts, key, 4);
  expect(turns.map(({ end }) => end)).toMatchObject([
    { state: "complete" },
    { state: "failed", error: notStored },
    { state: "failed", error: notStored },
    { state: "complete" },
  ]);
  expect(restarts.heard.methods.filter((method) => method === "session/prompt")).toHaveLength(2);
});

test("[N880] Retry of a message whose attachment is no longer stored is rejected, also before its agent runs", async () => {
  const restarts = newRestarts({
    script: {
      initialize: [answer(seeing)],
      prompts: { look: [{ do: "exit", code: 1 }], "*": [say("$prompt.text")] },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  const session = sessionOf(restarts, key);
  await session.stream("look", { attachments: [picture] }).ended;
  const { id: turnId } = session.lastTurn;
  const clientId = makeId("client", "ann");
  const retry = (): unknown =>
    restarts.host.submit(
      session.chatState.resource,
      { type: "chat/turnResume", turnId },
      { actor: { kind: "client", clientId }, origin: { clientId, clientSeq: 1 } },
    );
  expect(await retry()).toMatchObject({ outcome: "rejected", reason: notStored.message });
  expect(session.lastTurn).toMatchObject({ id: turnId, end: { state: "failed" } });
  expect(restarts.heard.methods.filter((method) => method === "session/prompt")).toHaveLength(1);
});

test("[R740] a request that was queued by a client that cannot be asked is denied in the next host as well", async () => {
  const prompts = {
    first: [{ do: "until", path: "go" }],
    second: [askPermission("rm", {}), say("Done")],
  } as const;
  const restarts = newRestarts({ script: { prompts } });
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "ask" });
  sessionOf(restarts, key).stream("first");
  void sessionOf(restarts, key).chat("second", { queue: true });
  await restarts.start();
  restarts.pass("go");
  await ended(restarts, key, 2);
  expect(sessionOf(restarts, key).toolCalls).toMatchObject([{ status: "cancelled", reason: "denied" }]);
  expect(restarts.heard.answers("rm")).toMatchObject([{ result: { outcome: { optionId: "no" } } }]);
});

test.each([
  ["a message that was queued", "queued"],
  ["a turn that waited for its agent", "begun"],
])("[R740] %s fails on lost context in the next host as well, on request", async (_what, when) => {
  const initialize = [{ do: "until", path: "start" }, answer({ protocolVersion: 1 })] as const;
  const restarts = newRestarts({ script: { initialize, prompts: { first: [{ do: "until", path: "go" }] } } });
  restarts.pass("start");
  await restarts.start();
  const key = await restarts.open({ approvalPolicy: "approve-all" });
  sessionOf(restarts, key).stream("first");
  await restarts.heard.heard("session/prompt");
  rmSync(path.join(restarts.folder, "start"));
  const exit = (): void => void process.kill(restarts.heard.process.pid, "SIGKILL");
  void sessionOf(restarts, key).chat("second", { queue: true, onContextLost: "fail" });
  if (when === "begun") {
    exit();
    await until(() => restarts.heard.processes.length === 2);
  }
  await restarts.start();
  if (when === "queued") exit();
  restarts.pass("start");
  const { turns } = await ended(restarts, key, 2);
  expect(turns[1]?.end).toMatchObject({ state: "failed", error: { code: "ACP_CONTEXT_LOST" } });
});
