// How tests run: from source, without a build of the packages under test; see ARCHITECTURE.md for the one exception.
import { availableParallelism } from "node:os";
import process from "node:process";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/setup/sequencer.ts";
import { waiting } from "./tests/setup/waiting.ts";

const conditions = ["@holdfast/source"];
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
// A run at an isolation level is started by a test: everything is built, and as another user it can write nothing here.
const isAtLevel = process.env["HOLDFAST_TEST_LEVEL"] !== undefined;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    // They download agents and an editor: `npm run test:agents`, `npm run test:vscode`.
    exclude: ["tests/agents/scenarios/**", "tests/vscode/**"],
    globalSetup: isAtLevel ? [] : ["tests/setup/build.ts"],
    cache: isAtLevel ? false : undefined,
    setupFiles: [
      "tests/setup/certificates.ts",
      "tests/setup/shared-process.ts",
      "tests/setup/wait-timeouts.ts",
    ],
    // Hosts of tests end with what they run, unless a test is about what outlives them. Each of them asks the login shell
    // for its environment, which costs bash 0.3 s of CPU time with the profiles of most machines.
    env: { HOLDFAST_NO_KEEPER: "1", SHELL: "/bin/sh" },
    pool: "forks",
    // A process and a module graph of its own for each of 370 files cost more CPU than most tests: what a test changes in
    // its process, it puts back; tests/setup/shared-process.ts fails a file that does not.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    // On two cores vitest would use one, but tests wait for their processes more than half of the time: five keep both
    // busy. Those of the long form measure times, too.
    maxWorkers: Math.max(isLong ? 3 : 5, availableParallelism() - 1),
    testTimeout: isLong ? 900_000 : 60_000,
    expect: { poll: waiting },
    hookTimeout: 60_000,
  },
});
