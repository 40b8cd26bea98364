// Finding the host: options, variables, the home of this machine, and the use of the home's token.
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type FoundHost, HostAddress } from "./host-address.ts";
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
    typeof content === "string" ? content : JSON.stringify({ startedAt: "now", ...content }),
  );
  if (token !== undefined) writeFileSync(path.join(home, "token"), `${token}\n`);
  if (!existsSync(path.join(home, "lock"))) writeLock(home, process.pid);
}

/** Writes the lock of a home as a host does, with the start of the process if the system reports it. */
function writeLock(home: string, pid: number, birth = birthOf(pid)): void {
  const holder = { id: randomUUID(), pid, birth, startedAt: "now" };
  writeFileSync(path.join(home, "lock"), JSON.stringify(holder));
}

function birthOf(pid: number): string {
  if (process.platform !== "linux") return "";
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return `${bootId} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
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
    writeHost(home, { url: server.url, pid: process.pid }, "owners-token");
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
    const running: FoundHost[] = [];
    const platform = {
      variable: () => undefined,
      findHost: () => Promise.resolve(running[0]),
    };
    const address = new HostAddress({ baseUrl: undefined, apiKey: "k", appId: undefined, platform });
    expect(await address.locate()).toMatchObject({ url: "http://localhost:3001", apiKey: "k" });
    running.push({ url: "http://127.0.0.1:9", isRunning: () => Promise.resolve(true) });
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
    writeLock(home, pid, "");
    writeHost(home, { url: "http://127.0.0.1:9", pid }, token);
    expect(await readHome(home)).toBeUndefined();
    writeLock(home, process.pid);
    writeHost(home, { url: "http://127.0.0.1:9", pid: process.pid });
    expect(await readHome(home)).toMatchObject({ url: "http://127.0.0.1:9", token });
  });

  it("[X850] is not sent to a host that is gone when its pid belongs to another process", async () => {
    const home = newHome();
    const url = "http://127.0.0.1:9";
    writeHost(home, { url, pid: process.pid }, token);
    writeLock(home, process.pid, "another boot 1");
    expect(await readHome(home)).toBeUndefined();
    // Where the system does not say when a process began, the pid has to do.
    writeLock(home, process.pid, "");
    expect(await readHome(home)).toMatchObject({ url, token });
  });

  it("[X850] is not sent to the host of host.json unless it holds the home's lock", async () => {
    const home = newHome();
    const url = "http://127.0.0.1:9";
    writeHost(home, { url, pid: process.pid, startedAt: "before" }, token);
    expect(await readHome(home)).toBeUndefined();
    writeHost(home, { url, pid: process.ppid });
    expect(await readHome(home)).toBeUndefined();
    writeHost(home, { url, pid: process.pid });
    rmSync(path.join(home, "lock"));
    expect(await readHome(home)).toBeUndefined();
    writeFileSync(path.join(home, "lock"), "null");
    expect(await readHome(home)).toBeUndefined();
  });

  it("[X850] is not sent by a client that found the host before it was killed", async () => {
    const home = newHome();
    const server = await startListServer();
    const host = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(host, "spawn");
    const pid = host.pid ?? 0;
    writeLock(home, pid);
    writeHost(home, { url: server.url, pid }, token);
    vi.stubEnv("HOLDFAST_HOME", home);
    const { acpAgent } = new Holdfast();
    await acpAgent.listSessions();
    expect(server.requests.at(-1)?.headers["x-api-key"]).toBe(token);
    host.kill("SIGKILL");
    await once(host, "exit");
    // The server stands for a process that now listens on the port of that host.
    const sent = server.requests.length;
    await Promise.allSettled([acpAgent.listSessions()]);
    expect(server.requests.slice(sent)).toEqual([]);
  });

  it("[X850] is sent until its host, which stops, gives the lock back", async () => {
    const home = newHome();
    const server = await startListServer();
    writeHost(home, { url: server.url, pid: process.pid }, token);
    vi.stubEnv("HOLDFAST_HOME", home);
    const { acpAgent } = new Holdfast();
    await acpAgent.listSessions();
    rmSync(path.join(home, "host.json"));
    await acpAgent.listSessions();
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([token, token]);
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
    expect(await readHome(home)).toMatchObject({ url: "http://127.0.0.1:9", token: undefined });
  });
});
