// VS Code's workbench and agent host, as the npm package `code-server` has them, in a separate folder, without install scripts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { npmEnvironment } from "../setup/certificates.ts";

/** The package, and the version of VS Code in it. */
export const codeServerVersion = "4.139.1";
export const vsCodeVersion = "1.139.1";
/** VS Code needs Node 24; the platform's package has the program itself. */
const nodeVersion = "24.12.0";
const platform = process.platform === "win32" ? "win" : process.platform;
const nodePackage = `node-${platform}-${process.arch}`;

/** Where it is kept between runs; `HOLDFAST_VSCODE_FOLDER` names another folder. */
const folder =
  process.env["HOLDFAST_VSCODE_FOLDER"] ??
  fileURLToPath(new URL("../../node_modules/.cache/holdfast-vscode", import.meta.url));
const stampFile = path.join(folder, "installed.json");
const wanted = JSON.stringify({ "code-server": codeServerVersion, [nodePackage]: nodeVersion });

/** The folder of VS Code's server: `out/server-main.js` and everything it needs. */
export const vsCodeFolder = path.join(folder, "code-server", "lib", "vscode");

/** Node 24. */
export const nodeProgram = path.join(
  folder,
  "node",
  "node_modules",
  nodePackage,
  ...(platform === "win" ? ["bin", "node.exe"] : ["bin", "node"]),
);

/** Why tests with VS Code are skipped; undefined when they can run. */
export function whyNoVsCode(): string | undefined {
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return undefined;
  return `VS Code is not in ${folder}, because npm could not install code-server@${codeServerVersion} there`;
}

/** Installs it unless this version is there; vitest calls it before the first test. Without it, tests are skipped. */
export default function installVsCode(): void {
  if (whyNoVsCode() === undefined) return;
  rmSync(folder, { recursive: true, force: true });
  const nodeFolder = path.join(folder, "node");
  mkdirSync(nodeFolder, { recursive: true });
  writeFileSync(
    path.join(nodeFolder, "package.json"),
    JSON.stringify({ private: true, dependencies: { [nodePackage]: nodeVersion } }),
  );
  const install = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  const archive = `code-server-${codeServerVersion}.tgz`;
  const isInstalled =
    run("npm", install, nodeFolder) &&
    run("npm", ["pack", `code-server@${codeServerVersion}`], folder) &&
    run("tar", ["-xzf", archive], folder) &&
    run("mv", ["package", "code-server"], folder) &&
    run("npm", install, vsCodeFolder);
  rmSync(path.join(folder, archive), { force: true });
  if (isInstalled) writeFileSync(stampFile, wanted);
}

/** Its output is shown only when it fails. */
function run(command: string, args: readonly string[], cwd: string): boolean {
  const outcome = spawnSync(command, args, {
    cwd,
    env: { ...npmEnvironment(), npm_config_cache: path.join(folder, "npm-cache") },
    encoding: "utf8",
  });
  if (outcome.status === 0) return true;
  process.stderr.write(`${command} ${args.join(" ")}: ${outcome.stderr}\n`);
  return false;
}
