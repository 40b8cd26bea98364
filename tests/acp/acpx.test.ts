// acpx, a command-line client of ACP from npm, as a user of `holdfast acp`: a long test, because it downloads the package.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { testedProgram } from "../setup/tested-program.ts";
import { npmEnvironment } from "../setup/certificates.ts";

const version = "0.19.1";
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** Where it is kept between runs; `HOLDFAST_ACPX_FOLDER` names another folder. */
const folder =
  process.env["HOLDFAST_ACPX_FOLDER"] ??
  fileURLToPath(new URL("../../node_modules/.cache/holdfast-acpx", import.meta.url));
const program = path.join(folder, "node_modules/acpx/dist/cli.js");
let obstacle = "it downloads acpx; HOLDFAST_LONG=1 does";

/** Installs the package without scripts, in a separate home. */
function install(): string {
  if (existsSync(program)) return "";
  mkdirSync(path.join(folder, "home"), { recursive: true });
  writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: { acpx: version } }),
  );
  const { status } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    env: { ...npmEnvironment(), HOME: path.join(folder, "home") },
    stdio: "ignore",
  });
  return status === 0 ? "" : `npm cannot install acpx ${version} here`;
}

beforeAll(() => {
  if (isLong) obstacle = install();
}, 300_000);

interface Ran {
  readonly output: () => string;
  readonly exited: Promise<number>;
}

/** Starts acpx with the built-in agent behind `holdfast acp`. */
function acpx(host: RealHost, words: readonly string[]): Ran {
  const agent = `${process.execPath} ${testedProgram} acp --agent shell --home ${host.home}`;
  const child = spawn(process.execPath, [program, "--agent", agent, "--ttl", "3", ...words], {
    cwd: host.project,
    env: { ...process.env, HOME: path.dirname(host.home) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  onTestFinished(() => void child.kill());
  return { output: () => output, exited: once(child, "exit").then(([code]) => Number(code)) };
}

async function start(): Promise<{ host: RealHost }> {
  const started = { host: await startRealHost({ keeper: true }) };
  onTestFinished(() => started.host.close());
  return started;
}

function ask(host: RealHost, method: string, route: string, body?: object): Promise<Response> {
  return fetch(`${host.url}/sdk/acp${route}`, {
    method,
    headers: { "content-type": "application/json", "x-api-key": host.token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function runningTerminals(host: RealHost): Promise<number> {
  const { terminals } = (await (await ask(host, "GET", "/terminals")).json()) as {
    terminals: { lifecycle: { status: string } }[];
  };
  return terminals.filter(({ lifecycle }) => lifecycle.status === "running").length;
}

describe("acpx", () => {
  it("[C810] runs a turn with its command's output, a cancel, and the session again", async (context) => {
    context.skip(obstacle !== "", obstacle);
    const { host } = await start();
    const created = acpx(host, ["sessions", "new"]);
    expect(await created.exited).toBe(0);
    const turn = acpx(host, ["--approve-all", "prompt", "echo one; sleep 1; echo two"]);
    expect(await turn.exited).toBe(0);
    expect(turn.output()).toContain("one\n");
    expect(turn.output()).toContain("[done] end_turn");
    const long = acpx(host, ["--approve-all", "prompt", "sleep 60"]);
    await expect.poll(() => runningTerminals(host)).toBe(1);
    expect(await acpx(host, ["cancel"]).exited).toBe(0);
    await long.exited;
    expect(long.output()).toContain("cancelled");
    const again = acpx(host, ["--approve-all", "prompt", "echo three"]);
    expect(await again.exited).toBe(0);
    const { sessions } = (await (await ask(host, "GET", "/sessions")).json()) as { sessions: object[] };
    expect(sessions).toHaveLength(1);
  }, 180_000);

  it("[C810] continues when another client answers the question in its window", async (context) => {
    context.skip(obstacle !== "", obstacle);
    context.skip(spawnSync("script", ["--version"]).status !== 0, "this machine has no script(1)");
    const { host } = await start();
    const agent = `${process.execPath} ${testedProgram} acp --agent shell --home ${host.home}`;
    const line = `${process.execPath} ${program} --agent '${agent}' exec 'echo elsewhere'`;
    const env = { ...process.env, HOME: path.dirname(host.home) };
    const window = spawn("script", ["-qfc", line, "/dev/null"], { cwd: host.project, env, stdio: "pipe" });
    onTestFinished(() => void window.kill());
    let output = "";
    window.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain("Allow echo elsewhere");
    const { approvals } = (await (await ask(host, "GET", "/approvals")).json()) as {
      approvals: { requestId: string }[];
    };
    await ask(host, "POST", `/approvals/${approvals[0]?.requestId}`, { optionId: "allow_once" });
    await expect.poll(() => output).toContain("[done] end_turn");
    expect(output).toContain("$/cancel_request");
  }, 180_000);

  it("[C811] continues through a restart of the host", async (context) => {
    context.skip(obstacle !== "", obstacle);
    const started = await start();
    const line = "until test -e go; do sleep 0.1; done; echo went";
    const turn = acpx(started.host, ["--approve-all", "exec", line]);
    await expect.poll(() => runningTerminals(started.host)).toBe(1);
    started.host = await started.host.restart("SIGKILL");
    writeFileSync(path.join(started.host.project, "go"), "");
    expect(await turn.exited).toBe(0);
    expect(turn.output()).toContain("went");
    expect(turn.output()).toContain("[done] end_turn");
  }, 180_000);
});
