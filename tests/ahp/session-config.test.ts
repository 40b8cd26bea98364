// Settings that a client chooses when it creates a session over AHP: the agent's, the host's, and VS Code's own.
import { expect, test } from "vitest";
import { useServedHosts } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const script = {
  session: {
    modes: {
      currentModeId: "ask",
      availableModes: ["ask", "trust", "plan"].map((id) => ({ id, name: id })),
    },
    configOptions: [
      {
        id: "output",
        name: "Output",
        type: "select",
        currentValue: "tail",
        options: ["tail", "none"].map((value) => ({ value, name: value })),
      },
      { id: "sandboxEnabled", name: "Sandbox", type: "boolean", currentValue: false },
    ],
  },
};
const defaults = { mode: "ask", output: "tail", sandboxEnabled: false };
let lastName = 0;

async function create(client: WireClient, config: object): Promise<string> {
  const channel = `mine:/config-${(lastName += 1)}`;
  expect(await client.request("createSession", { channel, provider: "mine", config })).toBeNull();
  await client.subscribe(channel);
  return channel;
}

async function valuesOf(client: WireClient, channel: string): Promise<unknown> {
  const { state } = await client.subscribe(channel);
  return (state as { config?: { values?: unknown } }).config?.values;
}

test.each([
  ["the agent's settings", { mode: "trust", output: "none" }, { mode: "trust", output: "none" }],
  ["a switch", { sandboxEnabled: true }, { sandboxEnabled: true }],
  ["a mode that VS Code has too", { mode: "plan" }, { mode: "plan" }],
])("[E830] a session begins with %s", async (_what, config, expected) => {
  const client = await (await serveHost({ script })).client();
  const channel = await create(client, config);
  await expect.poll(() => valuesOf(client, channel)).toEqual({ ...defaults, ...expected });
  expect(client.actions.map(({ action }) => action.type)).not.toContain("session/creationFailed");
});

test.each([
  [{ mode: "wild" }, /no mode 'wild'. It has: ask, trust, plan\./],
  [{ bogus: "1" }, /no option 'bogus'. It has: output, sandboxEnabled\./],
  [{ output: "zzz" }, /output cannot be 'zzz'. It can be: tail, none\./],
])(
  "[E830] a session that begins with %j fails, and its error lists what is possible",
  async (config, reason) => {
    const client = await (await serveHost({ script })).client();
    const channel = await create(client, config);
    await expect
      .poll(async () => (await client.subscribe(channel)).state)
      .toMatchObject({
        lifecycle: "failed",
        creationError: { message: expect.stringMatching(reason) as string },
      });
  },
);

test.each([[{ bogus: 1 }], [{ output: null }], [{ "no name": "x" }], [{ mode: ["trust"] }]])(
  "[E830] createSession with %j, which no agent can have, fails at once",
  async (config) => {
    const client = await (await serveHost({ script })).client();
    const [name] = Object.keys(config);
    const answer = await client.ask("createSession", { channel: "mine:/wrong", provider: "mine", config });
    expect(answer).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(`config.${name}`) as string },
    });
  },
);

test("[E830] settings of VS Code that the agent does not offer change nothing", async () => {
  const host = await serveHost({ script });
  const client = await host.client({ version: "0.9.0" });
  const channel = await create(client, {
    isolation: "folder",
    mode: "interactive",
    autoApprove: "default",
    branch: "main",
    permissions: { allow: [], deny: [] },
    permissionMode: "default",
    "codex.permissionsPreset": "default",
    worktreeIncludeFiles: ["a"],
    sandboxEnabled: "default",
  });
  // The first turn begins when the settings are in force.
  const chat = (await client.subscribe(channel)).state as { defaultChat?: string };
  await client.subscribe(chat.defaultChat ?? "");
  client.dispatch(
    { type: "chat/turnStarted", turnId: "t1", message: { text: "hello", origin: { kind: "user" } } },
    chat.defaultChat,
  );
  await client.action("chat/turnComplete");
  expect(await valuesOf(client, channel)).toEqual(defaults);
});

test("[E835] createSession with an unknown agent lists the agents", async () => {
  const client = await (await serveHost({ script })).client();
  expect(await client.ask("createSession", { channel: "nosuch:/one", provider: "nosuch" })).toMatchObject({
    error: {
      code: -32002,
      message: expect.stringMatching(
        /^No ACP provider found for agent 'nosuch'\. Choose one of: .*mine/,
      ) as string,
      data: { code: "ACP_UNKNOWN_AGENT" },
    },
  });
});

test("[E831] resolveSessionConfig returns the values that it knows, and fails for wrong ones", async () => {
  const client = await (await serveHost({ script })).client();
  const config = { approvalPolicy: "ask", isolation: "folder", mode: "trust", output: "none" };
  expect(await client.request("resolveSessionConfig", { provider: "mine", config })).toMatchObject({
    values: { approvalPolicy: "ask" },
  });
  const { values } = (await client.request("resolveSessionConfig", { config })) as { values?: object };
  expect(values).toEqual({ approvalPolicy: "ask" });
  expect(await client.ask("resolveSessionConfig", { config: { approvalPolicy: "all" } })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("approve-reads") as string },
  });
});
