// Single examinations on what is really broken, in this process.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Spawner } from "@holdfast/terminal/process";
import { type Config, readConfig } from "@holdfast/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Paint } from "../console.ts";
import { defaultConfig } from "../serve/config-file.ts";
import { identifyProcess } from "../serve/process-identity.ts";
import { makePath } from "../testing/doctor-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { examineAgents } from "./agents.ts";
import { examineBubblewrap, examineIsolation, examineNamespaces } from "./isolation.ts";
import { type Examination, examineAll } from "./doctor.ts";
import { type Finding, ok, reportLines } from "./finding.ts";
import { examineAppIds, examineHome, examinePolicy, examineToken } from "./home.ts";
import { examineHost, examinePort } from "./host.ts";
import { examineLoginShell, examineNode } from "./terminals.ts";
import { Machine } from "./machine.ts";

function makeProcessPort(environment: Record<string, string>): Spawner {
  const processPort = new Spawner({ environment });
  onTestFinished(() => processPort.close());
  return processPort;
}

function makeConfig(settings: object): Config {
  const read = readConfig(settings);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** A server that answers everything alike. */
async function answerAlways(status: number, body: object): Promise<{ url: string; port: number }> {
  const server = createServer((_request, response) => {
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

const hostFile = (url: string): { url: string; pid: number; startedAt: string } => ({
  url,
  pid: process.pid,
  startedAt: new Date(0).toISOString(),
});

describe("[V687] the policy file", () => {
  it("[V687] is fine if it is valid or absent, and else a problem with a command that explains it", async () => {
    const home = temporaryFolder();
    const config = makeConfig({});
    await expect(examinePolicy({ home, config })).resolves.toMatchObject({ state: "ok" });
    writeFileSync(path.join(home, "policy.jsonc"), `{"deny": "rm"}`);
    await expect(examinePolicy({ home, config })).resolves.toMatchObject({
      state: "fix",
      summary: expect.stringContaining("deny must be an array") as string,
      command: "holdfast policy check",
    });
    const named = makeConfig({ policy: "other.jsonc" });
    await expect(examinePolicy({ home, config: named })).resolves.toMatchObject({ state: "fix" });
  });
});

describe("[V646] isolation", () => {
  const guard = makeConfig({});

  it.runIf(process.platform === "linux")("[V646] is fine where a backend works, and named", async () => {
    const processPort = makeProcessPort({ PATH: process.env["PATH"] ?? "" });
    const { backend } = await processPort.isolation();
    const found = await examineIsolation({ processPort, platform: "linux", config: guard });
    expect(found).toMatchObject({ state: "ok", summary: expect.stringContaining(`guard, by ${backend}`) });
  });

  it("[V646] is a note with the reasons where none works, or where it is off", async () => {
    vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", "nothing");
    const processPort = makeProcessPort({ PATH: process.env["PATH"] ?? "" });
    vi.unstubAllEnvs();
    const found = await examineIsolation({ processPort, platform: "linux", config: guard });
    expect(found).toMatchObject({ state: "note", summary: expect.stringContaining("are not isolated") });
    const off = makeConfig({ isolation: { level: "none" } });
    expect(await examineIsolation({ processPort, platform: "linux", config: off })).toMatchObject({
      state: "note",
      summary: expect.stringContaining("off in the configuration"),
    });
  });
});

describe("[C70] all examinations", () => {
  it("[C70] an examination that hangs or fails is a finding, not a crash", async () => {
    const examinations: Examination[] = [
      { id: "hangs", title: "Hangs", examine: () => new Promise(() => undefined) },
      { id: "fails", title: "Fails", examine: () => Promise.reject(new Error("EIO")) },
      { id: "fine", title: "Fine", examine: () => Promise.resolve(ok("fine")) },
    ];
    const machine = new Machine({ environment: process.env, home: temporaryFolder() });
    onTestFinished(() => machine.close());
    const findings = await examineAll(machine, examinations, 50);
    expect(findings.map(({ id, state, summary }) => `${id} ${state} ${summary}`)).toEqual([
      "hangs fix check timed out after 0.05 s",
      "fails fix check failed: EIO",
      "fine ok fine",
    ]);
  });

  it(
    "[C70] a home that is a file and a configuration that is none are findings",
    { timeout: 30_000 },
    async () => {
      const home = path.join(temporaryFolder(), "home");
      writeFileSync(home, "not a folder");
      const machine = new Machine({
        environment: { PATH: process.env["PATH"], SHELL: "/usr/bin/oddshell" },
        home,
      });
      onTestFinished(() => machine.close());
      const findings = await examineAll(machine);
      const stateOf = (id: string): string | undefined => findings.find((each) => each.id === id)?.state;
      expect(["home", "config", "host"].map(stateOf)).toEqual(["fix", "fix", "fix"]);
      expect(["node", "storage", "pty"].map(stateOf)).toEqual(["ok", "ok", "ok"]);
      expect(readFileSync(home, "utf8")).toBe("not a folder");
    },
  );

  it("[C70] prints each finding on a line, its fix below, and the totals", () => {
    const findings: Finding[] = [
      { id: "a", title: "First", state: "ok", summary: "is there" },
      {
        id: "b",
        title: "Second thing",
        state: "fix",
        summary: "is\u001B[31m gone",
        remedy: "Get it:",
        command: "get it",
      },
      { id: "c", title: "Third", state: "note", summary: "could be better" },
    ];
    expect(reportLines(findings, new Paint(false))).toEqual([
      "ok    First         is there",
      "fix   Second thing  is\\e[31m gone",
      "                    Get it:",
      "                    $ get it",
      "note  Third         could be better",
      "",
      "1 problem, 1 note.",
    ]);
  });
});

describe("[C72] single examinations", () => {
  it("[C72] Node from 20.19 on is new enough", async () => {
    const states = ["18.20.4", "20.18.9", "20.19.0", "22.0.0"].map((nodeVersion) =>
      examineNode({ nodeVersion }),
    );
    expect((await Promise.all(states)).map(({ state }) => state)).toEqual(["fix", "fix", "ok", "ok"]);
  });

  it("[C72] a home that others may write to, and a token that is none, have their commands", async (context) => {
    if (process.platform === "win32") return context.skip("Windows has no such rights");
    const home = temporaryFolder();
    chmodSync(home, 0o755);
    await expect(examineHome({ home })).resolves.toMatchObject({
      state: "note",
      command: `chmod 700 ${home}`,
    });
    writeFileSync(path.join(home, "somebody's"), "");
    chmodSync(home, 0o777);
    await expect(examineHome({ home })).resolves.toMatchObject({
      state: "fix",
      command: `chmod 700 ${home}`,
    });
    await expect(examineHome({ home: path.join(home, "a", "b") })).resolves.toMatchObject({ state: "ok" });
    const token = path.join(home, "token");
    await expect(examineToken({ home })).resolves.toMatchObject({
      state: "ok",
      summary: "made at the first start",
    });
    writeFileSync(token, "short");
    await expect(examineToken({ home })).resolves.toMatchObject({ state: "fix", command: `rm ${token}` });
    writeFileSync(token, "0123456789abcdef");
    chmodSync(token, 0o644);
    await expect(examineToken({ home })).resolves.toMatchObject({ state: "note" });
    return undefined;
  });

  it("[C72] a port that is the home's own host's is fine; one that nobody holds is free", async () => {
    const { url, port } = await answerAlways(200, {});
    const config = makeConfig({ listen: { port } });
    const own = { config, runningHost: () => Promise.resolve(hostFile(url)) };
    await expect(examinePort(own)).resolves.toMatchObject({ state: "ok" });
    const none = { config, runningHost: () => Promise.resolve(undefined) };
    await expect(examinePort(none)).resolves.toMatchObject({ state: "fix" });
    const elsewhere = { ...none, config: makeConfig({ listen: { host: "192.0.2.1", port: 4747 } }) };
    await expect(examinePort(elsewhere)).resolves.toMatchObject({
      state: "fix",
      summary: expect.stringContaining("has no address 192.0.2.1") as string,
    });
  });

  it("[C72] a host that takes no work, or does not respond, is a problem", async () => {
    const home = temporaryFolder();
    const { url } = await answerAlways(503, { success: false, error: "The disk is full." });
    const tired = await examineHost({ home, runningHost: () => Promise.resolve(hostFile(url)) });
    expect(tired).toMatchObject({
      state: "fix",
      summary: expect.stringContaining("The disk is full.") as string,
    });
    const gone = await examineHost({
      home,
      runningHost: () => Promise.resolve(hostFile("http://127.0.0.1:1")),
    });
    expect(gone).toMatchObject({ state: "fix", command: `kill ${process.pid}` });
  });

  it("[C72] a login shell that is missing, or does not report commands, is a note", async () => {
    const processPort = makeProcessPort({});
    const environment = { PATH: makePath(path.join(temporaryFolder(), "bin"), { bash: "exit 0" }) };
    const bash = path.join(environment.PATH, "bash");
    const missing = { ...environment, SHELL: "/nowhere/zsh" };
    await expect(examineLoginShell({ environment: missing, processPort })).resolves.toMatchObject({
      summary: expect.stringContaining("/nowhere/zsh is not there") as string,
      command: `chsh -s ${bash}`,
    });
    await expect(
      examineLoginShell({ environment: { ...environment, SHELL: "/bin/sh" }, processPort }),
    ).resolves.toMatchObject({
      state: "note",
      summary: expect.stringContaining("has no integration") as string,
    });
    await expect(
      examineLoginShell({ environment: { ...environment, SHELL: bash }, processPort }),
    ).resolves.toMatchObject({
      state: "ok",
    });
  });

  it("[C72] bubblewrap that is there but may not work, and a missing unshare, are notes", async (context) => {
    if (process.platform !== "linux") return context.skip("both are for Linux alone");
    const PATH = makePath(path.join(temporaryFolder(), "bin"), {
      bwrap: "echo 'No permissions' >&2; exit 1",
    });
    const seen = {
      environment: { PATH },
      processPort: makeProcessPort({ PATH }),
      platform: "linux",
    } as const;
    await expect(examineBubblewrap(seen)).resolves.toMatchObject({
      state: "note",
      summary: expect.stringContaining("cannot be used here: No permissions") as string,
    });
    const empty = { ...seen, environment: { PATH: temporaryFolder() } };
    await expect(examineNamespaces(empty)).resolves.toMatchObject({
      state: "note",
      summary: expect.stringContaining("unshare is not installed") as string,
    });
    return undefined;
  });

  it("[C73] an agent that hangs is reported in time, and ended; one that was set up must be there", async () => {
    const folder = temporaryFolder();
    const pidFile = path.join(folder, "pid");
    const PATH = makePath(path.join(folder, "bin"), { qwen: `echo $$ > ${pidFile}; exec sleep 600` });
    const processPort = new Spawner({ environment: { PATH, HOME: folder } });
    const config = makeConfig({ agents: { mine: { command: "my-agent" } }, defaults: { agent: "codex" } });
    const findings = await examineAgents({ processPort, config }, 2500);
    const find = (id: string): Finding | undefined => findings.find((each) => each.id === `agent:${id}`);
    expect(find("qwen-cli")).toMatchObject({ state: "fix", command: "holdfast agents doctor qwen-cli" });
    expect(find("mine")).toMatchObject({
      state: "fix",
      summary: "not installed: there is no my-agent on the PATH",
    });
    expect(find("codex-cli")).toMatchObject({ state: "fix" });
    expect(find("kimi-cli")).toMatchObject({
      state: "note",
      command: "npm install -g @moonshot-ai/kimi-code",
    });
    await processPort.close(0);
    expect(identifyProcess(Number(readFileSync(pidFile, "utf8")))).toBeUndefined();
    const allowed = await examineAgents({
      processPort: makeProcessPort({ PATH: "" }),
      config: makeConfig({ allowedAgents: ["shell"] }),
    });
    expect(allowed.map(({ id }) => id)).toEqual(["agent:shell"]);
  });
});

it("[C621] app ids that are accepted are a note, with the key that replaces them", async () => {
  const config = defaultConfig();
  await expect(examineAppIds({ config })).resolves.toMatchObject({ state: "ok" });
  for (const anyUser of [false, true]) {
    const apps = { enabled: true, anyUser };
    await expect(examineAppIds({ config: { ...config, apps } })).resolves.toMatchObject({
      state: "note",
      summary: expect.stringContaining(anyUser ? "any user" : "your user"),
      command: expect.stringContaining("keys create"),
    });
  }
});
