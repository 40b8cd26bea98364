// `npm run check`: types, lint, format, unused code and the rules of the repository, side by side.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { isProgram, root, setup } from "./setup.mjs";

/**
 * @typedef {{ name: string, program: string, options: string[], advice: string }} Step
 * One tool: its program below `node_modules`, and what to do when it complains.
 */

/** @type {Step[]} */
const steps = [
  {
    name: "types",
    program: "typescript/bin/tsc",
    options: ["-b"],
    advice: "Repair what the compiler names.",
  },
  {
    name: "lint",
    program: "oxlint/bin/oxlint",
    options: ["."],
    advice: "Repair what oxlint names; the rules are in .oxlintrc.json.",
  },
  {
    name: "format",
    program: "oxfmt/bin/oxfmt",
    options: ["--check", "."],
    advice: "Run `npm run format`.",
  },
  {
    name: "unused",
    program: "knip/bin/knip.js",
    options: ["--no-progress", "--treat-config-hints-as-errors"],
    advice: "Remove what knip names, or add an entry that knip cannot see to knip.json.",
  },
];

/** The rules that are tests: package dependencies, lockfile, files, vocabulary. `npm test` runs them among all others. */
const repositoryTests = {
  name: "repository",
  program: "vitest/vitest.mjs",
  options: [
    "run",
    "tests/packages.test.ts",
    "tests/lockfile.test.ts",
    "tests/files.test.ts",
    "tests/vocabulary.test.ts",
  ],
  advice: "Fix what the failing tests report.",
};

/** Runs every step, whatever the others say, and prints a line for each; returns the names of those that failed. */
export async function check() {
  const failed = [];
  for (const outcome of await Promise.all(steps.map(run))) {
    if (!report(outcome)) failed.push(outcome.step.name);
  }
  return failed;
}

/**
 * @typedef {{ step: Step, exitCode: number, output: string, durationMs: number }} Outcome
 * @returns {Promise<Outcome>}
 */
async function run(/** @type {Step} */ step) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [path.join(root, "node_modules", step.program), ...step.options], {
    cwd: root,
    env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (output += text));
  }
  /** @type {number} */
  const exitCode = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
  return { step, exitCode, output, durationMs: performance.now() - startedMs };
}

function report(/** @type {Outcome} */ { step, exitCode, output, durationMs }) {
  const isFine = exitCode === 0;
  console.log(`${isFine ? "ok    " : "FAILED"} ${step.name.padEnd(10)} ${(durationMs / 1000).toFixed(1)} s`);
  if (!isFine) console.log(`\n${output.trim()}\n\n${step.name}: ${step.advice}\n`);
  return isFine;
}

if (isProgram(import.meta.url)) {
  setup();
  const failed = await check();
  // After the compiler: these tests build the packages, and two compilers would write the same files.
  if (!report(await run(repositoryTests))) failed.push(repositoryTests.name);
  if (failed.length > 0) console.error(`check failed: ${failed.join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
