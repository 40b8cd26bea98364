// Sessions at their two ends: an agent that is not installed, and the titles of closed ones in lists.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runWords, type CommandRun } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-sessions-"));
const home = path.join(folder, "home");
let host: ProgramRun;
let api: Holdfast;

beforeAll(async () => {
  mkdirSync(home, { mode: 0o700 });
  const agents = {
    missing: { extends: "gemini", command: "no-such-agent" },
    unknown: { command: "no-such-agent" },
  };
  writeFileSync(path.join(home, "config.jsonc"), JSON.stringify({ agents }), { mode: 0o600 });
  host = new ProgramRun(["--port", "0", "--home", home, "--json"], { program: "main" });
  const { url, token } = await host.ready();
  api = new Holdfast({ baseUrl: url, apiKey: token });
}, 60_000);

afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(...words: string[]): Promise<CommandRun> {
  return runWords([...words, "--home", home]);
}

it("[C517] empty lists have their header", async () => {
  expect((await run("ls")).stdout).toMatch(/^SESSION +AGENT .*TITLE\n$/);
  expect((await run("terminals")).stdout).toMatch(/^TERMINAL +KIND .*TITLE\n$/);
  expect((await run("keys", "ls")).stdout).toMatch(/^KEY +STATE .*NAME\n$/);
});

it("[C500] run names the command that installs an agent, where the catalogue has one", async () => {
  const { code, stdout, stderr } = await run("run", "missing", "hello");
  expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: "ACP_SESSION_INIT_FAILED",
      message: expect.stringContaining("is not installed") as string,
      remedy: "Install it with: npm install -g @google/gemini-cli",
      exitCode: 7,
    },
  });
  const other = JSON.parse((await run("run", "unknown", "hello")).stderr) as { error: object };
  expect(other.error).not.toHaveProperty("remedy");
});

it("[C501] a closed session keeps its automatic title in the lists of sessions", async () => {
  const { session_key } = await api.acpAgent.createSession({
    agent_id: "shell",
    approvalPolicy: "approve-all",
  });
  await api.acpAgent.chat(session_key, "echo what it is about");
  const title = async (): Promise<string | undefined> => {
    const { stdout } = await run("ls", "--all", "--json");
    const listed = JSON.parse(stdout) as { session_key: string; title: string }[];
    return listed.find((session) => session.session_key === session_key)?.title;
  };
  expect(await title()).toBe("echo what it is about");
  await api.acpAgent.closeSession(session_key);
  expect(await title()).toBe("echo what it is about");
  expect((await run("prune", "--older-than", "0s", "--dry-run")).stdout).toContain("what it is about");
});

it("[C515] a closed session is reported as closed, by its name and by its key", async () => {
  const { session_key: key } = await api.acpAgent.createSession({ agent_id: "shell" });
  const name = key.slice(-36, -28);
  expect(await run("close", name)).toMatchObject({ code: 0 });
  for (const words of [
    ["close", name],
    ["close", key],
    ["run", "shell", "--session", name, "echo hi"],
  ]) {
    const { code, stderr } = await run(...words);
    expect(code).toBe(6);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: "ACP_SESSION_NOT_FOUND",
        message: `Session ${name} is closed.`,
        remedy: expect.stringContaining("`holdfast ls --all` lists closed sessions") as string,
      },
    });
  }
});

it("[C820] reopen opens a closed session, by its name and by its key, and its agent knows what was said", async () => {
  const { session_key: key } = await api.acpAgent.createSession({
    agent_id: "shell",
    approvalPolicy: "approve-all",
  });
  await api.acpAgent.chat(key, "echo before");
  const name = key.slice(-36, -28);
  const files = agentFiles();
  expect(await run("close", name)).toMatchObject({ code: 0 });
  expect((await run("close", name)).stderr).toContain(`holdfast reopen ${name}`);
  const { code, stdout } = await run("reopen", name, "--json");
  expect({ code, state: (JSON.parse(stdout) as { state: string }).state }).toEqual({
    code: 0,
    state: "stale",
  });
  expect(await run("run", "shell", "--session", name, "echo after")).toMatchObject({ code: 0 });
  const exported = await run("export", name);
  expect(exported.stdout).toMatch(/echo before[^]*echo after/);
  expect(exported.stdout).not.toContain("without its context");
  expect(await run("reopen", key)).toMatchObject({ code: 0 });
  expect(await run("reopen", "nothing")).toMatchObject({ code: 6 });
  expect(agentFiles()).toEqual(files);
  expect(await run("delete", name, "--yes")).toMatchObject({ code: 0 });
  expect(agentFiles()).toHaveLength(files.length - 1);
});

/** The folders that the host keeps for the built-in agent's sessions. */
function agentFiles(): string[] {
  return readdirSync(path.join(home, "agents/shell")).toSorted();
}
