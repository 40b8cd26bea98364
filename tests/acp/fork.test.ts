// `session/fork` of editors: the agent's own fork, in a new session of the host.
import { describe, expect, it } from "vitest";
import { answer, say } from "../../packages/core/src/testing/script.ts";
import { useServedHosts } from "../ahp/served-host.ts";
import { connect, open } from "./scripted-editor.ts";

const serve = useServedHosts();
const forking = {
  capabilities: { loadSession: true, sessionCapabilities: { fork: {} } },
  fork: [answer({ sessionId: "forked" })],
  prompts: { hello: [say("Hello.")], hang: [say("working"), { do: "hang" }] },
};

describe("session/fork", () => {
  it("[B39] opens a new session with the agent's fork, and the options of the first", async () => {
    const host = await serve({ script: forking });
    const { editor, sessionId } = await open(host);
    await host.host.patchSession(sessionId, { approvalPolicy: "approve-reads" }, { kind: "owner" });
    await editor.prompt(sessionId, "hello");
    const { backend_id: backendId } = host.host.getSession(sessionId, { kind: "owner" });
    const params = { sessionId, cwd: host.work, mcpServers: [] };
    const forked = (await editor.agent.request("session/fork", params)) as { sessionId: string };
    expect(forked.sessionId).not.toBe(sessionId);
    const forks = host
      .agentRecord()
      .split("\n")
      .filter((line) => line.includes('"session/fork"'));
    expect(forks).toEqual([expect.stringContaining(`"sessionId":"${backendId}"`)]);
    const session = host.host.getSession(forked.sessionId, { kind: "owner" });
    expect(session).toMatchObject({ backend_id: "forked", agent_id: "mine" });
    expect(session.runtime_options).toMatchObject({ approvalPolicy: "approve-reads", cwd: host.work });
    await editor.prompt(forked.sessionId, "hello");
    expect(host.agentRecord()).toContain('"method":"session/prompt","params":{"sessionId":"forked"');
    expect(host.host.listSessions({ kind: "owner" })).toHaveLength(2);
  });

  it("[B39] is announced once an agent is known to have it", async () => {
    const host = await serve({ script: forking });
    const before = await connect(host).initialize();
    expect(before.agentCapabilities?.sessionCapabilities).not.toHaveProperty("fork");
    await open(host);
    const after = await connect(host).initialize();
    expect(after.agentCapabilities?.sessionCapabilities).toHaveProperty("fork");
  });

  it("[B39] is refused while a turn runs", async () => {
    const host = await serve({ script: forking });
    const { editor, sessionId } = await open(host);
    void editor.prompt(sessionId, "hang").catch(() => undefined);
    await expect.poll(() => editor.text).toBe("working");
    const fork = editor.agent.request("session/fork", { sessionId, cwd: host.work, mcpServers: [] });
    await expect(fork).rejects.toMatchObject({ data: { code: "ACP_TURN_ACTIVE" } });
    expect(host.host.listSessions({ kind: "owner" })).toHaveLength(1);
  });

  it("[B39] leaves no session behind when the agent refuses it", async () => {
    const fail = { do: "fail", code: -32603, message: "cannot copy" };
    const host = await serve({ script: { ...forking, fork: [fail] } });
    const { editor, sessionId } = await open(host);
    const fork = editor.agent.request("session/fork", { sessionId, cwd: host.work, mcpServers: [] });
    await expect(fork).rejects.toMatchObject({ message: expect.stringContaining("cannot copy") as string });
    expect(host.host.listSessions({ kind: "owner" })).toHaveLength(1);
  });
});
