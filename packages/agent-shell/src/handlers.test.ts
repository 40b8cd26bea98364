// The requests of ACP v1 beside prompts: handshake, sessions, modes, options, and what is refused.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "./testing/shell-fixture.ts";
import { VERSION } from "./version.ts";
import type { AgentMethods } from "./acp/agent-methods.ts";
import type { ShellClient } from "./testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
let client: ShellClient;
beforeAll(async () => {
  client = await start();
});

const ask = (method: keyof AgentMethods["requests"], params: unknown): Promise<unknown> =>
  client.connection.request(method, params);
const invalid = (field: string): object => ({ code: -32602, data: { field } });

describe("the handshake", () => {
  it("[S1] answers version 1 to whatever is asked, with its name and what it can do", async () => {
    expect(client.initialized).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "holdfast-shell", title: "Holdfast shell", version: VERSION },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
        _meta: { holdfast: { keepsSessions: false, runsMessages: true } },
      },
      authMethods: [],
    });
    const second = await start();
    const asked = { protocolVersion: 2, info: { name: "x" }, capabilities: {} };
    expect(await second.connection.request("initialize", asked)).toMatchObject({ protocolVersion: 1 });
    await expect(second.connection.request("initialize", {})).rejects.toMatchObject(
      invalid("protocolVersion"),
    );
  });

  it("[S1] the version is the package's own", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as object;
    expect(manifest).toMatchObject({ version: VERSION });
  });

  it("[S1] what the agent does not know is answered -32601", async () => {
    const request = client.connection.request.bind(client.connection) as (
      method: string,
      params: unknown,
    ) => Promise<unknown>;
    await expect(request("session/fork", {})).rejects.toMatchObject({ code: -32601 });
    await expect(request("authenticate", { methodId: "x" })).rejects.toMatchObject({ code: -32601 });
  });
});

describe("opening a session", () => {
  it("[S2] gives an id, the modes and the option", async () => {
    const opened = await ask("session/new", { cwd: folder, mcpServers: [] });
    expect(opened).toMatchObject({
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      modes: { currentModeId: "ask", availableModes: [{ id: "ask" }, { id: "trust" }] },
      configOptions: [
        {
          id: "output",
          type: "select",
          currentValue: "tail",
          options: [{ value: "tail" }, { value: "none" }],
        },
      ],
    });
  });

  it.each([["relative"], ["."], [""], [undefined], [7]])("[S2] the folder %j is refused", async (cwd) => {
    const params = { cwd, mcpServers: [], sessionId: "x" };
    for (const method of ["session/new", "session/load", "session/resume"] as const) {
      await expect(ask(method, params)).rejects.toMatchObject(invalid("cwd"));
    }
  });

  it("[S11] sends the slash commands right after the response", async () => {
    const sessionId = await client.open(folder);
    await client.until(() => client.of(sessionId).length > 0);
    const { sent } = client.process;
    const answer = sent.findIndex(
      (message) => (message.result as { sessionId?: string })?.sessionId === sessionId,
    );
    const [first] = client.of(sessionId);
    expect(first).toMatchObject({
      sessionUpdate: "available_commands_update",
      availableCommands: ["read", "write", "help", "ask", "sleep", "flood"].map((name) => ({ name })),
    });
    expect(sent[answer + 1]).toMatchObject({
      method: "session/update",
      params: { sessionId, update: first },
    });
  });
});

describe("settings", () => {
  it("[S17] a mode is set and reported; an unknown one is refused", async () => {
    const sessionId = await client.open(folder);
    expect(await ask("session/set_mode", { sessionId, modeId: "trust" })).toEqual({});
    await client.until(() => client.of(sessionId).length > 1);
    expect(client.of(sessionId)).toContainEqual({
      sessionUpdate: "current_mode_update",
      currentModeId: "trust",
    });
    await expect(ask("session/set_mode", { sessionId, modeId: "yolo" })).rejects.toMatchObject(
      invalid("modeId"),
    );
    expect(await ask("session/resume", { sessionId, cwd: folder, mcpServers: [] })).toMatchObject({
      modes: { currentModeId: "trust" },
    });
  });

  it("[S17] an option is set and all options answered; an unknown one is refused", async () => {
    const sessionId = await client.open(folder);
    const answer = await ask("session/set_config_option", { sessionId, configId: "output", value: "none" });
    expect(answer).toMatchObject({ configOptions: [{ id: "output", currentValue: "none" }] });
    const unknownId = { sessionId, configId: "model", value: "none" };
    await expect(ask("session/set_config_option", unknownId)).rejects.toMatchObject(invalid("configId"));
    const unknownValue = { sessionId, configId: "output", type: "boolean", value: true };
    await expect(ask("session/set_config_option", unknownValue)).rejects.toMatchObject(invalid("value"));
  });
});

describe("sessions that are not there", () => {
  it("[S20] every method answers -32002, and says why where nothing outlives the process", async () => {
    const sessionId = "00000000-0000-4000-8000-000000000000";
    const params = {
      sessionId,
      cwd: folder,
      mcpServers: [],
      prompt: [],
      modeId: "ask",
      configId: "output",
      value: "none",
    };
    for (const method of ["set_mode", "set_config_option", "prompt", "close", "load", "resume"] as const) {
      await expect(ask(`session/${method}`, params)).rejects.toMatchObject({
        code: -32002,
        data: { sessionId },
      });
    }
    await expect(ask("session/load", params)).rejects.toThrow("only sessions of this process are kept");
  });

  it("[S20] a closed session is unknown until it is loaded again", async () => {
    const sessionId = await client.open(folder);
    expect(await ask("session/close", { sessionId })).toEqual({});
    await expect(client.prompt(sessionId, "/help")).rejects.toMatchObject({ code: -32002 });
    await expect(ask("session/close", { sessionId })).rejects.toMatchObject({ code: -32002 });
    await ask("session/resume", { sessionId, cwd: folder, mcpServers: [] });
    expect(await client.prompt(sessionId, "/help")).toEqual({ stopReason: "end_turn" });
  });
});
