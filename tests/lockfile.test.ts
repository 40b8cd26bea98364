// The lockfile serves every platform, and nothing that users install runs a script at install.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  installScripts,
  missingOptionalPackages,
  runtimeTree,
  type Lockfile,
} from "./repository/lockfile.ts";
import { root } from "./repository/source-file.ts";

const lockfile = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as Lockfile;

describe("[G5] package-lock.json", () => {
  it("[G5] holds every platform's package of each native dependency", () => {
    expect(missingOptionalPackages(lockfile)).toEqual([]);
  });

  it("[G5] misses a platform package that was left out, or came without a checksum", () => {
    const madeUp: Lockfile = {
      packages: {
        "node_modules/native": {
          optionalDependencies: { "native-linux": "1", "native-mac": "1", "native-win": "1" },
        },
        "node_modules/native-linux": { version: "1", integrity: "sha512-x" },
        "node_modules/native-win": { version: "1" },
      },
    };
    expect(missingOptionalPackages(madeUp)).toEqual([
      "node_modules/native wants native-mac",
      "node_modules/native wants native-win",
    ]);
  });

  it("[G6] holds no install script in what users install", () => {
    expect(runtimeTree(lockfile)).toContain("node_modules/@lydell/node-pty");
    expect(installScripts(lockfile)).toEqual([]);
  });

  it("[G6] an install script deep in the tree is found, one in a development tool is not", () => {
    const madeUp: Lockfile = {
      packages: {
        "": { dependencies: {} },
        "packages/host": { dependencies: { direct: "1", "@holdfast/part": "1" } },
        "packages/part": { dependencies: { inner: "1" } },
        "node_modules/@holdfast/part": { link: true, resolved: "packages/part" },
        "node_modules/direct": { dependencies: { deep: "1" } },
        "node_modules/direct/node_modules/deep": { hasInstallScript: true },
        "node_modules/deep": {},
        "node_modules/inner": { hasInstallScript: true },
        "node_modules/tool": { hasInstallScript: true },
      },
    };
    expect(installScripts(madeUp).toSorted()).toEqual([
      "node_modules/direct/node_modules/deep",
      "node_modules/inner",
    ]);
  });
});
