// The order of the test files: the longest first, so that no worker is left with one when the others have nothing to do.
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, longest first. Vitest has no durations in a fresh clone and would take the largest first. */
export const longestFiles = [
  "packages/cli/src/serve/watchdog.test.ts",
  "tests/documents/blocks.test.ts",
  "packages/cli/src/program.test.ts",
  "tests/host/damaged-database.test.ts",
  "packages/terminal/src/process/tree/tree.test.ts",
  "tests/package/program.test.ts",
  "tests/scripts.test.ts",
  "tests/ahp/must-show/typing.test.ts",
  "packages/terminal/src/screen/costly-output.test.ts",
  "tests/page/screen.test.ts",
  "tests/page/session-start.test.ts",
  "tests/page/together.test.ts",
  "tests/cli/exec.test.ts",
  "tests/host/heap.test.ts",
  "tests/ahp/slow-reader.test.ts",
  "tests/documents/examples.test.ts",
  "tests/sdk/snippets.test.ts",
  "tests/ahp/must-show/chaos.test.ts",
  "tests/page/first-run.test.ts",
  "packages/terminal/src/view/tty-oracle.test.ts",
  "packages/cli/src/command/exec.test.ts",
  "tests/npm-start.test.ts",
  "packages/terminal/src/sandbox/sandbox.test.ts",
  "tests/host/full-disk.test.ts",
  "tests/package/consumption.test.ts",
  "tests/page/accessibility.test.ts",
  "tests/cli/attach.test.ts",
];

/** Vitest's own order, but for the longest files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = longestFiles.indexOf(path.relative(this.ctx.config.root, moduleId));
      return index === -1 ? longestFiles.length : index;
    };
    // Not an array's.
    // oxlint-disable-next-line no-array-sort
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}
