// Opening sessions: the callers, the limits, the directories, and the responses.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defaultChatUri, makeId, ROOT_URI } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { submitterOf } from "../caller.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { say, update } from "../testing/script.ts";
import { uriOfKey } from "../testing/session-uri.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N4] an unknown agent is ACP_UNKNOWN_AGENT, with exactly this message", async () => {
  const message = "No ACP provider found for agent 'nobody'.";
  await expect(newHost().open({ agent_id: "nobody" })).rejects.toMatchObject({
    code: "ACP_UNKNOWN_AGENT",
    status: 404,
    message,
  });
});

test("[N4] an agent that the configuration does not allow, by id or by handle, is ACP_AGENT_NOT_ALLOWED", async () => {
  const host = newHost({ agents: { mine: {}, other: {} }, config: { allowedAgents: ["mine", "claude"] } });
  await expect(host.open({ agent_id: "other" })).rejects.toMatchObject({
    code: "ACP_AGENT_NOT_ALLOWED",
    status: 403,
  });
  await expect(host.open({ agent_id: "claude-cli" })).rejects.toMatchObject({
    code: "ACP_SESSION_INIT_FAILED",
  });
  expect((await host.open({ agent_id: "mine" })).status.state).toBe("ready");
});

test("[N4] one session more than there may be is ACP_MAX_SESSIONS, also while they are being opened", async () => {
  const host = newHost({ config: { maxSessions: 2 } });
  const opened = await Promise.allSettled([host.open(), host.open(), host.open(), host.open()]);
  expect(opened.map(({ status }) => status).toSorted()).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  for (const result of opened) {
    if (result.status === "rejected") {
      expect(result.reason).toMatchObject({ code: "ACP_MAX_SESSIONS", status: 429 });
    }
  }
  const [{ session_key: key } = { session_key: "" }] = host.host.listSessions(ME);
  await host.host.closeSession(key, undefined, ME);
  expect((await host.open()).status.state).toBe("ready");
});

test("[N4] a session that failed to open takes no place", async () => {
  const host = newHost({
    agents: { mine: [{ initialize: [{ do: "exit", code: 1 }] }, {}] },
    config: { maxSessions: 1 },
  });
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_SESSION_INIT_FAILED" });
  expect((await host.open()).status.state).toBe("ready");
});

test("[N870] a session whose agent did not start stays without one, takes no message and no place", async () => {
  const host = newHost({
    agents: {
      mine: [
        {
          initialize: [
            { do: "until", path: "go" },
            { do: "exit", code: 1 },
          ],
        },
        {},
      ],
    },
    config: { maxSessions: 1 },
  });
  const options = { cwd: host.work, agent_id: "mine" };
  const request = { type: "root/createSession", options, awaitsAgent: false } as const;
  expect(await host.host.submit(ROOT_URI, request, submitterOf(ME))).toMatchObject({ outcome: "accepted" });
  const [{ session_key: key } = { session_key: "" }] = host.host.listSessions(ME);
  const session = new FakeSession(host.host, key, host.heard());
  const turns = [session.stream("first"), session.stream("second", { queue: true })];
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_MAX_SESSIONS" });
  host.pass("go");
  await Promise.all(turns.map(({ ended }) => ended));
  expect(session.chatState.turns.map(({ end }) => end)).toMatchObject(
    turns.map(() => ({ state: "failed", error: { code: "ACP_SESSION_INIT_FAILED" } })),
  );
  const rejected = {
    code: "ACP_SESSION_INIT_FAILED",
    message: expect.stringMatching(/Open a new session\.$/),
  };
  expect(() => session.stream("third")).toThrow(expect.objectContaining(rejected));
  const message = { text: "fourth", origin: { kind: "user" } } as const;
  const start = { type: "chat/turnStarted", turnId: makeId("turn", "t"), startedAt: "", message } as const;
  const chat = defaultChatUri(session.state.resource);
  expect(await host.host.submit(chat, start, submitterOf(ME))).toMatchObject({
    outcome: "rejected",
    code: "ACP_SESSION_INIT_FAILED",
  });
  expect(session.state.lifecycle.status).toBe("failed");
  expect(host.heard().processes).toHaveLength(1);
  expect((await host.open()).status.state).toBe("ready");
});

test("[N4] where agents are switched off, every creation is ACP_DISABLED", async () => {
  const host = newHost({ config: { acp: { enabled: false } } });
  expect(host.host.acpEnabled).toBe(false);
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_DISABLED", status: 503 });
});

test("[N4] a directory that is not there, or is a file, is ACP_INVALID_OPTION and named", async () => {
  const host = newHost();
  const file = path.join(host.work, "file");
  writeFileSync(file, "");
  for (const cwd of [path.join(host.work, "none"), file]) {
    const message = expect.stringContaining(cwd) as string;
    await expect(host.open({ cwd })).rejects.toMatchObject({
      code: "ACP_INVALID_OPTION",
      status: 400,
      message,
    });
  }
  expect(host.heard().processes).toEqual([]);
});

test("[N5] a session is described by the request, and by the configuration where the request is silent", async () => {
  const models = { currentModelId: "small", availableModels: [{ modelId: "small" }, { modelId: "big" }] };
  const host = newHost({
    agents: { mine: { session: { models } } },
    config: { defaults: { approvalPolicy: "approve-reads", timeoutSeconds: 60 } },
    now: () => new Date("2026-01-02T03:04:05Z"),
  });
  mkdirSync(path.join(host.work, "sub"));
  const session = await host.open({ cwd: path.join(host.work, "sub"), label: "Mine", model: "big" });
  expect(session.status).toEqual({
    session_key: session.key,
    uri: uriOfKey(session.key),
    agent_id: "mine",
    state: "ready",
    backend_id: expect.stringMatching(/^fake-/) as string,
    created_at: "2026-01-02T03:04:05.000Z",
    last_activity_at: "2026-01-02T03:04:05.000Z",
    runtime_options: {
      cwd: path.join(host.work, "sub"),
      model: "big",
      approvalPolicy: "approve-reads",
      timeoutSeconds: 60,
    },
    label: "Mine",
    title: "Mine",
    isolation: { wanted: "none", level: "none" },
    current_model: "big",
    config_options: [expect.objectContaining({ currentValue: "big" }) as object],
  });
  const other = await host.open({ approvalPolicy: "deny-all" });
  expect(other.status.runtime_options).toMatchObject({ approvalPolicy: "deny-all" });
  expect(host.host.listSessions(ME).map(({ session_key: key }) => key)).toEqual([session.key, other.key]);
});

test("[N5] the root lists the sessions there are, with what they are about", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await host.open({ label: "Mine" });
  const root = (): unknown => host.host.hub.list("root")[0]?.state.sessions;
  expect(root()).toMatchObject([{ title: "Mine" }]);
  session.stream("long");
  expect(root()).toMatchObject([{ phase: { status: "busy" } }]);
  await session.close();
  expect(root()).toEqual([]);
});

test("[N340] a session without a name is named after its first message, until its agent or a person names it", async () => {
  const host = newHost({
    agents: {
      mine: { prompts: { "*": [say("Yes.")], name: [update("session_info_update", { title: "Its own" })] } },
    },
  });
  const titleAfter = async (...messages: readonly string[]): Promise<string> => {
    const session = await host.open();
    for (const message of messages) await session.turn(message);
    return session.state.title;
  };
  expect(await titleAfter("\n  Fix   the roof \nand the door", "Then paint it")).toBe("Fix the roof");
  expect(await titleAfter("x".repeat(200))).toBe(`${"x".repeat(79)}…`);
  expect(await titleAfter("hello", "name", "again")).toBe("Its own");
  const labelled = await host.open({ label: "Mine" });
  await labelled.turn("hello");
  expect(labelled.state).toMatchObject({ label: "Mine", title: "Mine" });
});
