// How `npm run test:vscode` runs: with VS Code from the npm registry, which the set-up downloads.
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root: new URL("../..", import.meta.url).pathname,
    include: ["tests/vscode/*.test.ts"],
    exclude: [],
    globalSetup: ["tests/setup/build.ts", "tests/vscode/installation.ts"],
    reporters: ["verbose"],
    fileParallelism: false,
    // A step is many clicks in a workbench of 19 MB of script.
    testTimeout: 300_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 250 } },
  },
});
