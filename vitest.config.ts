// How tests run: from source, without a build of the packages under test; see ARCHITECTURE.md for the one exception.
import { defineConfig } from "vitest/config";

const conditions = ["@holdfast/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/setup/build.ts"],
    pool: "forks",
    // A busy machine makes a test fail that passes a moment later; what fails twice is broken. Each one is named at the end.
    retry: 1,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
