// Which agents are installed, in which version: looked for on the machine, with programs of a test in PATH.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Spawner } from "@holdfast/terminal/process";
import type { AgentInfo } from "@holdfast/protocol";
import { afterAll, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHostOptions, useFakeHosts } from "../testing/fake-host.ts";
import type { AgentEntry } from "./agent-entry.ts";
import { Installations } from "./installations.ts";

guardLeaks();
const newHost = useFakeHosts();
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "installations-")));
afterAll(() => rmSync(folder, { recursive: true }));

function install(name: string, script: string): void {
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(folder, name), 0o755);
}

install("gemini", `echo run >> ${folder}/probes; echo "gemini v0.61.0-nightly.3 (node 20.1.2)"`);
install("qwen", "echo 'cannot read file 3.14' >&2; exit 1");
install("claude-code-acp", "echo 0.16.2");
install("copilot", "echo hello");
install("kimi", "echo 2.1.0; sleep 300 &");
mkdirSync(path.join(folder, "opencode"));
writeFileSync(path.join(folder, "codex-acp"), "not executable");

async function list(options: FakeHostOptions = {}): Promise<(id: string) => AgentInfo> {
  const host = newHost({ environment: { PATH: `${folder}:/usr/bin:/bin` }, ...options });
  const agents = await host.host.listAgents(false);
  return (id) => {
    const found = agents.find((agent) => agent.id === id);
    if (found === undefined) throw new Error(`${id} is not listed`);
    return found;
  };
}

test("[N31, N342] installed and version are found out by looking and asking", async () => {
  const agent = await list();
  expect(agent("gemini-cli")).toMatchObject({
    installed: true,
    status: "installed",
    version: "0.61.0-nightly.3",
  });
  expect(agent("claude-cli")).toMatchObject({ installed: true, version: "0.16.2" });
  expect(agent("codex-cli")).toMatchObject({
    installed: false,
    status: "not_installed",
    version: null,
    authReady: false,
  });
  expect(agent("opencode-cli")).toMatchObject({
    installed: false,
    installCommand: "npm install -g opencode-ai",
  });
  expect(agent("claude-cli")).not.toHaveProperty("installCommand");
});

test("[N31] a program that fails or prints no number has no version, and one that leaves something running leaves nothing", async () => {
  const agent = await list();
  expect(agent("qwen-cli")).toMatchObject({ installed: true, version: null });
  expect(agent("copilot-cli")).toMatchObject({ installed: true, version: null });
  expect(agent("kimi-cli")).toMatchObject({ installed: true, version: "2.1.0" });
});

test("[N31] a login is found in the environment or in the agent's own files", async () => {
  expect((await list())("gemini-cli").authReady).toBe(false);
  const environment = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
  expect((await list({ environment: { ...environment, GEMINI_API_KEY: "x" } }))("gemini-cli").authReady).toBe(
    true,
  );
  mkdirSync(path.join(folder, ".gemini"));
  writeFileSync(path.join(folder, ".gemini", "oauth_creds.json"), "{}");
  expect((await list({ environment }))("gemini-cli").authReady).toBe(true);
});

test("[N31] a look is kept: asking again starts nothing", async () => {
  const host = newHost({ environment: { PATH: `${folder}:/usr/bin:/bin` } });
  const probes = (): number => readFileSync(path.join(folder, "probes"), "utf8").length;
  await host.host.listAgents(false);
  const before = probes();
  await Promise.all([host.host.listAgents(true), host.host.listAgents(false)]);
  expect(probes()).toBe(before);
});

test("[N31] the user's own agents are listed with the rest; models only where they are asked for", async () => {
  const host = newHost({
    agents: { mine: {}, gone: {} },
    agentConfig: { mine: { label: "My agent" }, gone: { command: "/no/such/program" } },
  });
  const [plain, withModels] = [await host.host.listAgents(false), await host.host.listAgents(true)];
  expect(plain.find(({ id }) => id === "mine")).toMatchObject({
    label: "My agent",
    handles: ["mine"],
    installed: true,
    version: null,
    authReady: true,
  });
  expect(plain.find(({ id }) => id === "gone")).toMatchObject({ label: "gone", installed: false });
  expect(plain[0]).not.toHaveProperty("models");
  expect(withModels[0]).toHaveProperty("models");
});

test("[N284] an agent on the host's own PATH is found where the login shell has another, and starts with both", async () => {
  const own = path.join(folder, "own");
  mkdirSync(own);
  writeFileSync(path.join(own, "only-here"), `#!/usr/bin/env interpreter\n`);
  writeFileSync(path.join(own, "interpreter"), "#!/bin/sh\necho only-here 4.5.6\n");
  for (const name of ["only-here", "interpreter"]) chmodSync(path.join(own, name), 0o755);
  const processPort = new Spawner({ environment: { PATH: "/usr/bin:/bin", HOME: folder } });
  const installations = new Installations(processPort, "1", { hostPath: `/bin:${own}` });
  const launch = { command: "only-here", args: [], env: {} };
  const found = await installations.find({ ...plain, launch, versionProbe: { args: ["--version"] } });
  expect(found).toMatchObject({
    installed: true,
    version: "4.5.6",
    launch: { command: path.join(own, "only-here"), env: { PATH: `/usr/bin:/bin:${own}` } },
  });
  const missing = await installations.find({
    ...plain,
    id: "other",
    launch: { ...launch, command: "nowhere" },
    alternatives: [{ ...launch, command: "not-here-either" }],
  });
  expect(missing).toEqual({
    installed: false,
    searched: `there is no nowhere or not-here-either in the login shell's PATH (/usr/bin:/bin), nor in the host's (/bin:${own})`,
  });
  await processPort.close();
});

test.runIf(process.platform === "linux")(
  "[N31] a version probe runs in a sandbox of the host's level, in which the host's home is not there",
  async () => {
    const secret = path.join(folder, "secret");
    mkdirSync(secret);
    writeFileSync(path.join(secret, "token"), "7.7.7");
    install("curious", `cat ${secret}/token || echo 1.2.3`);
    const agentConfig = { curious: { command: "curious", versionProbe: { args: ["--version"] } } };
    const versionAt = async (level: "none" | "guard"): Promise<string | null | undefined> => {
      const paths = { hidden: [secret], readOnly: [], private: [] };
      const isolation = { level, require: level === "guard" };
      const agent = await list({ agents: { curious: {} }, agentConfig, paths, config: { isolation } });
      return agent("curious").version;
    };
    expect(await versionAt("none")).toBe("7.7.7");
    expect(await versionAt("guard")).toBe("1.2.3");
  },
);

const plain: AgentEntry = {
  id: "mine",
  handles: ["mine"],
  label: "Mine",
  builtIn: false,
  launch: { command: "mine", args: [], env: {} },
  alternatives: [],
  keepSecrets: [],
  model: [],
  forwarding: {},
  quirks: [],
  commandEnvironment: {},
  throughHost: [],
  asks: true,
  askModes: [],
};
