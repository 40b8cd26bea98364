// The order of the test files: the longest first, so that no worker is left with one when the others have nothing to do.
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, longest first. Vitest has no durations in a fresh clone and would take the largest first.
 * Every third is one of the page, so that one worker at a time has a busy browser.
 */
export const longestFiles = [
  "tests/documents/blocks.test.ts",
  "packages/cli/src/serve/watchdog.test.ts",
  "tests/page/together.test.ts",
  "tests/host/damaged-database.test.ts",
  "tests/keeper/kills.test.ts",
  "tests/page/screen.test.ts",
  "packages/cli/src/command/run-terminal.test.ts",
  "tests/host/full-disk.test.ts",
  "tests/page/accessibility.test.ts",
  "tests/package/program.test.ts",
  "tests/scripts.test.ts",
  "tests/page/session-start.test.ts",
  "tests/ahp/slow-reader.test.ts",
  "tests/host/heap.test.ts",
  "tests/page/conversation.test.ts",
  "tests/cli/attach.test.ts",
  "packages/core/src/session/kills.test.ts",
  "tests/page/kept-draft.test.ts",
  "packages/cli/src/command/run.test.ts",
  "packages/terminal/src/process/tree/tree.test.ts",
  "tests/page/take-over.test.ts",
  "packages/cli/src/program.test.ts",
  "packages/terminal/src/sandbox/holder.test.ts",
  "tests/page/first-run.test.ts",
  "tests/attack/hostile-trees.test.ts",
  "packages/terminal/src/acp/acp-terminals.test.ts",
  "tests/page/answers.test.ts",
  "tests/cli/exec.test.ts",
  "tests/npm-start.test.ts",
  "tests/page/sessions.test.ts",
  "tests/package/consumption.test.ts",
  "packages/terminal/src/keeper/held-runs.test.ts",
  "tests/page/focus.test.ts",
  "packages/cli/src/doctor/agent-trial.test.ts",
  "tests/page/flood.test.ts",
  "tests/page/costly-output.test.ts",
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
