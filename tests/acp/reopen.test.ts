// Sessions that are closed and reopened by other clients while an editor follows them, and the limit of sessions.
import { describe, expect, it } from "vitest";
import { openHub } from "../../packages/core/src/testing/storage/samples.ts";
import { type ServedHost, useServedHosts } from "../ahp/served-host.ts";
import { connect, open, post, script } from "./scripted-editor.ts";
import type { SdkEditor } from "./sdk-editor.ts";
import { storeSessions } from "./stored-sessions.ts";

const serve = useServedHosts();
const reopenable = { ...script, capabilities: { loadSession: true } };

async function closeAndReopen(host: ServedHost, sessionId: string): Promise<void> {
  await host.host.closeSession(sessionId, undefined, { kind: "owner" });
  await host.host.reopenSession(sessionId, { kind: "owner" });
}

function resume({ agent }: SdkEditor, host: ServedHost, sessionId: string): Promise<unknown> {
  return agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
}

describe("[B850] a session that another client closes and reopens", () => {
  it.each([
    ["at once", false],
    ["after the editor has seen its end", true],
  ])("[B850] answers the editor's next prompt, reopened %s", async (_when, isSeen) => {
    const host = await serve({ script: reopenable });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "hello");
    await host.host.closeSession(sessionId, undefined, { kind: "owner" });
    if (isSeen) await expect(editor.prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32002 });
    await host.host.reopenSession(sessionId, { kind: "owner" });
    expect(await editor.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    expect(editor.text).toBe("Hello there.Hello there.");
  });

  it("[B850] is followed again by an editor that resumes it", async () => {
    const host = await serve({ script: reopenable });
    const { editor, sessionId } = await open(host);
    await editor.prompt(sessionId, "hello");
    await closeAndReopen(host, sessionId);
    await resume(editor, host, sessionId);
    await post(host, sessionId, "/chat/stream", { message: "hello" });
    await expect.poll(() => editor.text).toBe("Hello there.Hello there.");
  });
});

describe("[B851] the sessions that an editor follows", () => {
  const names = Array.from({ length: 64 }, (_, index) => `s${index}`);

  it("[B851] are 64 at most: beyond, session/new creates none, and closed sessions do not count", async () => {
    const host = await serve({
      script,
      prepareStorage: (storage) => storeSessions(openHub(storage), names),
    });
    const editor = connect(host);
    await editor.initialize();
    const keys = host.host.listSessions({ kind: "owner" }).map(({ session_key: key }) => key);
    expect(keys).toHaveLength(names.length);
    await Promise.all(keys.map((key) => resume(editor, host, key)));
    await expect(editor.newSession(host.work)).rejects.toMatchObject({ code: -32029 });
    expect(host.host.listSessions({ kind: "owner" })).toHaveLength(names.length);
    await host.host.closeSession(keys[0] ?? "", undefined, { kind: "owner" });
    const { sessionId } = await editor.newSession(host.work);
    expect(await editor.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
  });
});
