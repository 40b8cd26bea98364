// Sessions that ACP editors list, load, resume and join.
import { describe, expect, it } from "vitest";
import { useServedHosts } from "../ahp/served-host.ts";
import { overWebSocket } from "./sdk-editor.ts";
import { connect, open, script } from "./scripted-editor.ts";

const serve = useServedHosts();

describe("sessions that were there before", () => {
  it("[B8] replays the history of a session that is loaded, before the response, and continues live", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "hello");
    await editor.prompt(sessionId, "rich");
    const other = connect(host);
    await other.initialize();
    const loaded = await other.agent.request("session/load", { sessionId, cwd: host.work, mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe("code");
    expect(other.userText).toBe("hellorich");
    expect(other.text).toBe("Hello there.end");
    expect(other.kinds("tool_call")).toMatchObject([
      { toolCallId: "e1", status: "completed", content: [{ type: "diff", oldText: "a", newText: "b" }] },
    ]);
    expect(other.kinds("plan")).toMatchObject([{ entries: [{ content: "step" }] }]);
    await editor.prompt(sessionId, "hello");
    await expect.poll(() => other.text).toBe("Hello there.endHello there.");
  });

  it("[B9] resumes a session without its history", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "hello");
    const other = connect(host);
    await other.initialize();
    await other.agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
    await editor.prompt(sessionId, "rich");
    await expect.poll(() => other.text).toBe("end");
    expect(other.userText).toBe("rich");
  });

  it("[B9] resumes after any update without losing or doubling one", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host, "me");
    await editor.prompt(sessionId, "hello");
    await editor.prompt(sessionId, "rich");
    const all = editor.updates.filter(({ own }) => own.place !== undefined);
    expect(all.length).toBeGreaterThan(8);
    for (const [index, { own }] of all.entries()) {
      const other = connect(host);
      await other.initialize(true, "me");
      const after = { place: own.place ?? "", terminals: {} };
      const request = { sessionId, cwd: host.work, mcpServers: [], _meta: { holdfast: { after } } };
      await other.agent.request("session/resume", request);
      const missing = all.slice(index + 1);
      await expect.poll(() => other.updates.length).toBe(missing.length);
      expect(other.updates.map(({ update }) => update)).toEqual(missing.map(({ update }) => update));
      other.close();
    }
  });

  it("[B9] refuses a place that the host never gave", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const resume = (after: unknown): Promise<unknown> =>
      editor.agent.request("session/resume", {
        sessionId,
        cwd: host.work,
        mcpServers: [],
        _meta: { holdfast: { after } },
      });
    await expect(resume({ place: "999999999" })).rejects.toMatchObject({ data: { code: "EVENTS_LOST" } });
    await expect(resume({ place: "x" })).rejects.toMatchObject({ code: -32602 });
  });

  it("[B10] lists the open sessions by folder, newest activity first", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "hello");
    const { sessions } = await editor.agent.request("session/list", {});
    expect(sessions).toMatchObject([{ sessionId, cwd: host.work, title: "hello" }]);
    expect((await editor.agent.request("session/list", { cwd: "/nowhere" })).sessions).toEqual([]);
    await expect(editor.agent.request("session/list", { cursor: "x" })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("[B34] joins the session that the address names, and shows its history after the response", async () => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "hello");
    const place = { url: host.server.url, token: host.token };
    const joined = overWebSocket(place, `?session=${encodeURIComponent(sessionId)}`);
    await joined.initialize();
    expect((await joined.newSession("/elsewhere")).sessionId).toBe(sessionId);
    await expect.poll(() => joined.text).toBe("Hello there.");
    await joined.prompt(sessionId, "rich");
    expect(joined.text).toBe("Hello there.end");
  });
});
