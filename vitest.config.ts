// How tests run: from source, without a build of the packages under test; see ARCHITECTURE.md for the one exception.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["@holdfast/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/setup/build.ts"],
    pool: "forks",
    // On two cores vitest would use one, and half of the tests wait for processes most of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
