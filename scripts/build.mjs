// Compiles the packages when a source changed since the last time; as a program it installs first.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fail, isProgram, readIfPresent, root, setup } from "./setup.mjs";

const stampPath = path.join(root, "node_modules", ".cache", "holdfast-built");
const pagePackage = path.join(root, "packages", "web");
const pageStampPath = path.join(root, "node_modules", ".cache", "holdfast-page-built");
const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");

/** Brings the page up to date: a second when something that it is made of changed, else a few milliseconds. */
export function buildPage() {
  if (!existsSync(path.join(pagePackage, "vite.config.ts"))) return;
  const sources = ["web", "ahp", "jsonrpc"].map((name) => path.join(root, "packages", name));
  const wanted = fingerprintOfSources(
    sources,
    ["index.html", "vite.config.ts"].map((name) => path.join(pagePackage, name)),
  );
  const isBuilt = existsSync(path.join(pagePackage, "dist", "page", "index.html"));
  if (isBuilt && readIfPresent(pageStampPath) === wanted) return;
  const outcome = spawnSync(
    process.execPath,
    [path.join(root, "node_modules", "vite", "bin", "vite.js"), "build", "--logLevel", "warn"],
    {
      cwd: pagePackage,
      // A test runner says that this is a test, and the page would be built for that.
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", process.stderr.fd, process.stderr.fd],
    },
  );
  if (outcome.status !== 0) fail("the page could not be built; the messages are above.");
  mkdirSync(path.dirname(pageStampPath), { recursive: true });
  writeFileSync(pageStampPath, wanted);
}

/** Brings every package's `dist` and the page up to date; a few milliseconds when they already are. */
export function build() {
  const packages = packagesWithCode();
  const wanted = fingerprintOfSources(packages);
  const isBuilt = packages.every((folder) => existsSync(path.join(folder, "dist", ".tsbuildinfo")));
  buildPage();
  if (isBuilt && readIfPresent(stampPath) === wanted) return;

  console.error("holdfast: building…");
  const outcome = spawnSync(process.execPath, [compiler, "-b", ...packages], {
    cwd: root,
    stdio: ["ignore", process.stderr.fd, process.stderr.fd],
  });
  if (outcome.status !== 0) fail("the build failed; the compiler's messages are above.");
  buildEnterProgram();
  mkdirSync(path.dirname(stampPath), { recursive: true });
  writeFileSync(stampPath, wanted);
}

/** Compiles the program by which commands enter sandboxes, where there is a compiler; else it is done without. */
function buildEnterProgram() {
  const folder = path.join(root, "packages", "terminal", "dist", "sandbox");
  const module = path.join(folder, "enter-program.js");
  const script = `const { findEnterProgram } = await import(${JSON.stringify(module)});
    await findEnterProgram(${JSON.stringify(folder)});`;
  spawnSync(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
}

function packagesWithCode() {
  const folder = path.join(root, "packages");
  return readdirSync(folder)
    .map((name) => path.join(folder, name))
    .filter((packageFolder) => existsSync(path.join(packageFolder, "tsconfig.json")));
}

/** Path, size and time of each file the compiler reads; a deleted or renamed one changes it as well. */
function fingerprintOfSources(/** @type {string[]} */ packages, /** @type {string[]} */ others = []) {
  const files = [path.join(root, "tsconfig.base.json"), path.join(root, "package-lock.json"), ...others];
  for (const folder of packages) {
    files.push(path.join(folder, "package.json"), path.join(folder, "tsconfig.json"));
    files.push(...filesBelow(path.join(folder, "src")));
  }
  const hash = createHash("sha256");
  for (const file of files.filter(isCompiled).toSorted()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function isCompiled(/** @type {string} */ file) {
  return !file.endsWith(".test.ts");
}

/** @returns {string[]} every file in `folder` and the folders in it */
function filesBelow(/** @type {string} */ folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const entryPath = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(entryPath) : [entryPath];
  });
}

if (isProgram(import.meta.url)) {
  setup();
  build();
}
