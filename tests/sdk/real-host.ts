// A real host for tests: the program itself, in a home of its own, with agents that are real processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A host that listens. */
export interface RealHost {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  /** A folder for agents to work in. */
  readonly project: string;
  /** Ends it and removes what it left. */
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const agentFile = fileURLToPath(new URL("fixtures/chatty-agent.mjs", import.meta.url));

/** Starts the program from source. Under the names of agents that the host knows, its PATH has one of the tests' own. */
export async function startRealHost(): Promise<RealHost> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-sdk-"));
  const [home = "", project = "", user = ""] = ["home", "project", "user"].map((name) =>
    path.join(folder, name),
  );
  for (const each of [project, path.join(user, "bin")]) mkdirSync(each, { recursive: true });
  for (const name of ["claude-agent-acp", "qwen"]) writeAgent(path.join(user, "bin", name));
  // The host takes its PATH from the user's login shell.
  writeFileSync(path.join(user, ".profile"), `PATH="${user}/bin:$PATH"\nexport PATH\n`);
  const child = spawn(
    process.execPath,
    [
      "--import",
      "tsx",
      "--conditions=@holdfast/source",
      "packages/cli/src/main.ts",
      "--port",
      "0",
      "--home",
      home,
      "--json",
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        ...process.env,
        HOME: user,
        SHELL: "/bin/sh",
        REALTIMEX_AI_API_KEY: "forwarded-key",
        REALTIMEX_AI_BASE_PATH: "http://127.0.0.1:9/v1",
      },
    },
  );
  const exited = once(child, "exit");
  const ready = once(createInterface(child.stdout), "line");
  const [line] = await Promise.race([ready, exited.then(() => ["{}"])]);
  const { url, token } = JSON.parse(String(line)) as Partial<RealHost>;
  if (url === undefined || token === undefined) throw new Error("The host ended before it was ready");
  return {
    url,
    token,
    home,
    project,
    async close() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeAgent(file: string): void {
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${agentFile}" "$@"\n`);
  chmodSync(file, 0o755);
}
