// Builds the program, its helper and the page before the first test: they run as they do for users.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "../../scripts/build.mjs";
import { findEnterProgram } from "../../packages/terminal/src/sandbox/enter-program.ts";
import { bundleProgram } from "../../scripts/package/bundle.mjs";
import { stageProgram } from "../../scripts/package/staging.mjs";
import { testedPackage, testPrograms } from "./tested-program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Programs around the product's own code, which tests start often, by their packages. */
const testProgramSources = [
  "cli/src/testing/find-host-program.ts",
  "cli/src/testing/lock-program.ts",
  "cli/src/testing/serve-program.ts",
  "jsonrpc/src/testing/noisy-peer.ts",
  "storage-sqlite/src/testing/crash-writer.ts",
];

/** Brings what is compiled up to date; a no-op takes part of a second. Type errors are for `npm run check`. */
export default async function setup(): Promise<void> {
  spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/cli"], {
    cwd: root,
    stdio: "ignore",
  });
  buildPage();
  const helper = path.join(root, "packages/terminal/dist/process/helper/main.js");
  if (!existsSync(helper)) throw new Error(`${helper} was not built; run npm run build to see why`);
  await stageTestedProgram();
  await compileEnterProgram();
}

/** Else every host of a new home would compile it, which takes as long as the rest of its start. */
async function compileEnterProgram(): Promise<void> {
  for (const folder of [path.join(root, "packages/terminal"), path.join(testedPackage, "terminal")]) {
    await findEnterProgram(path.join(folder, "dist/sandbox"));
  }
}

/** Lays the program out as it is published: the bundle starts in half the CPU time, and tests start it often. */
async function stageTestedProgram(): Promise<void> {
  const notices = path.join(testedPackage, "THIRD-PARTY");
  const sources = [
    "packages",
    ...testProgramSources.map((file) => path.dirname(path.join("packages", file))),
    "tests/setup/build.ts",
    "scripts/package",
    "package-lock.json",
    "README.md",
    "CHANGELOG.md",
  ];
  const changedMs = Math.max(...sources.map((name) => lastChangeMs(path.join(root, name))));
  // Written last of all.
  if (existsSync(testPrograms) && existsSync(notices) && statSync(notices).mtimeMs > changedMs) return;
  const staged = `${testedPackage}-${process.pid}`;
  await stageProgram(staged);
  await bundleTestPrograms();
  rmSync(testedPackage, { recursive: true, force: true });
  renameSync(staged, testedPackage);
}

async function bundleTestPrograms(): Promise<void> {
  await bundleProgram(testPrograms, [...testProgramSources, "cli/src/serve/watchdog-thread.ts"]);
}

/** When a file, or anything in a folder that goes into the program, was changed last. */
function lastChangeMs(file: string): number {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = readdirSync(file).filter((name) => !["dist", "node_modules"].includes(name));
  const within = names.filter((name) => !/\.test\.tsx?$/.test(name) && name !== "testing");
  return Math.max(0, ...within.map((name) => lastChangeMs(path.join(file, name))));
}
