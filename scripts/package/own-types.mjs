// The types of other packages that a library's declarations name, written out, so that it needs none of them installed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fail, root } from "../setup.mjs";

/** A statement that takes types from one of our packages. */
const statement = /(?:import|export) type \{([^}]+)\} from "(@holdfast\/[^"]+)"/g;

/** The one type that refers to itself, and so cannot be written out. */
const jsonValue =
  "type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };";

/**
 * Rewrites the declarations of a laid-out package: what they take from our other packages comes from one file of their
 * own. The compiler writes each type out in full; generic ones are copied as they stand in the sources.
 * @param {string} packageFolder
 */
export function writeOwnTypes(packageFolder) {
  const dist = path.join(packageFolder, "dist");
  const files = /** @type {string[]} */ (readdirSync(dist, { recursive: true }))
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => path.join(dist, file));
  /** @type {Map<string, string>} */
  const sources = new Map();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    for (const [, names = "", from = ""] of text.matchAll(statement)) {
      for (const name of names.split(",")) {
        const [imported = ""] = name.trim().split(" as ");
        if (imported !== "") sources.set(imported, from);
      }
    }
    let toTypes = path.relative(path.dirname(file), path.join(dist, "own-types.js"));
    if (!toTypes.startsWith(".")) toTypes = `./${toTypes}`;
    writeFileSync(file, text.replaceAll(/from "@holdfast\/[^"]+"/g, `from "${toTypes}"`));
  }
  writeFileSync(path.join(dist, "own-types.d.ts"), describe(sources));
  writeFileSync(path.join(dist, "own-types.js"), "export {};\n");
}

/** @param {ReadonlyMap<string, string>} sources the package of each name */
function describe(sources) {
  const generic = new Map([...sources].flatMap(([name, from]) => findGeneric(name, from)));
  // The copied declarations need their own imports as well.
  for (const text of generic.values()) {
    for (const [name = ""] of text.matchAll(/\b[A-Z]\w+/g)) {
      const from = [...sources.values()].find((each) => isExported(name, each));
      if (from !== undefined && !generic.has(name)) sources = new Map([...sources, [name, from]]);
    }
  }
  const plain = [...sources].filter(([name]) => !generic.has(name));
  const header = "// Types of Holdfast's contracts, written out by the compiler.";
  return [header, jsonValue, ...expand(plain), ...generic.values(), ""].join("\n");
}

/**
 * @param {string} name
 * @param {string} from
 * @returns {[string, string][]}
 */
function findGeneric(name, from) {
  const pattern = new RegExp(`^export type ${name}<[^;]+;`, "m");
  for (const text of sourceTexts(from)) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return [[name, found]];
  }
  return [];
}

function isExported(/** @type {string} */ name, /** @type {string} */ from) {
  return sourceTexts(from).some((text) =>
    new RegExp(`^export (?:type|interface) ${name}\\b`, "m").test(text),
  );
}

/** @returns {string[]} */
function sourceTexts(/** @type {string} */ from) {
  const folder = path.join(root, "packages", from.replace("@holdfast/", ""), "src");
  return /** @type {string[]} */ (readdirSync(folder, { recursive: true }))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(path.join(folder, file), "utf8"));
}

/**
 * Lets the compiler infer the type of a constant for each name: what it then declares is written out in full.
 * @param {[string, string][]} names
 * @returns {string[]}
 */
function expand(names) {
  const folder = mkdtempSync(path.join(root, "node_modules", ".own-types-"));
  try {
    const lines = ["declare function expand<T>(): { [K in keyof T]: T[K] };"];
    for (const [name, from] of names) {
      lines.push(`export const ${name} = expand<import("${from}").${name}>();`);
    }
    const input = path.join(folder, "types.ts");
    writeFileSync(input, lines.join("\n"));
    const options =
      "--ignoreConfig --declaration --emitDeclarationOnly --noErrorTruncation --skipLibCheck --strict";
    const format = "--module nodenext --target es2023 --types node --outDir";
    const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
    const words = [compiler, ...options.split(" "), ...format.split(" "), folder, input];
    const { status, stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
    if (status !== 0) fail(`the types of the library could not be written out:\n${stdout}`);
    const declared = readFileSync(path.join(folder, "types.d.ts"), "utf8");
    const types = declared
      .replaceAll(/^export declare const (\w+): /gm, "export type $1 = ")
      .replaceAll('import("zod").JSONType', "JsonValue");
    if (types.includes("import(")) fail(`a type of the library names another package:\n${types}`);
    return [types.replace(/^export \{\};\n/m, "").trim()];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
