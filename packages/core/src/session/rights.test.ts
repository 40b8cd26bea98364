// Ceilings of apps on real sessions: creation, changes, defaults, links, and the end of an app's turns.
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { makeId, ROOT_URI } from "@holdfast/ahp";
import type { Ceiling } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import type { Caller } from "../caller.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { askPermission, say, type Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const agent: Script = {
  prompts: {
    "*": [say("Hello")],
    long: [say("So far"), { do: "hang" }],
    go: [askPermission("call", { title: "asked" })],
  },
};

function appWith(ceiling?: Ceiling): Extract<Caller, { kind: "app" }> {
  return { kind: "app", appId: makeId("app", "a"), ...(ceiling !== undefined && { ceiling }) };
}

const exceeded = { code: "CEILING_EXCEEDED", status: 403 };

describe("[A620] a session of an app", () => {
  test("[A620] is created and changed within the ceiling, and refused above it", async () => {
    const host = newHost({ agents: { mine: agent, other: agent } });
    const inside = path.join(host.work, "inside");
    const outside = path.join(host.folder, "outside");
    mkdirSync(inside);
    mkdirSync(outside);
    symlinkSync(outside, path.join(host.work, "link"));
    const app = appWith({ policy: "approve-reads", agents: ["mine"], roots: [host.work] });
    const create = (wanted: object): Promise<{ session_key: string }> =>
      host.host.createSession({ agent_id: "mine", cwd: host.work, ...wanted }, app);
    for (const wanted of [
      { approvalPolicy: "approve-all" },
      { agent_id: "other" },
      { cwd: outside },
      { cwd: path.join(host.work, "link") },
      { cwd: "/" },
    ]) {
      await expect(create(wanted)).rejects.toMatchObject(exceeded);
    }
    expect(host.host.listSessions(ME)).toEqual([]);
    const { session_key: key } = await create({ cwd: inside, approvalPolicy: "approve-reads" });
    const patch = (wanted: object): Promise<unknown> => host.host.patchSession(key, wanted, app);
    for (const wanted of [
      { approvalPolicy: "approve-all" },
      { cwd: outside },
      { cwd: path.join(host.work, "link"), model: "m" },
    ]) {
      await expect(patch(wanted)).rejects.toMatchObject(exceeded);
    }
    expect(host.host.getSession(key, ME).runtime_options).toEqual({
      cwd: inside,
      approvalPolicy: "approve-reads",
    });
    await patch({ approvalPolicy: "deny-all", cwd: host.work });
    expect(host.host.audit.recent.filter(({ what }) => what === "refusal")).toHaveLength(8);
    expect(host.host.audit.recent.findLast(({ what }) => what === "refusal")).toMatchObject({
      session: key,
      cwd: path.join(host.work, "link"),
      by: "app a",
    });
    // The owner may give it more.
    await host.host.patchSession(key, { approvalPolicy: "approve-all", cwd: outside }, ME);
  });

  test("[N860] names agents by id, which no other agent's handle can be", async () => {
    const host = newHost({
      agents: { claude: agent, mine: agent, other: agent },
      agentConfig: { mine: { handles: ["claude-cli", "codex-cli"] }, other: { handles: ["o"] } },
      config: { allowedAgents: ["claude-cli", "o"] },
    });
    const app = appWith({ policy: "approve-reads", agents: ["claude", "codex-cli", "o"] });
    const create = (agentId: string, caller: Caller): Promise<unknown> =>
      host.host.createSession({ agent_id: agentId, cwd: host.work }, caller);
    await expect(create("mine", ME)).rejects.toMatchObject({ code: "ACP_AGENT_NOT_ALLOWED" });
    await expect(create("mine", app)).rejects.toMatchObject({ code: "ACP_AGENT_NOT_ALLOWED" });
    await create("claude-cli", app);
    await create("other", app);
    const open = newHost({
      agents: { claude: agent, mine: agent },
      agentConfig: { mine: { handles: ["claude-cli"] } },
    });
    const wanted = { agent_id: "mine", cwd: open.work };
    await expect(
      open.host.createSession(wanted, appWith({ policy: "approve-reads", agents: ["claude-cli"] })),
    ).rejects.toMatchObject(exceeded);
  });

  test("[A620] counts the configuration's defaults, and passes through submissions of every transport", async () => {
    const host = newHost({
      agents: { mine: agent },
      config: { defaults: { agent: "mine", approvalPolicy: "approve-all", cwd: "/" } },
    });
    await expect(
      host.host.createSession({ agent_id: "mine", cwd: host.work }, appWith()),
    ).rejects.toMatchObject(exceeded);
    const { actor, ceiling } = { actor: appWith(), ceiling: { policy: "approve-reads" } as const };
    const submission = await host.host.submit(
      ROOT_URI,
      { type: "root/createSession", options: { cwd: host.work }, awaitsAgent: false },
      { actor, ceiling },
    );
    expect(submission).toMatchObject({ outcome: "rejected", code: "CEILING_EXCEEDED" });
  });

  test("[A621] without a ceiling has the default one: not in the host's home, not approve-all, its own decisions", async () => {
    const host = newHost({ agents: { mine: agent } });
    const state = path.join(host.folder, "state", "spool");
    mkdirSync(state, { recursive: true });
    const app = appWith();
    await expect(host.host.createSession({ agent_id: "mine", cwd: state }, app)).rejects.toMatchObject(
      exceeded,
    );
    const { session_key: key } = await host.host.createSession({ agent_id: "mine", cwd: host.work }, app);
    expect(host.host.getSession(key, app).runtime_options).toMatchObject({ approvalPolicy: "ask" });
    // Without a policy, an agent that does not ask would run commands that nobody sees.
    for (const approvalPolicy of ["approve-all", null] as const) {
      await expect(host.host.patchSession(key, { approvalPolicy }, app)).rejects.toMatchObject(exceeded);
    }
    const asked = new Promise<string>((resolve) => {
      host.host.watch((event) => event.type === "approval_needed" && resolve(key));
    });
    host.host.streamTurn(key, { message: "go" }, app, () => undefined);
    await asked;
    const [question] = host.host.approvals.list(app);
    expect(
      host.host.approvals.resolve(
        key,
        {
          requestId: question?.kind === "permission" ? question.toolCall.approval.id : "",
          optionId: "allow_once",
        },
        app,
      ),
    ).toEqual({ resolved: true });
  });
});

test("[A623] the end of an app's right ends its running turns and drops its queued ones, and nobody else's", async () => {
  const host = newHost({ agents: { mine: agent } });
  const app = appWith();
  const { session_key: key } = await host.host.createSession({ agent_id: "mine", cwd: host.work }, app);
  const other = await host.open();
  const kept = other.stream("long");
  await kept.until(({ type }) => type === "chat/responsePart");
  const ends: unknown[] = [];
  const ended = new Promise<void>((resolve) => {
    host.host.watch((event) => {
      if (event.type === "turn_done") ends.push(event.end);
      if (event.type === "turn_done") resolve();
    });
  });
  host.host.streamTurn(key, { message: "long" }, app, () => undefined);
  host.host.streamTurn(key, { message: "later", queue: true }, app, () => undefined);
  await host.host.cancelTurnsOf(app.appId, "The key was revoked.");
  await ended;
  expect(ends).toMatchObject([{ state: "cancelled", reason: "The key was revoked." }]);
  expect(host.host.stats().turnsRunning).toBe(1);
  await other.cancel();
});
