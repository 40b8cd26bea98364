// Shows one session and one terminal shared by clients of every version, and that what a client of 0.6 hears has AHP's shapes.
import { expect, test } from "vitest";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { FIXTURES_MISSING } from "../../packages/ahp/src/testing/fixtures.ts";
import { SchemaFile, actionName } from "../../packages/ahp/src/testing/wire/schema.ts";
import {
  typeProblems,
  type TypedValue,
  VSCODE_MISSING,
} from "../../packages/ahp/src/testing/wire/vscode-types.ts";
import { type ServedHost, useServedHosts } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const terminal = "ahp-terminal:/shared";
const versions = ["1.0.0", "0.10.0", "0.9.0", "0.8.0", "0.7.0", "0.6.0", "0.5.2", "0.5.1", "0.5.0"] as const;
const script = {
  prompts: {
    ask: [
      {
        do: "ask",
        method: "session/request_permission",
        as: "answer",
        params: {
          toolCall: { toolCallId: "c1", title: "Edit a file", kind: "edit", status: "pending" },
          options: [
            { optionId: "yes", name: "Yes", kind: "allow_once" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        },
      },
      { do: "say", text: "Thank you" },
    ],
    die: [{ do: "exit", code: 3 }],
  },
};

interface Shared {
  readonly host: ServedHost;
  readonly clients: ReadonlyMap<string, WireClient>;
}

/** A client of each version, all on one session. */
async function share(): Promise<Shared> {
  const host = await serveHost({ script });
  const clients = new Map<string, WireClient>();
  for (const version of versions) {
    clients.set(version, await host.client({ clientId: version, version, subscriptions: ["ahp-root://"] }));
  }
  const params = { channel: session, provider: "mine", workingDirectory: `file://${host.work}` };
  await of(clients, "0.6.0").request("createSession", params);
  for (const client of clients.values()) {
    await client.subscribe(session);
    await client.subscribe(chat);
  }
  return { host, clients };
}

function of(clients: ReadonlyMap<string, WireClient>, version: string): WireClient {
  const client = clients.get(version);
  if (client === undefined) throw new Error(`There is no client of ${version}`);
  return client;
}

function turn(turnId: string, text: string): object {
  return { type: "chat/turnStarted", turnId, message: { text, origin: { kind: "user" } } };
}

test("[E765] a turn with a permission, answered by a client of another version, ends for clients of every version", async () => {
  const { clients } = await share();
  of(clients, "0.5.1").dispatch(turn("t1", "ask"), chat);
  await of(clients, "0.6.0").action("chat/toolCallReady");
  const answer = { turnId: "t1", toolCallId: "c1", approved: true, selectedOptionId: "yes" };
  of(clients, "0.6.0").dispatch(
    { type: "chat/toolCallConfirmed", ...answer, confirmed: "user-action" },
    chat,
  );
  for (const [version, client] of clients) {
    const ended = await client.action("chat/turnComplete");
    expect("duration" in ended.action).toBe(!version.startsWith("0.5."));
    const { state } = await client.subscribe(chat);
    expect(state.turns).toMatchObject([{ id: "t1", state: "complete" }]);
  }
});

test("[E765] a turn that failed has its error where the client's version has it", async () => {
  const { clients } = await share();
  of(clients, "1.0.0").dispatch(turn("t1", "die"), chat);
  for (const [version, client] of clients) {
    const { action } = await client.action("chat/error");
    const isPart = ["1.0.0", "0.10.0", "0.9.0"].includes(version);
    expect({ version, hasPart: "part" in action, hasError: "error" in action }).toEqual({
      version,
      hasPart: isPart,
      hasError: !isPart,
    });
  }
});

test("[E765] a terminal made by a client of 0.5.0 ends for clients of every version, in their own words", async () => {
  const { clients } = await share();
  const claim = { kind: "client", clientId: "0.5.0" };
  const maker = of(clients, "0.5.0");
  await maker.request("createTerminal", { channel: terminal, claim });
  for (const client of clients.values()) await client.subscribe(terminal);
  maker.dispatch({ type: "terminal/input", data: "exit 3\r" }, terminal);
  for (const [version, client] of clients) {
    await client.action("terminal/exited", ({ action }) => action.exitCode === 3);
    const { state } = await client.subscribe(terminal);
    const hasLifecycle = ["1.0.0", "0.10.0", "0.9.0"].includes(version);
    expect(state).toMatchObject(
      hasLifecycle ? { lifecycle: { status: "exited", exitCode: 3 } } : { exitCode: 3 },
    );
    expect("isPty" in state).toBe(!/^0\.[56]\./.test(version));
  }
});

test("[E765] all that a client of 0.6 hears has the shapes of AHP 0.6.0", async ({ skip }) => {
  const [actions, commands, notifications, states] = [
    SchemaFile.read("0.6.0", "actions"),
    SchemaFile.read("0.6.0", "commands"),
    SchemaFile.read("0.6.0", "notifications"),
    SchemaFile.read("0.6.0", "state"),
  ];
  if (!actions || !commands || !notifications || !states) return skip(FIXTURES_MISSING);
  const { clients } = await share();
  const client = of(clients, "0.6.0");
  client.dispatch(turn("t1", "die"), chat);
  await client.action("chat/error");
  await client.request("createTerminal", { channel: terminal, claim: { kind: "client", clientId: "0.6.0" } });
  const results = {
    InitializeResult: client.heard[0]?.result,
    ListSessionsResult: await client.request("listSessions"),
    ResolveSessionConfigResult: await client.request("resolveSessionConfig"),
    CompletionsResult: await client.request("completions", {
      channel: session,
      kind: "userMessage",
      text: "/",
      offset: 1,
    }),
  };
  for (const [name, result] of Object.entries(results)) expect(commands.problems(name, result)).toEqual([]);
  const named = { [session]: "SessionState", [chat]: "ChatState", [terminal]: "TerminalState" };
  for (const [channel, name] of Object.entries(named)) {
    expect(states.problems(name, (await client.subscribe(channel)).state)).toEqual([]);
  }
  const heard = client.actions.map(({ action }) => action);
  expect(heard.length).toBeGreaterThan(5);
  for (const action of heard) {
    expect(actions.has(actionName(action.type))).toBe(true);
    expect(actions.problems(actionName(action.type), action)).toEqual([]);
  }
  const noticed = client.heard.filter(({ method }) => method?.startsWith("root/") === true);
  expect(noticed.length).toBeGreaterThan(0);
  for (const { method = "", params } of noticed) {
    const name = `${method.slice("root/s".length).replace(/^/, "S")}Params`;
    expect(notifications.has(name)).toBe(true);
    expect(notifications.problems(name, params)).toEqual([]);
  }
});

test("[E765] all that a client of 0.9 hears has VS Code's types", async ({ skip }) => {
  skip(VSCODE_MISSING !== undefined, VSCODE_MISSING);
  const { clients } = await share();
  const client = of(clients, "0.9.0");
  client.dispatch(turn("t1", "die"), chat);
  await client.action("chat/error");
  const checked: TypedValue[] = [
    { type: 'CommandMap["initialize"]["result"]', value: client.heard[0]?.result },
  ];
  const request = async (method: string, params?: object): Promise<void> => {
    checked.push({ type: `CommandMap["${method}"]["result"]`, value: await client.request(method, params) });
  };
  await request("createTerminal", { channel: terminal, claim: { kind: "client", clientId: "0.9.0" } });
  await request("listSessions", { channel: "ahp-root://" });
  await request("resolveSessionConfig", { channel: "ahp-root://" });
  await request("completions", { channel: chat, kind: "userMessage", text: "/", offset: 1 });
  for (const channel of ["ahp-root://", session, chat, terminal]) await request("subscribe", { channel });
  for (const { method, params } of client.heard) {
    if (method === undefined) continue;
    checked.push({ type: `ServerNotificationMap["${method}"]["params"]`, value: params });
  }
  expect(checked.length).toBeGreaterThan(20);
  expect(typeProblems(checked)).toEqual([]);
});
