// The real agents of these tests, installed from the npm registry into a separate folder, without install scripts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { npmEnvironment } from "../setup/certificates.ts";

/** The packages, and the versions that the pages in docs/agents name. */
export const agentPackages = {
  "@zed-industries/claude-code-acp": "0.16.2",
  "opencode-ai": "1.18.33",
} as const;

/** Where they are kept between runs; `HOLDFAST_AGENTS_FOLDER` names another folder. */
const folder =
  process.env["HOLDFAST_AGENTS_FOLDER"] ??
  fileURLToPath(new URL("../../node_modules/.cache/holdfast-agents", import.meta.url));
const modules = path.join(folder, "node_modules");
const stampFile = path.join(folder, "installed.json");
const wanted = JSON.stringify(agentPackages);

/** Installs the agents unless these versions are there; vitest calls it before the first test. */
export default function install(): void {
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: agentPackages }),
  );
  const outcome = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    env: { ...npmEnvironment(), HOME: home },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (outcome.status !== 0) {
    throw new Error(
      `npm could not install ${wanted} into ${folder}. Check the connection to the npm registry.`,
    );
  }
  writeFileSync(stampFile, wanted);
}

/** The adapter's program. */
export function claudeProgram(): string {
  return path.join(modules, "@zed-industries/claude-code-acp/dist/index.js");
}

/**
 * OpenCode's binary. An install script would link it to the package that fits this machine; without the script, it is
 * the first of the platform packages that runs here.
 */
export function openCodeProgram(): string {
  const names = readdirSync(modules)
    .filter((name) => name.startsWith("opencode-") && name !== "opencode-ai")
    .toSorted();
  const programs = names.map((name) => path.join(modules, name, "bin", "opencode"));
  const env = { ...process.env, HOME: path.join(folder, "home"), OPENCODE_DISABLE_AUTOUPDATE: "1" };
  const program = programs.find((each) => spawnSync(each, ["--version"], { env }).status === 0);
  if (program === undefined) throw new Error(`None of OpenCode's binaries runs here: ${names.join(", ")}`);
  return program;
}
