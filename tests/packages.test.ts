// Package dependencies and import borders inside packages, checked against the sources.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  crossings,
  packageRules,
  type Manifest,
  type PackageSources,
  type PackageRules,
} from "./repository/package-rules.ts";
import { packageNames, readSourceFiles, root } from "./repository/source-file.ts";

function readPackage(name: string): PackageSources {
  const manifest = JSON.parse(
    readFileSync(path.join(root, "packages", name, "package.json"), "utf8"),
  ) as Manifest;
  return { name, manifest, files: readSourceFiles([`packages/${name}/src`]) };
}

/** A package of one file, or of several, with the dependencies its manifest declares. */
function madeUp(name: string, files: Record<string, string>, dependencies: string[] = []): PackageSources {
  return {
    name,
    manifest: { dependencies: Object.fromEntries(dependencies.map((each) => [each, "*"])) },
    files: Object.entries(files).map(([file, text]) => ({ path: `packages/${name}/src/${file}`, text })),
  };
}

describe("[G4] packages", () => {
  it.each(packageNames())("[G4] %s uses only what the table allows", (name) => {
    expect(crossings(readPackage(name))).toEqual([]);
  });

  it("[G4] the table itself has no cycle", () => {
    const reaches = (from: string, seen: Set<string>): Set<string> => {
      const rules: PackageRules | undefined = packageRules[from];
      for (const use of [...(rules?.uses ?? []), ...(rules?.usesTypesOf ?? [])]) {
        const [next = ""] = use.split("/", 1);
        if (!seen.has(next)) reaches(next, seen.add(next));
      }
      return seen;
    };
    for (const name of Object.keys(packageRules)) expect([...reaches(name, new Set())]).not.toContain(name);
  });

  it("[G4] a package missing in the table is found", () => {
    expect(crossings(madeUp("extras", {}))).toEqual(["packages/extras is missing in packageRules"]);
  });

  it.each([
    ["an import that is not allowed", madeUp("jsonrpc", { "a.ts": `import "@holdfast/core";` })],
    ["an import in a type", madeUp("core", { "a.ts": `type A = import("@holdfast/server").A;` })],
    ["a require", madeUp("jsonrpc", { "a.ts": `const core = require("@holdfast/core");` })],
    ["a re-export", madeUp("web", { "a.ts": `export * from "@holdfast/terminal/view";` })],
    [
      "the whole package where one entry is allowed",
      madeUp("web", { "a.ts": `import {} from "@holdfast/terminal";` }),
    ],
    [
      "a value where types are allowed",
      madeUp("sdk", { "a.ts": `import { a } from "@holdfast/protocol";` }, ["@holdfast/protocol"]),
    ],
    ["a use that the manifest does not declare", madeUp("ahp", { "a.ts": `import "@holdfast/jsonrpc";` })],
    ["a dependency that is not allowed", madeUp("ahp", {}, ["@holdfast/core"])],
    ["a path into another package", madeUp("core", { "a.ts": `import "../../server/src/http.ts";` })],
    ["a test that crosses", madeUp("ahp", { "a.test.ts": `import "@holdfast/core";` })],
    ["Node in a browser package", madeUp("protocol", { "a.ts": `import "node:fs";` })],
    ["a foreign package", madeUp("jsonrpc", { "a.ts": `import { z } from "zod";` })],
    ["view using process", madeUp("terminal", { "view/a.ts": `import type { A } from "../process/b.ts";` })],
    ["view using Node", madeUp("terminal", { "view/a.ts": `import { readFileSync } from "node:fs";` })],
    ["process using acp", madeUp("terminal", { "process/a.ts": `export { a } from "../acp/b.ts";` })],
    [
      "view reaching process through a file between them",
      madeUp("terminal", {
        "view/a.ts": `import "../between.ts";`,
        "between.ts": `import "./process/b.ts";`,
      }),
    ],
  ])("[G4] %s is found", (_what, source) => {
    expect(crossings(source)).toHaveLength(1);
  });

  it.each([
    [
      "a dependency in the table",
      madeUp("web", { "a.ts": `import "@holdfast/terminal/emulator";` }, ["@holdfast/terminal"]),
    ],
    [
      "types where types are allowed",
      madeUp("sdk", { "a.ts": `import type { A } from "@holdfast/protocol";` }, ["@holdfast/protocol"]),
    ],
    ["Buffer in view", madeUp("terminal", { "view/a.ts": `import { Buffer } from "node:buffer";` })],
    ["a test of view with fixtures", madeUp("terminal", { "view/a.test.ts": `import "node:fs";` })],
    ["words in a comment", madeUp("jsonrpc", { "a.ts": `// import "@holdfast/core";` })],
  ])("[G4] %s is allowed", (_what, source) => {
    expect(crossings(source)).toEqual([]);
  });
});
