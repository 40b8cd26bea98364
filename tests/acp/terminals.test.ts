// Terminals of the host and forms of agents at ACP editors.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ask, say, update } from "../../packages/core/src/testing/script.ts";
import { useServedHosts, type ServedHost } from "../ahp/served-host.ts";
import { RawEditor } from "./raw-editor.ts";
import { overWebSocket, type SdkEditor, type TerminalMeta } from "./sdk-editor.ts";

const serve = useServedHosts();

/** A call whose command runs in a terminal of the host. */
function command(line: string): readonly object[] {
  return [
    update("tool_call", { toolCallId: "t1", title: "Run it", kind: "execute", status: "in_progress" }),
    ask("term", "terminal/create", { command: "sh", args: ["-c", line] }),
    update("tool_call_update", {
      toolCallId: "t1",
      content: [{ type: "terminal", terminalId: "$term.terminalId" }],
    }),
    ask("exit", "terminal/wait_for_exit", { terminalId: "$term.terminalId" }),
    update("tool_call_update", { toolCallId: "t1", status: "completed" }),
    say("ran"),
  ];
}

async function open(
  script: object,
  { terminals = true, clientId }: { terminals?: boolean; clientId?: string } = {},
): Promise<{ host: ServedHost; editor: SdkEditor; sessionId: string }> {
  const host = await serve({ script });
  const editor = overWebSocket({ url: host.server.url, token: host.token }, "?agent=mine");
  await editor.initialize(terminals, clientId);
  const { sessionId } = await editor.newSession(host.work);
  return { host, editor, sessionId };
}

/** The text of the command, each time that it was sent. */
function textsOf({ updates }: SdkEditor): string[] {
  return updates.flatMap(({ update: each }) => {
    if (each.sessionUpdate !== "tool_call_update") return [];
    return (each.content ?? []).flatMap((content) =>
      content.type === "content" && content.content.type === "text" ? [content.content.text] : [],
    );
  });
}

describe("terminals at editors", () => {
  it("[B12] shows a command as a terminal, live, with its exit before the end of its call", async () => {
    const line =
      "echo one; until test -e go; do sleep 0.02; done; printf 'zw\\303'; sleep 0.1; printf '\\266lf\\n'; exit 3";
    const { host, editor, sessionId } = await open({ prompts: { run: command(line) } });
    const turn = editor.prompt(sessionId, "run");
    await expect.poll(() => editor.terminalText).toBe("one\n");
    expect(editor.text).toBe("");
    writeFileSync(path.join(host.work, "go"), "");
    await turn;
    expect(editor.terminalText).toBe("one\nzwölf\n");
    const info = editor.metas.findIndex(({ terminal_info }) => terminal_info !== undefined);
    const announced = editor.updates[info]?.update;
    const terminalId = editor.metas[info]?.terminal_info?.terminal_id;
    expect(announced).toMatchObject({
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      content: [{ type: "terminal", terminalId }],
    });
    const exit = editor.metas.findIndex(({ terminal_exit }) => terminal_exit !== undefined);
    expect(editor.metas[exit]?.terminal_exit).toEqual({
      terminal_id: terminalId,
      exit_code: 3,
      signal: null,
    });
    const end = editor.updates.findIndex(
      ({ update: each }) => "status" in each && each.status === "completed",
    );
    expect(exit).toBeLessThan(end);
  });

  it("[B12] shows the output as text where the editor has no terminals", async () => {
    const line = "echo one; printf '\\033[31mred\\033[0m\\n'; exit 0";
    const { editor, sessionId } = await open({ prompts: { run: command(line) } }, { terminals: false });
    await editor.prompt(sessionId, "run");
    const contents = editor.updates.flatMap(({ update: each }) => ("content" in each ? [each.content] : []));
    expect(JSON.stringify(contents)).not.toContain('"type":"terminal"');
    expect(contents).toContainEqual([
      { type: "content", content: { type: "text", text: "```console\none\nred\n```" } },
    ]);
    expect(editor.terminalText).toContain("one\n");
  });

  it("[B61] leaves no part of an escape sequence in the output as text", async () => {
    const functions = ["\\033(B\\033[m", "\\0337", "\\033=", "\\033c", "\\033#8", "\\033[?25h", "\\033[1 q"];
    const strings = ["\\033Pq#0;payload\\033\\\\", "\\033_payload\\033\\\\", "\\033]0;payload\\007"];
    const cutOff = "\\033]0;payload\\033[0m";
    const sequences = [...functions, ...strings, cutOff];
    // The last one is cut off by the end of the output.
    const line = `printf '${sequences.map((sequence, index) => `${index}${sequence}`).join("")}end\\033[3'`;
    const { editor, sessionId } = await open({ prompts: { run: command(line) } }, { terminals: false });
    await editor.prompt(sessionId, "run");
    const shown = sequences.map((_, index) => index).join("");
    expect(textsOf(editor).at(-1)).toBe(`\`\`\`console\n${shown}end\n\`\`\``);
  });

  it("[B12] replays the output of an earlier command when a session is loaded", async () => {
    const { host, editor, sessionId } = await open({ prompts: { run: command("echo one; exit 3") } });
    await editor.prompt(sessionId, "run");
    const other = overWebSocket({ url: host.server.url, token: host.token });
    await other.initialize();
    await other.agent.request("session/load", { sessionId, cwd: host.work, mcpServers: [] });
    expect(other.terminalText).toBe("one\n");
    expect(other.metas.flatMap(({ terminal_exit }) => terminal_exit ?? [])).toMatchObject([{ exit_code: 3 }]);
  });

  it("[B13] continues a terminal after the byte that an editor has", async () => {
    const line = "echo one; until test -e go; do sleep 0.02; done; echo two";
    const { host, editor, sessionId } = await open({ prompts: { run: command(line) } }, { clientId: "me" });
    void editor.prompt(sessionId, "run").catch(() => undefined);
    await expect.poll(() => editor.terminalText).toBe("one\n");
    const places = editor.updates.map(({ own }) => own);
    const { terminal = "", offset } = places.findLast((own) => own.terminal !== undefined) ?? {};
    const place = places.findLast((own) => own.place !== undefined)?.place;
    editor.close();
    const other = overWebSocket({ url: host.server.url, token: host.token });
    await other.initialize(true, "me");
    const after = { place, terminals: { [terminal]: offset } };
    const request = { sessionId, cwd: host.work, mcpServers: [], _meta: { holdfast: { after } } };
    await other.agent.request("session/resume", request);
    writeFileSync(path.join(host.work, "go"), "");
    await expect.poll(() => other.text).toBe("ran");
    expect(other.terminalText).toBe("two\n");
  });

  it("[B51] repeats the beginning of the text of a running command after a resume", async () => {
    const waits = (file: string): string => `until test -e ${file}; do sleep 0.02; done`;
    const line = `echo 'önë'; ${waits("go")}; echo two; ${waits("end")}`;
    const settings = { clientId: "me", terminals: false };
    const { host, editor, sessionId } = await open({ prompts: { run: command(line) } }, settings);
    void editor.prompt(sessionId, "run").catch(() => undefined);
    await expect.poll(() => textsOf(editor).at(-1)).toBe("```console\nönë\n```");
    const places = editor.updates.map(({ own }) => own);
    const { terminal = "", offset } = places.findLast((own) => own.terminal !== undefined) ?? {};
    const place = places.findLast((own) => own.place !== undefined)?.place;
    editor.close();
    const other = overWebSocket({ url: host.server.url, token: host.token });
    await other.initialize(false, "me");
    const after = { place, terminals: { [terminal]: offset } };
    const request = { sessionId, cwd: host.work, mcpServers: [], _meta: { holdfast: { after } } };
    await other.agent.request("session/resume", request);
    writeFileSync(path.join(host.work, "go"), "");
    await expect.poll(() => textsOf(other).at(-1)).toBe("```console\nönë\ntwo\n```");
    expect(textsOf(other).every((text) => text.startsWith("```console\nönë\n"))).toBe(true);
    expect(other.terminalText).toBe("two\n");
    writeFileSync(path.join(host.work, "end"), "");
    await expect.poll(() => other.text).toBe("ran");
  });

  it("[B13] leaves a flood out but for its end where the editor does not read", async () => {
    const { host, editor, sessionId } = await open({ prompts: { run: command("seq 1 2000000; echo last") } });
    const slow = await RawEditor.open(`${host.server.url}/acp`, { "x-api-key": host.token });
    await slow.initialize({ _meta: { terminal_output: true } });
    await slow.request("session/resume", { sessionId });
    slow.socket.pause();
    await editor.prompt(sessionId, "run");
    slow.socket.resume();
    await expect.poll(() => JSON.stringify(slow.messages.slice(-2))).toContain("ran");
    const outputs = slow.messages.map(
      ({ params }) => params?.["update"] as { _meta?: TerminalMeta } | undefined,
    );
    const text = outputs.map((each) => each?._meta?.terminal_output?.data ?? "").join("");
    expect(text).toMatch(/\[\d+ bytes of output skipped\]\n/);
    expect(text.endsWith("2000000\nlast\n")).toBe(true);
    expect(text.length).toBeLessThan(13_000_000);
  });
});

describe("forms at editors", () => {
  it("[B15] asks a form of an editor that has forms, and passes its answer on", async () => {
    const requestedSchema = { type: "object", properties: { name: { type: "string", title: "Name" } } };
    const form = ask("form", "elicitation/create", { mode: "form", message: "Who?", requestedSchema });
    const { host, editor, sessionId } = await open({ prompts: { run: [form, say("thanks")] } });
    editor.formAnswer = { action: "accept", content: { name: "Ada" } };
    await editor.prompt(sessionId, "run");
    expect(editor.forms).toMatchObject([{ mode: "form", message: "Who?", sessionId }]);
    expect(host.agentRecord()).toContain('"action":"accept","content":{"name":"Ada"}');
  });
});
