// Installs the dependencies when they are missing or the lockfile changed; the other scripts call it first.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const oldestNode = [20, 19];
const stampPath = path.join(root, "node_modules", ".holdfast-installed");

/** Makes `node_modules` match the lockfile; costs a millisecond when it already does. */
export function setup() {
  requireNode(process.versions.node);
  const wanted = fingerprintOfInstall();
  if (readIfPresent(stampPath) === wanted) return;
  console.error("holdfast: installing dependencies (npm ci)…");
  install();
  writeFileSync(stampPath, wanted);
}

/** Ends the program with one line on stderr: `message` says what to do. */
export function fail(/** @type {string} */ message) {
  console.error(`holdfast: ${message}`);
  process.exit(1);
}

/** The text of a file, or undefined when there is none. */
export function readIfPresent(/** @type {string} */ filePath) {
  try {
    return readFileSync(filePath, "utf8");
  } catch {
    // Absent or unreadable means the same to every caller: do the work again.
    return undefined;
  }
}

/** Whether the module at `moduleUrl` was started by `node`, not imported. */
export function isProgram(/** @type {string} */ moduleUrl) {
  const started = process.argv[1];
  // Node resolves symbolic links in a module's address but not in its arguments.
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}

function requireNode(/** @type {string} */ version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  fail(
    `Node ${oldestNode.join(".")} or newer is needed, this is ${version}. ` +
      "Install a current version from https://nodejs.org and run the command again.",
  );
}

/** Native packages differ by platform and Node version, so these count like the lockfile does. */
function fingerprintOfInstall() {
  const lockfile = readFileSync(path.join(root, "package-lock.json"));
  const [major] = process.versions.node.split(".");
  return createHash("sha256")
    .update(lockfile)
    .update(`node ${major} ${process.platform} ${process.arch}`)
    .digest("hex");
}

function install() {
  // An outer `npm --silent`, `--omit=dev` or NODE_ENV=production reaches us through the environment; these options
  // outrank it. Nothing we depend on needs its install script, so none gets to run.
  const options = ["--loglevel=error", "--include=dev", "--include=optional", "--ignore-scripts"];
  const npmArguments = ["ci", "--no-audit", "--no-fund", "--no-progress", "--no-update-notifier", ...options];
  const outcome = runNpm(npmArguments);
  if (outcome.status === 0) return;
  const cause = outcome.error?.message ?? `it ended with ${outcome.signal ?? `code ${outcome.status}`}`;
  fail(`\`npm ci\` failed: ${cause}. Its own message is above; solve that and run the command again.`);
}

/**
 * Runs npm to its end. Under `npm start` and `npm test` npm names its own program, which also serves where `npm` is
 * not in PATH.
 * @param {string[]} npmArguments
 * @param {import("node:child_process").SpawnSyncOptions} [options] in place of the repository's folder and its stderr
 */
export function runNpm(npmArguments, options) {
  const npmProgram = process.env["npm_execpath"];
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const all = { cwd: root, stdio: ["ignore", process.stderr.fd, process.stderr.fd], ...options };
  if (npmProgram !== undefined && path.basename(npmProgram) === "npm-cli.js") {
    return spawnSync(process.execPath, [npmProgram, ...npmArguments], all);
  }
  // On Windows npm is a batch file, which only a shell can run; the arguments are constants.
  return spawnSync("npm", npmArguments, { ...all, shell: process.platform === "win32" });
}
