// The manifests that are published: those of the workspace, less what only serves in the repository.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../setup.mjs";

/**
 * @typedef {{
 *   name: string, version: string, description: string, private?: boolean, bin?: Record<string, string>,
 *   dependencies?: Record<string, string>, devDependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>, exports?: Conditions, imports?: Conditions,
 *   license: string, engines: Record<string, string>,
 * }} Manifest
 * @typedef {{ [key: string]: string | Conditions }} Conditions
 */

const keywords = [
  "agent",
  "acp",
  "ahp",
  "agent-client-protocol",
  "coding-agent",
  "terminal",
  "pty",
  "daemon",
];

/** The manifest in a folder. */
export function readManifestIn(/** @type {string} */ folder) {
  return /** @type {Manifest} */ (JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")));
}

/** The manifest of a package of the workspace, by the name of its folder. */
export function readManifest(/** @type {string} */ name) {
  return readManifestIn(path.join(root, "packages", name));
}

/** The manifest of the program: everything but the native packages is in the bundle. */
export function programManifest() {
  const { name, version, description, license, engines } = readManifest("cli");
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: "module",
    bin: { holdfast: "cli/dist/main.js", "holdfast-ahp-check": "cli/dist/ahp-check/main.js" },
    exports: { "./package.json": "./package.json" },
    dependencies: { "@lydell/node-pty": versionIn("terminal", "dependencies", "@lydell/node-pty") },
    optionalDependencies: { libsql: versionIn("storage-sqlite", "optionalDependencies", "libsql") },
    engines,
  };
}

/** The manifest of a library: without the conditions and tools that only the repository has. */
export function libraryManifest(/** @type {Manifest} */ manifest) {
  const { devDependencies: _tools, exports, imports, ...rest } = manifest;
  return {
    ...rest,
    keywords,
    ...(exports !== undefined && { exports: withoutSource(exports) }),
    ...(imports !== undefined && { imports: withoutSource(imports) }),
  };
}

/**
 * Conditions less those that lead to sources; what leads nowhere else is left out.
 * @param {Conditions} conditions
 * @returns {Conditions}
 */
function withoutSource(conditions) {
  return Object.fromEntries(
    Object.entries(conditions).flatMap(([key, value]) => {
      if (key === "@holdfast/source") return [];
      const kept = typeof value === "string" ? value : withoutSource(value);
      return typeof kept === "string" || Object.keys(kept).length > 0 ? [[key, kept]] : [];
    }),
  );
}

/**
 * The version of a dependency, from the package that uses it.
 * @param {string} name
 * @param {"dependencies" | "optionalDependencies"} kind
 * @param {string} dependency
 */
function versionIn(name, kind, dependency) {
  const version = readManifest(name)[kind]?.[dependency];
  if (version === undefined) throw new Error(`packages/${name} does not depend on ${dependency}`);
  return version;
}
