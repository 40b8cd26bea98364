// Vitest reporter that sends the counts, the skipped and the repeated tests to test.mjs, which prints them last.
import process from "node:process";

/** @import { TestCase, TestModule, Vitest } from "vitest/node" */
/** @import { Reporter } from "vitest/reporters" */
/** @typedef {{ passed: number, failed: number, skipped: string[], repeated: string[] }} TestCounts */

/** @implements {Reporter} */
export default class TestReporter {
  /** With a name filter most tests are skipped on purpose; only those that say why are worth a line. */
  #isFiltered = false;

  onInit(/** @type {Vitest} */ vitest) {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  /**
   * @param {ReadonlyArray<TestModule>} modules
   * @param {ReadonlyArray<unknown>} strayErrors errors thrown outside any test
   */
  onTestRunEnd(modules, strayErrors) {
    /** @type {TestCounts} */
    const counts = { passed: 0, failed: strayErrors.length, skipped: [], repeated: [] };
    for (const module of modules) {
      // A file that cannot be loaded and a group whose set-up fails have no failing test.
      for (const group of [module, ...module.children.allSuites()]) {
        if (group.errors().length > 0) counts.failed += 1;
      }
      for (const test of module.children.allTests()) this.#count(counts, test);
    }
    process.send?.(counts);
  }

  /**
   * @param {TestCounts} counts
   * @param {TestCase} test
   */
  #count(counts, test) {
    const result = test.result();
    switch (result.state) {
      case "passed":
        counts.passed += 1;
        if (test.diagnostic()?.flaky === true) {
          counts.repeated.push(`${test.module.relativeModuleId} > ${test.fullName}`);
        }
        break;
      case "skipped":
        if (this.#isFiltered && result.note === undefined) break;
        counts.skipped.push(`${test.module.relativeModuleId} > ${test.fullName}${reason(result.note)}`);
        break;
      case "failed":
      case "pending": // The run ended before the test did.
        counts.failed += 1;
        break;
    }
  }
}

function reason(/** @type {string | undefined} */ note) {
  return note === undefined ? "" : `: ${note}`;
}
