// Files that a bundled module looks for beside itself are in the package, or the package is not built.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { rolldown, type RolldownPluginOption } from "rolldown";
import { describe, expect, it, onTestFinished } from "vitest";
import { ownAddress, placeInPackage } from "../../scripts/package/own-address.mjs";
import { copyResources, resourceFaults } from "../../scripts/package/resources.mjs";
import { root } from "../repository/source-file.ts";

/** Modules below `packages/` that exist only here, by their paths. */
function madeUp(files: Readonly<Record<string, string>>): RolldownPluginOption {
  const paths = new Map(
    Object.entries(files).map(([file, text]) => [path.join(root, "packages", file), text]),
  );
  return {
    name: "made-up",
    resolveId: (name, importer) => {
      const file = importer === undefined ? name : path.resolve(path.dirname(importer), name);
      return paths.has(file) ? file : null;
    },
    load: (file) => paths.get(file) ?? null,
  };
}

async function bundle(files: Readonly<Record<string, string>>): Promise<{ code: string; askers: string[] }> {
  const askers = new Set<string>();
  const built = await rolldown({
    input: { "cli/dist/main": path.join(root, "packages/cli/src/main.ts") },
    platform: "node",
    plugins: [madeUp(files), ownAddress(askers)],
  });
  const { output } = await built.generate({
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
  });
  return {
    code: output.map((part) => (part.type === "chunk" ? part.code : "")).join("\n"),
    askers: [...askers],
  };
}

describe("resources", () => {
  it("[Y3] a module keeps the address that it has in the repository, in whichever chunk it ends", async () => {
    expect(placeInPackage(path.join(root, "packages/cli/src/serve/a.ts"))).toBe("cli/dist/serve/a.js");
    expect(placeInPackage(path.join(root, "node_modules/ws/index.js"))).toBeUndefined();
    const { code, askers } = await bundle({
      "cli/src/main.ts": `import "./deep/b.ts"; console.log(import.meta.url); await import("./late.ts");`,
      "cli/src/deep/b.ts": `console.log("b", import.meta.url);`,
      "cli/src/late.ts": `console.log("late", import.meta.url);`,
    });
    expect(askers.toSorted()).toEqual(["cli/src/deep/b.ts", "cli/src/late.ts", "cli/src/main.ts"]);
    // From cli/dist/main.js two folders up, from a chunk one.
    expect(code).toContain(`"../../cli/dist/main.js"`);
    expect(code).toContain(`"../../cli/dist/deep/b.js"`);
    expect(code).toContain(`"../cli/dist/late.js"`);
    expect(code).not.toContain("HOLDFAST_PACKAGE_FOLDER");
  });

  it.each([
    ["a folder's name", { "cli/src/main.ts": `console.log(import.meta.dirname);` }],
    ["the names of CommonJS", { "cli/src/main.ts": `console.log(__dirname);` }],
    [
      "a package of others that looks beside itself",
      {
        "cli/src/main.ts": `import "../../../node_modules/x/a.js";`,
        "../node_modules/x/a.js": `console.log(import.meta.url);`,
      },
    ],
  ])("[Y3] %s ends the build", async (_what, files) => {
    await expect(bundle(files)).rejects.toThrow(/own-address|beside itself|import\.meta\.url/);
  });

  it("[Y3] what is not known, not asked for any more, or not there is named", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-resources-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const faults = resourceFaults(folder, new Set(["cli/src/new.ts", "cli/src/main.ts"]));
    expect(faults).toContainEqual(
      expect.stringMatching(/^packages\/cli\/src\/new\.ts looks for files beside itself/),
    );
    expect(faults).toContainEqual(
      expect.stringMatching(/names packages\/cli\/src\/serve\/compose\.ts, which looks for nothing/),
    );
    expect(faults).toContainEqual(expect.stringMatching(/would not find core\/dist\/agent\/catalogue\.json/));
    copyResources(folder);
    mkdirSync(path.join(folder, "cli", "dist", "serve"), { recursive: true });
    for (const file of ["main.js", "serve/watchdog-thread.js"]) {
      writeFileSync(path.join(folder, "cli", "dist", file), "");
    }
    const left = resourceFaults(folder, new Set()).filter((fault) => fault.includes("would not find"));
    expect(left.filter((fault) => /catalogue|page|zshenv|cli\/dist/.test(fault))).toEqual([]);
  });
});
