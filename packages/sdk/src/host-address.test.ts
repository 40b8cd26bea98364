// Finding the host: options, variables, the home of this machine, and the use of the home's token.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { HostAddress } from "./host-address.ts";
import { Holdfast } from "./holdfast.ts";
import { findHome, readHome } from "./platform/node.ts";
import { answerJson, startTestServer, type TestServer } from "./testing/test-server.ts";

function newHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-sdk-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function writeHost(home: string, content: string | object, token?: string): void {
  writeFileSync(
    path.join(home, "host.json"),
    typeof content === "string" ? content : JSON.stringify(content),
  );
  if (token !== undefined) writeFileSync(path.join(home, "token"), `${token}\n`);
}

function startListServer(): Promise<TestServer> {
  return startTestServer((_request, response) => answerJson(response, { sessions: [] }));
}

beforeEach(() => {
  for (const name of ["RTX_APP_ID", "RTX_APP_NAME", "RTX_API_KEY", "RTX_PORT"]) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

describe("[X3] the identity of the client", () => {
  it("[X3] comes from its options, then those of RealtimeX, then the variables", async () => {
    vi.stubEnv("RTX_APP_ID", "env-app");
    vi.stubEnv("RTX_APP_NAME", "Env app");
    vi.stubEnv("RTX_API_KEY", "env-key");
    vi.stubEnv("RTX_PORT", "1");
    const server = await startListServer();
    const baseUrl = server.url;
    const realtimex = { appId: "rtx-app", appName: "Rtx app", apiKey: "rtx-key" };
    const clients = [
      new Holdfast({ baseUrl, appId: "own-app", apiKey: "own-key", realtimex }),
      new Holdfast({ baseUrl, appId: "", apiKey: "", realtimex }),
      new Holdfast({ realtimex: { url: `${baseUrl}/` } }),
    ];
    for (const { acpAgent } of clients) await acpAgent.listSessions();
    const sent = server.requests.filter(({ path: each }) => each === "/sdk/acp/sessions");
    expect(sent.map(({ headers }) => [headers["x-app-id"], headers["x-api-key"]])).toEqual([
      ["own-app", "own-key"],
      ["rtx-app", "rtx-key"],
      ["env-app", "env-key"],
    ]);
    expect(clients.map(({ appId, appName }) => [appId, appName])).toEqual([
      ["own-app", "Rtx app"],
      ["rtx-app", "Rtx app"],
      ["env-app", "Env app"],
    ]);
  });
});

describe("[X5] a host that nobody named", () => {
  it("[X5] is the one that runs in the home, opened with its token, and asked for nothing else", async () => {
    const home = newHome();
    const server = await startListServer();
    writeHost(home, { url: server.url, pid: process.pid, startedAt: "now" }, "owners-token");
    vi.stubEnv("HOLDFAST_HOME", home);
    expect(await new Holdfast().acpAgent.listSessions()).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers["x-api-key"]).toBe("owners-token");
  });

  it("[X5] is looked for again when it could not be reached", async () => {
    const home = newHome();
    const [first, second] = [await startListServer(), await startListServer()];
    writeHost(home, { url: first.url, pid: process.pid }, "token");
    vi.stubEnv("HOLDFAST_HOME", home);
    const { acpAgent } = new Holdfast();
    await acpAgent.listSessions();
    first.stop();
    writeHost(home, { url: second.url, pid: process.pid });
    await expect(acpAgent.listSessions()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    await acpAgent.listSessions();
    expect(second.requests).toHaveLength(1);
  });

  it("[X5] is RealtimeX's where none runs, until one does", async () => {
    const running: { url: string }[] = [];
    const platform = {
      variable: () => undefined,
      findHost: () => Promise.resolve(running[0]),
    };
    const address = new HostAddress({ baseUrl: undefined, apiKey: "k", appId: undefined, platform });
    expect(await address.locate()).toMatchObject({ url: "http://localhost:3001", apiKey: "k" });
    running.push({ url: "http://127.0.0.1:9" });
    expect(await address.locate()).toMatchObject({ url: "http://127.0.0.1:9", apiKey: "k" });
  });

  it.each([
    ["linux", {}, "/u/.local/state/holdfast"],
    ["linux", { XDG_STATE_HOME: "/state" }, "/state/holdfast"],
    ["freebsd", { XDG_STATE_HOME: "" }, "/u/.local/state/holdfast"],
    ["darwin", {}, "/u/Library/Application Support/holdfast"],
    ["win32", { LOCALAPPDATA: "/local" }, "/local/holdfast/Data"],
    ["win32", {}, "/u/AppData/Local/holdfast/Data"],
    ["linux", { HOLDFAST_HOME: "/my/home", XDG_STATE_HOME: "/state" }, "/my/home"],
    ["linux", { HOLDFAST_HOME: "" }, "/u/.local/state/holdfast"],
  ] as const)("[X5] has its home, on %s with %j, in %s", (platform, environment, home) => {
    expect(findHome(environment, platform, "/u")).toBe(home);
  });
});

describe("[X6] the token of a home", () => {
  const token = "owners-token";

  it.each([
    ["has a key", { apiKey: "k" }, "k"],
    ["comes in the name of an app", { appId: "app" }, undefined],
  ])("[X6] is not used by a client that %s", async (_what, options, key) => {
    const home = newHome();
    const server = await startListServer();
    writeHost(home, { url: server.url, pid: process.pid }, token);
    vi.stubEnv("HOLDFAST_HOME", home);
    await new Holdfast(options).acpAgent.listSessions();
    expect(server.requests.at(-1)?.headers["x-api-key"]).toBe(key);
  });

  it("[X6] is not sent to an address from anywhere else", async () => {
    const home = newHome();
    const [own, other] = [await startListServer(), await startListServer()];
    writeHost(home, { url: own.url, pid: process.pid }, token);
    vi.stubEnv("HOLDFAST_HOME", home);
    await new Holdfast({ baseUrl: other.url }).acpAgent.listSessions();
    expect(JSON.stringify(other.requests)).not.toContain(token);
  });

  it("[X6] is not sent to a process that has the port of a host that died", async () => {
    const home = newHome();
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeHost(home, { url: "http://127.0.0.1:9", pid }, token);
    expect(await readHome(home)).toBeUndefined();
    writeHost(home, { url: "http://127.0.0.1:9", pid: process.pid });
    expect(await readHome(home)).toEqual({ url: "http://127.0.0.1:9", token });
  });

  it.each(["", "{", "null", "[]", `{"url":1,"pid":1}`, `{"url":"http://h"}`, `{"url":"http://h","pid":-1}`])(
    "[X6] a host.json of %j names no host",
    async (content) => {
      const home = newHome();
      writeHost(home, content, token);
      expect(await readHome(home)).toBeUndefined();
    },
  );

  it("[X6] may be missing: then the host is known, and clients that have a key can use it", async () => {
    const home = newHome();
    expect(await readHome(home)).toBeUndefined();
    writeHost(home, { url: "http://127.0.0.1:9", pid: process.pid });
    expect(await readHome(home)).toEqual({ url: "http://127.0.0.1:9", token: undefined });
  });
});
