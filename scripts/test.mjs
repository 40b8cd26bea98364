// `npm test`: installs what is missing, runs the checks and all tests; arguments go to vitest.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { check } from "./check.mjs";
import { root, setup } from "./setup.mjs";

/** @import { TestCounts } from "./test-reporter.mjs" */

const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
const reporter = path.join(root, "scripts", "test-reporter.mjs");

setup();
const failedChecks = await check();
const { counts, isFine } = await runTests(process.argv.slice(2));

for (const line of counts.skipped) console.log(`skipped: ${line}`);
for (const line of counts.repeated) console.log(`passed only when repeated: ${line}`);
if (failedChecks.length > 0) console.log(`failed checks: ${failedChecks.join(", ")}`);
// A crash or an empty run has no failing test to count, but must not read like success.
const failedTests = isFine ? counts.failed : Math.max(counts.failed, 1);
const failed = failedTests + failedChecks.length;
console.log(`${counts.passed} passed, ${failed} failed, ${counts.skipped.length} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * Runs vitest on this terminal; the reporter answers over the child's message channel.
 * @param {string[]} vitestArguments
 * @returns {Promise<{ counts: TestCounts, isFine: boolean }>}
 */
async function runTests(vitestArguments) {
  const reporters = ["--reporter=default", `--reporter=${reporter}`];
  const child = spawn(process.execPath, [vitest, "run", ...reporters, ...vitestArguments], {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  // The terminal sends Ctrl-C to both; vitest ends its workers first, and the last line is still ours.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));

  /** @type {TestCounts} */
  let reported = { passed: 0, failed: 0, skipped: [], repeated: [] };
  child.on("message", (message) => {
    reported = /** @type {TestCounts} */ (message);
  });
  /** @type {number | null} */
  const exitCode = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  return { counts: reported, isFine: exitCode === 0 && reported.passed > 0 };
}
