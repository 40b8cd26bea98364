// Files of an editor that lends them: read and written there by the agent, with what is not saved.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ask, say } from "../../packages/core/src/testing/script.ts";
import { useServedHosts, type ServedHost } from "../ahp/served-host.ts";
import { overWebSocket, type SdkEditor } from "./sdk-editor.ts";

const serve = useServedHosts();
const fs = { readTextFile: true, writeTextFile: true };

/** An editor that lends what it has, with a session. */
async function open(
  host: ServedHost,
  capabilities: object = { fs },
): Promise<{ editor: SdkEditor; sessionId: string; warnings: unknown }> {
  const place = { url: host.server.url, token: host.token };
  const editor = overWebSocket(place, "?agent=mine&clientFs=true");
  const { _meta: meta } = await editor.initialize(true, undefined, capabilities);
  const { sessionId } = await editor.newSession(host.work);
  const { warnings } = (meta?.["holdfast"] ?? {}) as { warnings?: unknown };
  return { editor, sessionId, warnings };
}

function auditOf(host: ServedHost, what: string): unknown[] {
  return host.host.audit.recent.filter((entry) => entry.what === what);
}

/** Reads and writes the file that the prompt names. */
const read = ask("read", "fs/read_text_file", { path: "$prompt.text" });
const lines = ask("lines", "fs/read_text_file", { path: "$prompt.text", line: 2, limit: 1 });
const write = ask("write", "fs/write_text_file", { path: "$prompt.text", content: "agent\n" });

describe("files of an editor", () => {
  it("[B35] are read with what is not saved, and written there", async () => {
    const host = await serve({ script: { prompts: { "*": [read, lines, write, say("done")] } } });
    const file = path.join(host.work, "a.txt");
    writeFileSync(file, "saved\n");
    const { editor, sessionId, warnings } = await open(host);
    editor.files.set(file, "one\nunsaved\n");
    await editor.prompt(sessionId, file);
    expect(warnings).toBeUndefined();
    expect(host.agentRecord()).toContain('"answered":"read","result":{"content":"one\\nunsaved\\n"}');
    expect(host.agentRecord()).toContain('"answered":"lines","result":{"content":"unsaved\\n"}');
    expect(editor.files.get(file)).toBe("agent\n");
    expect(readFileSync(file, "utf8")).toBe("saved\n");
    const outcome = "done in the editor sdk-editor";
    expect(auditOf(host, "file-read")).toMatchObject([{ subject: file, outcome }, { outcome }]);
    expect(auditOf(host, "file-write")).toMatchObject([{ subject: file, decision: "allowed", outcome }]);
  });

  it("[B35] are asked about as the host's own, with the change to the text in the editor", async () => {
    const host = await serve({ script: { prompts: { "*": [write, say("done")] } } });
    const file = path.join(host.work, "a.txt");
    const { editor, sessionId } = await open(host);
    editor.files.set(file, "unsaved\n");
    await host.host.patchSession(sessionId, { approvalPolicy: "deny-all" }, { kind: "owner" });
    await editor.prompt(sessionId, file);
    expect(editor.files.get(file)).toBe("unsaved\n");
    expect(host.agentRecord()).toContain('"answered":"write","error"');
    expect(auditOf(host, "file-write")).toMatchObject([{ decision: "denied" }]);
  });

  it("[B35] outside the session's folders, or too large, are the host's own", async () => {
    const host = await serve({ script: { prompts: { "*": [read, say("done")] } } });
    const outside = path.join(host.work, "..", "outside.txt");
    writeFileSync(outside, "outside\n");
    mkdirSync(path.join(host.work, "sub"));
    symlinkSync(outside, path.join(host.work, "sub", "link.txt"));
    const { editor, sessionId } = await open(host);
    const link = path.join(host.work, "sub", "link.txt");
    editor.files.set(link, "of the editor\n").set(outside, "of the editor\n");
    const turn = editor.prompt(sessionId, link);
    (await editor.permission()).approve();
    await turn;
    expect(host.agentRecord()).toContain('"answered":"read","result":{"content":"outside\\n"}');
    const large = path.join(host.work, "large.txt");
    writeFileSync(large, "x".repeat(5 * 1024 * 1024));
    editor.files.set(large, "of the editor\n");
    await editor.prompt(sessionId, large);
    expect(auditOf(host, "file-read").at(-1)).toMatchObject({ subject: large, outcome: "done" });
  });

  it("[B36] that it does not open are read by the host; a write that it refuses fails", async () => {
    const host = await serve({ script: { prompts: { "*": [read, write, say("done")] } } });
    const { editor, sessionId } = await open(host);
    const file = path.join(host.work, "a.locked");
    writeFileSync(file, "saved\n");
    await editor.prompt(sessionId, file);
    expect(host.agentRecord()).toContain('"answered":"read","result":{"content":"saved\\n"}');
    expect(host.agentRecord()).toContain("did not write it: The buffer is locked");
    expect(readFileSync(file, "utf8")).toBe("saved\n");
  });

  it("[B36] are the host's own where the editor lacks them, and it says so", async () => {
    const host = await serve({ script: { prompts: { "*": [read, write, say("done")] } } });
    const { editor, sessionId, warnings } = await open(host, { fs: { readTextFile: true } });
    expect(warnings).toEqual(["The editor does not offer fs.writeTextFile: the host writes files itself."]);
    const file = path.join(host.work, "a.txt");
    editor.files.set(file, "unsaved\n");
    await editor.prompt(sessionId, file);
    expect(host.agentRecord()).toContain('"content":"unsaved\\n"');
    expect(readFileSync(file, "utf8")).toBe("agent\n");
    expect((await open(host, {})).warnings).toHaveLength(2);
  });

  it("[B36] are the host's own once the editor has disconnected, and a line says so", async () => {
    const gate = { do: "until", path: "go" } as const;
    const host = await serve({ script: { prompts: { "*": [read, gate, write, read, say("done")] } } });
    const { editor, sessionId } = await open(host);
    const other = overWebSocket({ url: host.server.url, token: host.token });
    await other.initialize();
    await other.agent.request("session/resume", { sessionId, cwd: host.work, mcpServers: [] });
    const file = path.join(host.work, "a.txt");
    editor.files.set(file, "unsaved\n");
    void editor.prompt(sessionId, file).catch(() => undefined);
    await expect.poll(() => host.agentRecord()).toContain('"content":"unsaved\\n"');
    editor.close();
    await expect.poll(() => connected(host)).toBe(1);
    writeFileSync(path.join(host.work, "..", "go"), "");
    await expect.poll(() => other.text).toBe("done");
    expect(existsSync(file)).toBe(true);
    expect(host.agentRecord()).toContain('"content":"agent\\n"');
    expect(other.kinds("notice")).toMatchObject([
      { severity: "warning", title: "The editor sdk-editor has disconnected" },
    ]);
  });
});

async function connected(host: ServedHost): Promise<number> {
  const { clients } = (await (await host.fetch("/admin/clients")).json()) as { clients: object[] };
  return clients.length;
}
