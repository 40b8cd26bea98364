// Sessions that outlive their process: listed, loaded with their history, resumed without it.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { SessionUpdate } from "../acp/session-update.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();

const kinds = (updates: SessionUpdate[]): string[] => updates.map((update) => update.sessionUpdate);

/** The updates that were on the wire before the first answer that has modes: that of the load. */
function replayedBeforeAnswer({ process: { sent } }: ShellClient): SessionUpdate[] {
  const answer = sent.findIndex(
    (message) => typeof message.result === "object" && "modes" in (message.result ?? {}),
  );
  expect(answer).toBeGreaterThan(0);
  return sent
    .slice(0, answer)
    .flatMap(({ method, params }) =>
      method === "session/update" ? [(params as { update: SessionUpdate }).update] : [],
    );
}

/** Runs a session in a process that ends, and returns what its history should have. */
async function runSession(stateFolder: string): Promise<{ client: ShellClient; sessionId: string }> {
  const client = await start({ stateFolder });
  const sessionId = await client.open(folder);
  client.permission = () => ({ outcome: "selected", optionId: "run-all-from-now" });
  await client.prompt(sessionId, "echo first");
  await client.connection.request("session/set_mode", { sessionId, modeId: "trust" });
  await client.connection.request("session/set_mode", { sessionId, modeId: "ask" });
  await client.connection.request("session/set_config_option", {
    sessionId,
    configId: "output",
    value: "none",
  });
  await client.prompt(sessionId, "echo second\nfalse\n/no/such/program");
  await client.prompt(sessionId, "/flood 50");
  return { client, sessionId };
}

describe("a session in a folder", () => {
  it("[S18] is loaded by another process: the whole history comes before the answer, the terminals as text", async () => {
    const stateFolder = join(folder, "state-load");
    const { client, sessionId } = await runSession(stateFolder);
    await client.close();

    const next = await start({ stateFolder });
    expect(next.initialized?.agentCapabilities._meta).toEqual({
      holdfast: { keepsSessions: true, runsMessages: true },
    });
    const settings = await next.connection.request("session/load", {
      sessionId,
      cwd: folder,
      mcpServers: [],
    });
    const replayed = replayedBeforeAnswer(next);
    expect(settings).toMatchObject({
      modes: { currentModeId: "ask" },
      configOptions: [{ currentValue: "none" }],
    });
    const ran = ["tool_call", "agent_message_chunk"];
    expect(kinds(replayed)).toEqual(
      [
        ["user_message_chunk", "agent_thought_chunk", ran],
        ["user_message_chunk", "agent_thought_chunk", "plan", ran, ran, ran],
        ["user_message_chunk", "agent_thought_chunk", "agent_message_chunk"],
      ].flat(2),
    );
    expect(replayed[0]).toMatchObject({ content: { type: "text", text: "echo first" } });
    expect(replayed[2]).toMatchObject({
      title: "echo first",
      status: "completed",
      rawOutput: { exitCode: 0 },
      content: [{ type: "content", content: { text: "```\nfirst\n```" } }],
    });
    expect(replayed[6]).toMatchObject({
      entries: [{ status: "completed" }, { status: "completed" }, { status: "completed" }],
    });
    expect(JSON.stringify(replayed)).not.toContain('"terminal"');
    expect(next.text(sessionId)).toContain("```\nfirst\n```");
    await next.until(() => next.of(sessionId).length > replayed.length);
    expect(kinds(next.of(sessionId)).at(-1)).toBe("available_commands_update");

    // Permissions that were granted for good still hold, so there is no question.
    next.permission = () => ({ outcome: "selected", optionId: "leave-it" });
    await next.prompt(sessionId, "echo third");
    expect(next.calls(sessionId).at(-1)).toMatchObject({ title: "echo third", status: "completed" });
  });

  it("[S18] is resumed without its history, and continues", async () => {
    const stateFolder = join(folder, "state-resume");
    const { client, sessionId } = await runSession(stateFolder);
    await client.close();

    const next = await start({ stateFolder });
    const params = { sessionId, cwd: "/", mcpServers: [] };
    expect(await next.connection.request("session/resume", params)).toMatchObject({
      configOptions: [{ currentValue: "none" }],
    });
    await next.prompt(sessionId, "pwd | tee /dev/tty | grep -qx /");
    expect(kinds(next.of(sessionId)).filter((kind) => kind === "user_message_chunk")).toEqual([]);
    expect(next.calls(sessionId)).toMatchObject([{ status: "completed", rawInput: { cwd: "/" } }]);
    const before = next.of(sessionId).length;
    await next.connection.request("session/load", params);
    const titles = next
      .of(sessionId)
      .slice(before)
      .flatMap((update) => (update.sessionUpdate === "tool_call" ? [update.title] : []));
    expect(titles).toEqual([
      "echo first",
      "echo second",
      "false",
      "/no/such/program",
      "pwd | tee /dev/tty | grep -qx /",
    ]);
  });

  it("[S18] has failed what was under way when its process was killed", async () => {
    const stateFolder = join(folder, "state-killed");
    const client = await start({ stateFolder });
    const sessionId = await client.open(folder);
    const turn = client.prompt(sessionId, "echo one\necho two; sleep 600");
    await client.until(() => client.log.filter((entry) => entry === "terminal/wait_for_exit").length === 2);
    // The list waits for the disk.
    await client.connection.request("session/list", {});
    client.process.child.kill("SIGKILL");
    await expect(turn).rejects.toThrow("ended");

    const next = await start({ stateFolder });
    await next.connection.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
    expect(next.calls(sessionId)).toMatchObject([
      { title: "echo one", status: "completed" },
      { title: "echo two; sleep 600", status: "failed" },
    ]);
    expect(JSON.stringify(next.of(sessionId))).not.toContain('"terminal"');
    expect(await next.prompt(sessionId, "true")).toEqual({ stopReason: "end_turn" });
  });

  it("[S19] is listed, newest first, with its title", async () => {
    const stateFolder = join(folder, "state-list");
    const client = await start({ stateFolder });
    const older = await client.open(folder);
    await client.prompt(older, "/sleep 0.01");
    const newer = await client.open("/");
    await client.connection.request("session/close", { sessionId: newer });
    await client.prompt(older, "/sleep 0.01");
    const { sessions, nextCursor } = await client.connection.request("session/list", {});
    expect(sessions).toMatchObject([
      { sessionId: older, cwd: folder, title: "/sleep 0.01" },
      { sessionId: newer, cwd: "/" },
    ]);
    expect(sessions[1]).not.toHaveProperty("title");
    expect(nextCursor).toBeUndefined();
    expect((await client.connection.request("session/list", { cwd: "/" })).sessions).toHaveLength(1);
    const other = await start({ stateFolder });
    expect((await other.connection.request("session/list", {})).sessions).toEqual(sessions);
  });
});

describe("a session in memory", () => {
  it("[S18] is loaded in its own process, also after it was closed, and in no other", async () => {
    const client = await start();
    const sessionId = await client.open(folder);
    await client.prompt(sessionId, "/help");
    await client.connection.request("session/close", { sessionId });
    client.process.sent.length = 0;
    const params = { sessionId, cwd: folder, mcpServers: [] };
    await client.connection.request("session/load", params);
    expect(kinds(replayedBeforeAnswer(client))).toEqual([
      "user_message_chunk",
      "agent_thought_chunk",
      "agent_message_chunk",
    ]);
    const other = await start();
    await expect(other.connection.request("session/load", params)).rejects.toMatchObject({ code: -32002 });
    expect(await other.connection.request("session/list", {})).toEqual({ sessions: [] });
  });

  it("[S19] there are pages of 50", async () => {
    const client = await start();
    for (let count = 0; count < 60; count += 1) await client.open(folder);
    const first = await client.connection.request("session/list", { cwd: folder });
    expect(first.sessions).toHaveLength(50);
    const { sessions, ...rest } = await client.connection.request("session/list", {
      cursor: first.nextCursor,
    });
    expect(sessions).toHaveLength(10);
    expect(rest).toEqual({});
    expect(new Set([...first.sessions, ...sessions].map((session) => session.sessionId)).size).toBe(60);
  });
});
