// How `npm run test:agents` runs: one file after another, because each agent needs a core.
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root: new URL("../..", import.meta.url).pathname,
    include: ["tests/agents/scenarios/*.test.ts"],
    exclude: [],
    globalSetup: ["tests/setup/build.ts", "tests/agents/installation.ts"],
    reporters: ["verbose"],
    fileParallelism: false,
    // OpenCode needs up to 40 s to open a session on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
