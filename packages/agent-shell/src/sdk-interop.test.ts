// The official SDK's client as the oracle: it takes every message of a session with this agent.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { AcpTerminals } from "@holdfast/terminal/acp";
import { afterAll, expect, it } from "vitest";
import { makeScratchFolder } from "./testing/shell-fixture.ts";
import { ShellProcess } from "./testing/shell-process.ts";
import type { SessionUpdate, ToolCallUpdate } from "./acp/session-update.ts";

const { methods } = acp;
const folder = makeScratchFolder();
const shell = new ShellProcess();
const terminals = new AcpTerminals({ environment: process.env, killGraceMs: 500 });
afterAll(async () => {
  shell.child.kill("SIGTERM");
  await shell.ended;
  await terminals.close();
});

it("[S3] what this agent sends are the SDK's own types", () => {
  const update = (value: SessionUpdate): acp.SessionUpdate => value;
  const call = (value: ToolCallUpdate): acp.ToolCallUpdate => value;
  expect([update, call]).toHaveLength(2);
});

it("[S3] the SDK's client runs commands, writes a file, is asked, cancels and loads", async () => {
  const updates: acp.SessionUpdate[] = [];
  const { client } = methods;
  const input = new WritableStream<Uint8Array>({
    write(chunk) {
      shell.note(chunk);
      shell.child.stdin.write(chunk);
    },
  });
  const output = Readable.toWeb(shell.child.stdout) as ReadableStream<Uint8Array>;
  const connection = acp
    .client({ name: "oracle" })
    .onNotification(client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(client.session.requestPermission, ({ params }) => {
      const allow = params.options.find((option) => option.kind === "allow_once");
      return { outcome: { outcome: "selected" as const, optionId: allow?.optionId ?? "" } };
    })
    .onRequest(client.terminal.create, ({ params, signal }) => terminals.createTerminal(params, { signal }))
    .onRequest(client.terminal.output, ({ params }) => terminals.terminalOutput(params))
    .onRequest(client.terminal.waitForExit, ({ params, signal }) =>
      terminals.waitForTerminalExit(params, { signal }),
    )
    .onRequest(client.terminal.kill, ({ params }) => terminals.killTerminal(params))
    .onRequest(client.terminal.release, ({ params }) => terminals.releaseTerminal(params))
    .onRequest(client.fs.readTextFile, async ({ params }) => ({
      content: await readFile(params.path, "utf8"),
    }))
    .onRequest(client.fs.writeTextFile, async ({ params }) => {
      await writeFile(params.path, params.content);
      return {};
    })
    .onRequest(client.elicitation.create, () => ({ action: "accept" as const, content: { answer: "yes" } }))
    .connect(acp.ndJsonStream(input, output));
  const { agent } = connection;

  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {
      terminal: true,
      fs: { readTextFile: true, writeTextFile: true },
      elicitation: { form: {} },
    },
  });
  expect(initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: "holdfast-shell" } });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  const prompt = (text: string): Promise<acp.PromptResponse> =>
    agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });

  for (const text of ["echo hi\nexit 2", "/write note.txt hello", "/read note.txt", "/ask sure?", "/help"]) {
    expect(await prompt(text)).toEqual({ stopReason: "end_turn" });
  }
  expect(await readFile(join(folder, "note.txt"), "utf8")).toBe("hello");
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: "trust" });
  const options = { sessionId, configId: "output", value: "none" };
  expect(await agent.request(methods.agent.session.setConfigOption, options)).toMatchObject({
    configOptions: [{ currentValue: "none" }],
  });
  const sleeping = prompt("sleep 600");
  await agent.notify(methods.agent.session.cancel, { sessionId });
  expect(await sleeping).toEqual({ stopReason: "cancelled" });

  const kinds = new Set(updates.map((update) => update.sessionUpdate));
  expect([...kinds].toSorted().join(" ")).toBe(
    "agent_message_chunk agent_thought_chunk available_commands_update current_mode_update plan session_info_update tool_call tool_call_update",
  );
  const texts = updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
      ? [update.content.text]
      : [],
  );
  expect(texts.join("\n")).toMatch(
    /hi\n[^]*Exit code 0 [^]*Exit code 2 [^]*Wrote 5 bytes[^]*hello[^]*You answered:\n```\nyes/,
  );

  await agent.request(methods.agent.session.close, { sessionId });
  const before = updates.length;
  await agent.request(methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
  expect(
    updates.slice(before).filter((update) => update.sessionUpdate === "user_message_chunk"),
  ).toHaveLength(6);
  expect((await agent.request(methods.agent.session.list, {})).sessions).toMatchObject([
    { sessionId, title: "echo hi" },
  ]);
  expect(shell.faults).toEqual([]);
  expect(shell.stderr).toBe("");
  connection.close();
});
