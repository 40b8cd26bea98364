// `npm test`: installs what is missing, runs the checks and all tests; arguments go to vitest.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { check } from "./check.mjs";
import { root, setup } from "./setup.mjs";

/** @import { RunOutcome } from "./test-reporter.mjs" */

const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
const reporter = path.join(root, "scripts", "test-reporter.mjs");

setup();
const failedChecks = await check();
const vitestArguments = process.argv.slice(2);
let { outcome, isFine } = await runTests(vitestArguments);
// Vitest repeats a test, but not a file whose set-up or clean-up fails: such files run again in a separate process.
const failedFiles = Object.keys(outcome).filter((file) => outcome[file]?.failed.length !== 0);
if (!isFine && vitestArguments.includes("--retry=1") && failedFiles.length > 0 && !failedFiles.includes("")) {
  const again = await runTests(failedFiles);
  for (const file of failedFiles) again.outcome[file]?.repeated.push(...namesOf(file));
  outcome = { ...outcome, ...again.outcome };
  isFine = again.isFine;
}
report();

/** @param {string} file */
function namesOf(file) {
  return outcome[file]?.failed.map(({ name, message }) => `${name} (${firstLine(message)})`) ?? [];
}

function report() {
  const files = Object.entries(outcome);
  const lines = (/** @type {"skipped" | "repeated"} */ kind) =>
    files.flatMap(([file, each]) => each[kind].map((line) => `${file} > ${line}`));
  const skipped = lines("skipped");
  for (const line of skipped) console.log(`skipped: ${line}`);
  for (const line of lines("repeated")) console.log(`passed only when repeated: ${line}`);
  const failed = files.flatMap(([file, each]) => each.failed.map((failure) => ({ file, ...failure })));
  for (const { file, name, message } of failed) {
    console.log(`failed: ${file === "" ? "" : `${file} > `}${name}: ${firstLine(message)}`);
  }
  if (failedChecks.length > 0) console.log(`failed checks: ${failedChecks.join(", ")}`);
  const passed = files.reduce((sum, [, each]) => sum + each.passed, 0);
  // A crash or an empty run has no failing test to count, but must not read like success.
  const failedTests = isFine && passed > 0 ? failed.length : Math.max(failed.length, 1);
  const failures = failedTests + failedChecks.length;
  console.log(`${passed} passed, ${failures} failed, ${skipped.length} skipped`);
  process.exitCode = failures === 0 ? 0 : 1;
}

/** @param {string} message */
function firstLine(message) {
  return message.split("\n", 1)[0]?.slice(0, 300) ?? "";
}

/**
 * Runs vitest on this terminal; the reporter answers over the child's message channel.
 * @param {string[]} runArguments
 * @returns {Promise<{ outcome: RunOutcome, isFine: boolean }>}
 */
async function runTests(runArguments) {
  const reporters = ["--reporter=default", `--reporter=${reporter}`];
  const child = spawn(process.execPath, [vitest, "run", ...reporters, ...runArguments], {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // The terminal sends Ctrl-C to both; vitest ends its workers first, and the last line is still ours.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));

  /** @type {RunOutcome} */
  let reported = {};
  child.on("message", (message) => {
    reported = /** @type {RunOutcome} */ (message);
  });
  /** @type {number | null} */
  const exitCode = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  return { outcome: reported, isFine: exitCode === 0 };
}
