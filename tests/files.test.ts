// Rules for every file and package: opening comment, names, doc comments, manifests, and SPEC.md against the tests.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  exportsWithoutComment,
  isForTests,
  packageNames,
  readSourceFiles,
  root,
  type SourceFile,
} from "./repository/source-file.ts";
import { specFaults } from "./repository/spec.ts";

interface PackageManifest {
  readonly license?: string;
  readonly type?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const codeFolders = ["packages", "scripts", "tests", "bench", "examples"].filter((folder) =>
  existsSync(path.join(root, folder)),
);
const files = readSourceFiles(codeFolders);
const vagueNames = new Set(["utils", "util", "helpers", "manager", "managers", "common", "misc"]);

function opensWithComment({ text }: SourceFile): boolean {
  const [first = "", second = ""] = text.split("\n", 2);
  const opening = first.startsWith("#!") ? second : first;
  return /^\/[/*]+ *\S/.test(opening);
}

function hasVagueName({ path: filePath }: SourceFile): boolean {
  return filePath.split(/[/.-]/).some((word) => vagueNames.has(word));
}

function manifestFaults(manifest: PackageManifest): string[] {
  const entries = Object.entries(manifest.exports ?? {});
  return [
    ...(manifest.license === "MIT" ? [] : ["license is not MIT"]),
    ...(manifest.type === "module" ? [] : ["type is not module"]),
    ...(manifest.engines?.["node"] === ">=20.19" ? [] : ["engines.node is not >=20.19"]),
    ...entries
      .filter(([, conditions]) => Object.keys(conditions)[0] !== "@holdfast/source")
      .map(([entry]) => `exports["${entry}"] does not begin with @holdfast/source`),
  ];
}

/** Paths of `index.ts` files that are not an entry of their package. */
function strayIndexFiles(name: string, manifest: PackageManifest, sources: readonly SourceFile[]): string[] {
  const entries = new Set(
    Object.values(manifest.exports ?? {}).map((conditions) =>
      path.posix.join("packages", name, conditions["@holdfast/source"] ?? ""),
    ),
  );
  return sources
    .map((file) => file.path)
    .filter((filePath) => filePath.startsWith(`packages/${name}/src/`) && filePath.endsWith("/index.ts"))
    .filter((filePath) => !entries.has(filePath));
}

/** Packages that `tsc -b` would not compile, or whose tests it would check against nothing. */
function unreferencedPackages(names: readonly string[], tsconfig: string): string[] {
  const { references = [] } = JSON.parse(tsconfig) as { references?: { path: string }[] };
  const referenced = new Set(references.map((reference) => reference.path));
  return names.filter((name) => !referenced.has(`packages/${name}`));
}

function readManifest(name: string): PackageManifest {
  return JSON.parse(
    readFileSync(path.join(root, "packages", name, "package.json"), "utf8"),
  ) as PackageManifest;
}

function pathsOf(faulty: readonly SourceFile[]): string[] {
  return faulty.map((file) => file.path);
}

describe("[G7] source files", () => {
  it("[G7] each begins with a comment that says what it is for", () => {
    expect(files.length).toBeGreaterThan(0);
    expect(pathsOf(files.filter((file) => !opensWithComment(file)))).toEqual([]);
  });

  it("[G7] none has a name that says nothing", () => {
    expect(pathsOf(files.filter(hasVagueName))).toEqual([]);
  });

  it("[G7] each export has a doc comment", () => {
    const faults = files
      .filter((file) => file.path.startsWith("packages/") && !isForTests(file.path))
      .flatMap((file) => exportsWithoutComment(file).map((name) => `${name} in ${file.path}`));
    expect(faults).toEqual([]);
  });

  it("[G7] a file that breaks a rule is found", () => {
    const bare = { path: "packages/a/src/process-manager.ts", text: "export const a = 1;\n" };
    expect(opensWithComment(bare)).toBe(false);
    expect(opensWithComment({ path: "a.mjs", text: "#!/usr/bin/env node\nrun();\n" })).toBe(false);
    expect(opensWithComment({ path: "a.mjs", text: "#!/usr/bin/env node\n// Runs.\n" })).toBe(true);
    expect(hasVagueName(bare)).toBe(true);
    expect(hasVagueName({ path: "packages/a/src/utils/text.ts", text: "" })).toBe(true);
    expect(exportsWithoutComment(bare)).toEqual(["a"]);
    expect(
      exportsWithoutComment({
        path: "a.ts",
        text: "/** One. */\nexport const a = 1;\n// Two.\nexport function b() {}\n/** C */\nconst c = 1;\nexport type D = 1;",
      }),
    ).toEqual(["b", "D"]);
  });
});

describe("[G8] packages", () => {
  it.each(packageNames())(
    "[G8] %s has licence, engines, source condition, and index.ts only as entry",
    (name) => {
      const manifest = readManifest(name);
      expect(manifestFaults(manifest)).toEqual([]);
      expect(strayIndexFiles(name, manifest, files)).toEqual([]);
    },
  );

  it.each(["tsconfig.json", "tsconfig.tests.json"])("[G8] %s refers to all of them", (file) => {
    expect(unreferencedPackages(packageNames(), readFileSync(path.join(root, file), "utf8"))).toEqual([]);
  });

  it("[G8] a manifest that breaks a rule is found", () => {
    const exports = { ".": { default: "./dist/index.js", "@holdfast/source": "./src/index.ts" } };
    expect(manifestFaults({ exports })).toHaveLength(4);
    expect(unreferencedPackages(["a", "b"], `{ "references": [{ "path": "packages/a" }] }`)).toEqual(["b"]);
    const stray = { path: "packages/a/src/view/index.ts", text: "" };
    const entry = { path: "packages/a/src/index.ts", text: "" };
    expect(strayIndexFiles("a", { exports }, [stray, entry])).toEqual([stray.path]);
  });
});

describe("[G9] SPEC.md", () => {
  const specPath = path.join(root, "SPEC.md");

  it("[G9] defines every rule that a test names, once, and every rule has a test", (context) => {
    context.skip(!existsSync(specPath), "there is no SPEC.md");
    // Contract suites name rules too, in files that tests call.
    const tests = files.filter((file) => isForTests(file.path));
    const casesFolder = "packages/ahp/src/model/cases";
    const cases = readdirSync(path.join(root, casesFolder)).map((name) => ({
      path: `${casesFolder}/${name}`,
      text: readFileSync(path.join(root, casesFolder, name), "utf8"),
    }));
    expect(specFaults(readFileSync(specPath, "utf8"), tests, cases)).toEqual({
      unproven: [],
      unknown: [],
      repeated: [],
    });
  });

  it("[G9] a rule without a test, a test without a rule and a rule given twice are found", () => {
    const spec =
      "# Rules\n**A1** Proven.\n**A2** Not proven.\n- **B1** Twice.\n**B1** Again.\nSee **A9** here.\n";
    const text =
      "it('[A1, B1] one', f);\nit(`[A1][A7] ${two}`, f);\n// it('[A2] three', f);\nconst list = 'x [A2]';";
    expect(specFaults(spec, [{ path: "a.test.ts", text }])).toEqual({
      unproven: ["A2"],
      unknown: ["A7 in a.test.ts"],
      repeated: ["B1"],
    });
  });
});
