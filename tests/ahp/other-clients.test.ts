// Runs AHP clients of others against the host: Microsoft's TypeScript client, and AHPX. They are not on npm, so builds of
// them are named by variables: HOLDFAST_AHP_CLIENT (the folder of the package) and HOLDFAST_AHPX (its bin.js).
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { z } from "zod";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, onTestFinished, test } from "vitest";
import { useServedHosts } from "./served-host.ts";

const serveHost = useServedHosts();

const officialClient = process.env["HOLDFAST_AHP_CLIENT"] ?? "";
const ahpx = process.env["HOLDFAST_AHPX"] ?? "";
const script = {
  prompts: {
    hello: [{ do: "say", text: "Hello yourself" }],
    ask: [
      {
        do: "ask",
        method: "session/request_permission",
        as: "answer",
        params: {
          toolCall: { toolCallId: "c1", title: "Edit a file", kind: "edit", status: "pending" },
          options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
        },
      },
      { do: "say", text: "Thank you" },
    ],
  },
};

interface ChatState {
  readonly turns: readonly object[];
}

interface OfficialClient {
  connect(): void;
  shutdown(): Promise<void>;
  initialize(params: object): Promise<{ protocolVersion: string; snapshots: readonly unknown[] }>;
  subscribe(uri: string): Promise<{
    result: { snapshot: { state: ChatState } };
    subscription: AsyncIterable<{ type: string; params: { action: { type: string } } }>;
  }>;
  dispatch(channel: string, action: object): void;
  request(method: string, params: object): Promise<unknown>;
}

interface OfficialModules {
  readonly AhpClient: new (transport: unknown) => OfficialClient;
  readonly chatReducer: (state: ChatState, action: object) => ChatState;
  readonly WebSocketTransport: { connect(url: string, options?: object): Promise<unknown> };
}

async function loadOfficial(): Promise<OfficialModules> {
  const folder = path.join(officialClient, "dist");
  const from = async (file: string): Promise<object> =>
    (await import(pathToFileURL(path.join(folder, file)).href)) as object;
  const files = ["types/index.js", "client/index.js", "ws/index.js"];
  const modules = await Promise.all(files.map(from));
  return Object.assign({}, ...modules) as OfficialModules;
}

test("[E766] Microsoft's client runs a turn and has the host's state", async ({ skip }) => {
  if (officialClient === "" || !existsSync(path.join(officialClient, "dist"))) {
    return skip("HOLDFAST_AHP_CLIENT names no built @microsoft/agent-host-protocol");
  }
  // That client uses the global WebSocket, which Node 20 lacks.
  if (!("WebSocket" in globalThis)) Object.assign(globalThis, { WebSocket });
  const { AhpClient, chatReducer, WebSocketTransport } = await loadOfficial();
  const host = await serveHost({ script });
  const client = new AhpClient(await WebSocketTransport.connect(host.address()));
  onTestFinished(() => client.shutdown());
  client.connect();
  const registry = readFileSync(path.join(officialClient, "dist/types/version/registry.js"), "utf8");
  const offered = [.../'(\d+\.\d+\.\d+)'/g[Symbol.matchAll](registry)].map(([, version]) => version);
  const greeting = await client.initialize({
    clientId: "official",
    protocolVersions: [offered[0]],
    initialSubscriptions: ["ahp-root://"],
  });
  expect(greeting.protocolVersion).toBe(offered[0]);
  expect(greeting.snapshots).toMatchObject([{ resource: "ahp-root://" }]);
  const session = "mine:/official";
  const chat = defaultChatUri(makeId("session URI", session));
  await client.request("createSession", {
    channel: session,
    provider: "mine",
    workingDirectory: `file://${host.work}`,
  });
  const { result, subscription } = await client.subscribe(chat);
  let { state } = result.snapshot;
  const message = { text: "hello", origin: { kind: "user" } };
  client.dispatch(chat, {
    type: "chat/turnStarted",
    turnId: "t1",
    startedAt: new Date().toISOString(),
    message,
  });
  for await (const { type, params } of subscription) {
    if (type === "action") state = chatReducer(state, params.action);
    if (type === "action" && params.action.type === "chat/turnComplete") break;
  }
  expect(state.turns).toMatchObject([
    { id: "t1", state: "complete", responseParts: [{ kind: "markdown", content: "Hello yourself" }] },
  ]);
  const own = await host.own("witness");
  const seen = await own.subscribe(makeId("chat URI", chat), "chat");
  expect(seen.state.turns.map(({ id }) => id)).toEqual(["t1"]);
});

test("[E766] AHPX connects, and runs a turn with a permission that it approves", async ({ skip }) => {
  if (!existsSync(ahpx)) return skip("HOLDFAST_AHPX names no built bin.js of AHPX");
  const host = await serveHost({ script });
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-ahpx-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const run = async (...args: string[]): Promise<string> => {
    const options = { env: { ...process.env, HOME: home }, timeout: 60_000, cwd: host.work };
    return (await promisify(execFile)(process.execPath, [ahpx, "--format", "json", ...args], options)).stdout;
  };
  const server = host.address("?tkn=a-token-for-tests", "/");
  const greeting = z
    .looseObject({ protocolVersion: z.string() })
    .parse(JSON.parse(await run("connect", server)));
  expect(greeting.protocolVersion).toMatch(/^0\.[56]\./);
  const common = ["-s", server, "-p", "mine", "--cwd", host.work];
  expect(await run("exec", ...common, "hello")).toContain("Hello yourself");
  expect(await run("exec", ...common, "--approve-all", "ask")).toContain("Thank you");
});
