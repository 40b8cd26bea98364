// Vitest reporter that sends what became of each test file to test.mjs, which prints it last.
import path from "node:path";
import process from "node:process";

/** @import { TestCase, TestModule, Vitest } from "vitest/node" */
/** @import { Reporter } from "vitest/reporters" */
/** @typedef {{ name: string, message: string }} Failure */
/** @typedef {{ passed: number, failed: Failure[], skipped: string[], repeated: string[] }} FileOutcome */
/** @typedef {Record<string, FileOutcome>} RunOutcome outcomes by file; errors outside any file are those of "" */

/** @implements {Reporter} */
export default class TestReporter {
  /** With a name filter most tests are skipped on purpose; only those that say why are worth a line. */
  #isFiltered = false;
  #root = process.cwd();

  onInit(/** @type {Vitest} */ vitest) {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
    this.#root = vitest.config.root;
  }

  /**
   * @param {ReadonlyArray<TestModule>} modules
   * @param {ReadonlyArray<{ message?: string, VITEST_TEST_PATH?: string }>} strayErrors errors thrown outside any test
   */
  onTestRunEnd(modules, strayErrors) {
    /** @type {RunOutcome} */
    const outcome = {};
    for (const module of modules) {
      outcome[module.relativeModuleId] = this.#outcomeOf(module);
    }
    for (const { message = "unknown error", VITEST_TEST_PATH: place } of strayErrors) {
      const file = place === undefined ? "" : path.relative(this.#root, place);
      outcome[file] ??= emptyOutcome();
      outcome[file].failed.push({ name: "an error outside any test", message });
    }
    process.send?.(outcome);
  }

  #outcomeOf(/** @type {TestModule} */ module) {
    const outcome = emptyOutcome();
    // A file that cannot be loaded and a group whose set-up fails have no failing test.
    for (const group of [module, ...module.children.allSuites()]) {
      const [error] = group.errors();
      const name = group.type === "suite" ? group.fullName : "set-up or clean-up";
      if (error !== undefined) outcome.failed.push({ name, message: error.message });
    }
    for (const test of module.children.allTests()) this.#count(outcome, test);
    return outcome;
  }

  /**
   * @param {FileOutcome} outcome
   * @param {TestCase} test
   */
  #count(outcome, test) {
    const result = test.result();
    switch (result.state) {
      case "passed":
        outcome.passed += 1;
        if (test.diagnostic()?.flaky === true) outcome.repeated.push(test.fullName);
        break;
      case "skipped":
        if (this.#isFiltered && result.note === undefined) break;
        outcome.skipped.push(`${test.fullName}${result.note === undefined ? "" : `: ${result.note}`}`);
        break;
      case "failed":
      case "pending": // The run ended before the test did.
        outcome.failed.push({
          name: test.fullName,
          message: result.errors?.[0]?.message ?? "it did not end",
        });
        break;
    }
  }
}

/** @returns {FileOutcome} */
function emptyOutcome() {
  return { passed: 0, failed: [], skipped: [], repeated: [] };
}
