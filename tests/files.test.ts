// Rules for every file and package: opening comment, names, doc comments, manifests, and SPEC.md against the tests.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  exportsWithoutComment,
  isForTests,
  packageNames,
  readSourceFiles,
  reexportsOf,
  root,
  type SourceFile,
} from "./repository/source-file.ts";
import { skippableChanges } from "./repository/optional-calls.ts";
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

/** Paths of the files that other packages import `name` by. */
function entryPaths(name: string, manifest: PackageManifest): Set<string> {
  return new Set(
    Object.values(manifest.exports ?? {}).map((conditions) =>
      path.posix.join("packages", name, conditions["@holdfast/source"] ?? ""),
    ),
  );
}

/** Paths of `index.ts` files that are not an entry of their package. */
function strayIndexFiles(name: string, manifest: PackageManifest, sources: readonly SourceFile[]): string[] {
  const entries = entryPaths(name, manifest);
  return sources
    .map((file) => file.path)
    .filter((filePath) => filePath.startsWith(`packages/${name}/src/`) && filePath.endsWith("/index.ts"))
    .filter((filePath) => !entries.has(filePath));
}

/** Exports of entry points, or of the files that those export from, that no doc comment stands before. */
function undocumentedExports(entries: ReadonlySet<string>, sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ path: filePath }) => entries.has(filePath))
    .flatMap((entry) => [
      ...exportsWithoutComment(entry).map((name) => `${name} in ${entry.path}`),
      ...reexportsOf(entry).flatMap(({ specifier, name }) => {
        const declaring = path.posix.join(path.posix.dirname(entry.path), specifier);
        const file = sources.find(({ path: filePath }) => filePath === declaring);
        return file && exportsWithoutComment(file).includes(name) ? [`${name} in ${declaring}`] : [];
      }),
    ]);
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

  it.each(packageNames())("[G7] each export of an entry point of %s has a doc comment", (name) => {
    expect(undocumentedExports(entryPaths(name, readManifest(name)), files)).toEqual([]);
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

  it("[G7] an export of an entry point without a doc comment is found, one inside a package is not", () => {
    const entry = { path: "packages/a/src/index.ts", text: `export { a, type B } from "./a.ts";` };
    const declared = { path: "packages/a/src/a.ts", text: "export const a = 1;\nexport type C = 1;" };
    const own = { path: "packages/a/src/b.ts", text: "export const b = 1;" };
    const entries = new Set([entry.path, own.path]);
    expect(undocumentedExports(entries, [entry, declared, own])).toEqual([
      "a in packages/a/src/a.ts",
      "b in packages/a/src/b.ts",
    ]);
  });
});

describe("[G200] optional calls", () => {
  it("[G200] no argument of a call that `?.` may skip changes anything", () => {
    expect(files.flatMap((file) => skippableChanges(file).map((line) => `${file.path}:${line}`))).toEqual([]);
  });

  it.each([
    "a?.(rows.shift()!);",
    "a?.b(count++);",
    "a?.b.c(b, (x = 1));",
    "a?.b()\n  .c([...d.splice(0)]);",
    "async () => a?.(await b.shift());",
    "a?.(c ? delete d.e : 1);",
  ])("[G200] %j is found", (text) => {
    expect(skippableChanges({ path: "a.ts", text })).toEqual([1]);
  });

  it.each([
    "a?.(rows[0]);",
    "async () => a?.(await b.list());",
    "a?.(() => rows.shift());",
    "b(rows.shift()); a?.b();",
    "a?.b[c](d.at(0));",
  ])("[G200] %j is not", (text) => {
    expect(skippableChanges({ path: "a.ts", text })).toEqual([]);
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

  it("[G9] defines every rule that a test or a comment names, once, and every rule has a test", (context) => {
    context.skip(!existsSync(specPath), "there is no SPEC.md");
    // Contract suites name rules too, in files that tests call.
    const tests = files.filter((file) => isForTests(file.path));
    const casesFolder = "packages/ahp/src/model/cases";
    const cases = readdirSync(path.join(root, casesFolder)).map((name) => ({
      path: `${casesFolder}/${name}`,
      text: readFileSync(path.join(root, casesFolder, name), "utf8"),
    }));
    expect(specFaults(readFileSync(specPath, "utf8"), tests, cases, files)).toEqual({
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

  it("[G9] a comment that cites a rule that does not exist is found", () => {
    const text =
      "// Twice (A1, A7); not the control characters C0.\n/** As A8 says, in UTF-8 and U+A9. */\nf('A6');";
    expect(specFaults("**A1** One.\n", [], [], [{ path: "a.ts", text }]).unknown).toEqual([
      "A7 in a.ts",
      "A8 in a.ts",
    ]);
  });
});
