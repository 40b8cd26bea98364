// Agents' processes that hold the owner's token: refused by a real host, over HTTP and AHP; people's terminals are not.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";
import { startRealHost, type RealHost } from "./real-host.ts";

const run = promisify(execFile);
const isLinux = process.platform === "linux";
let host: RealHost;
let api: Holdfast;
let script: string;

beforeAll(async () => {
  host = await startRealHost({
    // Without isolation: under guard no agent reads the token at all.
    config: {
      isolation: { level: "none" },
      security: { agentsMayUseApi: ["claude"] },
      apps: { enabled: true },
    },
  });
  api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  // A program as an agent would write one: it reads the token and uses it.
  script = path.join(host.project, "use-token.mjs");
  writeFileSync(
    script,
    `import { readFileSync } from "node:fs";
const token = readFileSync(process.argv[2] + "/token", "utf8").trim();
const headers = { "x-api-key": token, "x-forwarded-for": "192.0.2.1" };
const response = await fetch(process.argv[3] + "/admin/keys", { headers });
console.log("status", response.status, (await response.json()).code);
const socket = new WebSocket(process.argv[3].replace("http", "ws") + "/ahp?tkn=" + token);
await new Promise((resolve) => { socket.onopen = () => resolve(console.log("socket open")); socket.onerror = () => resolve(console.log("socket refused")); });
process.exit();
`,
  );
});

afterAll(() => host.close());

function useToken(): string {
  return `${process.execPath} --experimental-websocket ${script} ${host.home} ${host.url}`;
}

/** The output of a command that the built-in agent runs. */
async function runAsAgent(command: string): Promise<string> {
  // Where nothing hides the token.
  const wish = {
    agent_id: "shell",
    cwd: host.project,
    approvalPolicy: "approve-all",
    isolation: "none",
  } as const;
  const { session_key: key } = await api.acpAgent.createSession(wish);
  const { text } = await api.acpAgent.chat(key, command);
  await api.acpAgent.closeSession(key);
  return text;
}

/** The output in a terminal of the owner's. */
async function runAsPerson(command: string): Promise<string> {
  const words = [
    testedProgram,
    "exec",
    "--home",
    host.home,
    "--cwd",
    host.project,
    "-T",
    "sh",
    "-c",
    command,
  ];
  return (await run(process.execPath, words)).stdout;
}

describe.skipIf(!isLinux)("[A626] the owner's token in the hands of an agent's process", () => {
  it("[A626] opens nothing, whatever the process does to its environment, and is audited", async () => {
    for (const command of [useToken(), `env -i ${useToken()}`, `setsid -w ${useToken()}`]) {
      const text = await runAsAgent(command);
      expect(text).toContain("status 403 CALLER_IS_AGENT");
      expect(text).toContain("socket refused");
    }
    const entries = await api.audit.list({ limit: 100 });
    const refusals = entries.filter(({ what }) => what === "refusal");
    expect(refusals.length).toBeGreaterThanOrEqual(6);
    expect(refusals[0]).toMatchObject({
      by: "agent shell",
      subject: expect.stringContaining("use-token.mjs"),
    });
  });

  it("[A626] makes `holdfast` fail there with a sentence that says why", async () => {
    const command = `${process.execPath} ${testedProgram} ls --home ${host.home} 2>&1; echo code $?`;
    const text = await runAsAgent(command);
    expect(text).toContain("may not act as the host's owner");
    expect(text).toContain("security.agentsMayUseApi");
    expect(text).toContain("code 5");
  });

  it("[A627] opens everything to a person's terminal, and to programs elsewhere", async () => {
    const text = await runAsPerson(useToken());
    expect(text).toContain("status 200");
    expect(text).toContain("socket open");
  });

  it("[A628] costs a connection little", async () => {
    const durations: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const startedAtMs = performance.now();
      const headers = { "x-api-key": host.token, connection: "close" };
      await (await fetch(`${host.url}/sdk/ping`, { headers })).arrayBuffer();
      durations.push(performance.now() - startedAtMs);
    }
    // Alone on the machine each takes about 5 ms; other tests run at the same time, so the fastest counts.
    expect(Math.min(...durations)).toBeLessThan(50);
  });
});

describe.skipIf(!isLinux || process.getuid?.() !== 0)(
  "[A625] app ids on a machine with several users",
  () => {
    it("[A625] are accepted from the host's user and refused to another", async (context) => {
      const hasUser = readFileSync("/etc/passwd", "utf8").includes("\nnobody:");
      context.skip(!hasUser, "there is no user nobody");
      await api.apps.grant("notes", ["acp.agent"]);
      const program = `const r = await fetch(${JSON.stringify(`${host.url}/sdk/acp/sessions`)}, { headers: { "x-app-id": "notes" } }); console.log(r.status, (await r.json()).code)`;
      const words = ["--input-type=module", "-e", program];
      expect((await run(process.execPath, words)).stdout.trim()).toBe("200 undefined");
      const other = await run(process.execPath, words, { uid: 65_534, gid: 65_534, cwd: "/", env: {} });
      expect(other.stdout.trim()).toBe("403 APP_ID_NOT_ALLOWED");
    });
  },
);
