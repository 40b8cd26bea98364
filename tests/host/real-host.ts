// A real host for tests: the program itself, in a separate home, with agents that are real processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { testedProgram } from "../setup/tested-program.ts";

/** A host that listens, in whichever process. */
export interface TestedHost {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  /** A folder for agents to work in. */
  readonly project: string;
  /** Ends it and removes what it left. */
  close(): Promise<void>;
}

/** A host in a separate process. */
export interface RealHost extends TestedHost {
  readonly pid: number;
  /** From the start of the process until it listens. */
  readonly startMs: number;
  /** Kills it, or ends it by another signal, and starts the next one in the same home. */
  restart(signal?: NodeJS.Signals): Promise<RealHost>;
  /** Kills it without a word. */
  kill(): Promise<void>;
}

/** How a host is started. */
export interface RealHostOptions {
  /** What stands in its configuration. */
  readonly config?: object;
  /** Where it listens, also after a restart; absent: on any port that is free, a new one each time. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables with paths in the folder of `home`, `project` and `user`. */
  readonly environmentIn?: (folder: string) => Readonly<Record<string, string>>;
  /** An ordinary user that it runs as, by number, when the tests run as root. */
  readonly uid?: number | undefined;
  /** The folder for its files; absent: the temporary one. */
  readonly parent?: string;
  /** Whether what it runs outlives it; `close` then ends that, too. */
  readonly keeper?: boolean;
  /** Adds files to the folder of `home`, `project` and `user` before the start. */
  readonly prepare?: (folder: string) => void;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const agentFile = fileURLToPath(new URL("../fixtures/chatty-agent.mjs", import.meta.url));

/** Variables of a host, beside the home of its user. */
export const hostVariables = {
  SHELL: "/bin/sh",
  REALTIMEX_AI_API_KEY: "forwarded-key",
  REALTIMEX_AI_BASE_PATH: "http://127.0.0.1:9/v1",
};

/** Starts the program from source. Under the names of agents that the host knows, its PATH has one of the tests' own. */
export function startRealHost(options: RealHostOptions = {}): Promise<RealHost> {
  const folder = mkdtempSync(path.join(options.parent ?? tmpdir(), "holdfast-real-"));
  const [home = "", project = "", user = ""] = foldersIn(folder);
  for (const each of [home, project, user]) mkdirSync(each, { mode: 0o700 });
  fillUserFolder(user);
  if (options.config !== undefined) writeConfig(home, options.config);
  options.prepare?.(folder);
  if (options.uid !== undefined) giveTo(folder, options.uid);
  return startIn(folder, options);
}

async function startIn(folder: string, options: RealHostOptions): Promise<RealHost> {
  const [home = "", project = "", user = ""] = foldersIn(folder);
  const startedAtMs = performance.now();
  const child = spawn(
    process.execPath,
    [testedProgram, "--port", String(options.port ?? 0), "--home", home, "--json"],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
      env: {
        ...process.env,
        HOME: user,
        ...hostVariables,
        ...(options.keeper === true && { HOLDFAST_NO_KEEPER: "" }),
        ...options.environment,
        ...options.environmentIn?.(folder),
      },
    },
  );
  const exited = once(child, "exit");
  const ready = once(createInterface(child.stdout), "line");
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said = (said + text.toString()).slice(-2000)));
  // Its last words may come after its end.
  const ended = exited.then(() => sleep(200)).then(() => ["{}"]);
  const [line] = await Promise.race([ready, ended]);
  const { url, tokenFile } = JSON.parse(String(line)) as { url?: string; tokenFile?: string };
  if (url === undefined || tokenFile === undefined) {
    throw new Error(`The host ended before it was ready: ${child.exitCode ?? child.signalCode} ${said}`);
  }
  const token = readFileSync(tokenFile, "utf8").trim();
  const end = async (signal?: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return {
    url,
    token,
    home,
    project,
    pid: child.pid ?? 0,
    startMs: performance.now() - startedAtMs,
    kill: () => end("SIGKILL"),
    async restart(signal = "SIGKILL") {
      await end(signal);
      return startIn(folder, options);
    },
    async close() {
      if (options.keeper === true) await stopAll(home);
      else await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the host of a home, if one runs, and everything that its keeper holds. */
async function stopAll(home: string): Promise<void> {
  const words = [testedProgram, "stop", "--all", "--home", home];
  await once(spawn(process.execPath, words, { stdio: "ignore" }), "exit");
}

/** A port that nothing listens on, below those that systems give to connections: it is still free after a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    server.close();
    if (isFree) return port;
  }
}

/** Makes a user the owner of a folder and everything in it. */
export function giveTo(folder: string, uid: number): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    lchownSync(path.join(folder, name), uid, uid);
  }
  chownSync(folder, uid, uid);
}

function foldersIn(folder: string): string[] {
  return ["home", "project", "user"].map((name) => path.join(folder, name));
}

/** Writes a host's configuration. */
export function writeConfig(home: string, config: object): void {
  writeFileSync(path.join(home, "config.jsonc"), JSON.stringify(config), { mode: 0o600 });
}

/** Puts the tests' agents into the PATH of a user, which the host takes from the login shell. */
export function fillUserFolder(user: string): void {
  mkdirSync(path.join(user, "bin"), { mode: 0o700 });
  for (const name of ["claude-agent-acp", "qwen"]) writeAgent(path.join(user, "bin", name));
  writeFileSync(path.join(user, ".profile"), `PATH="${user}/bin:$PATH"\nexport PATH\n`);
}

/** Without Node where only its version is asked for, as every host does. */
function writeAgent(file: string): void {
  const lines = [
    "#!/bin/sh",
    'if [ "$1" = --version ]; then echo "chatty-agent 1.2.3"; exit; fi',
    `exec "${process.execPath}" "${agentFile}" "$@"`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  chmodSync(file, 0o755);
}
