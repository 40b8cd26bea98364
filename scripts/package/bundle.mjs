// Bundles the program: its entries with what they share in chunks, so that each loads only what it needs.
import path from "node:path";
import { root } from "../setup.mjs";
import { ownAddress, placeInPackage } from "./own-address.mjs";

/** The programs in the package, below `packages/`: what people start, and what it starts itself. */
const packageEntries = [
  "cli/src/main.ts",
  "cli/src/ahp-check/main.ts",
  "cli/src/serve/watchdog-thread.ts",
  "agent-shell/src/main.ts",
  "storage-sqlite/src/repair/main.ts",
  "terminal/src/process/helper/main.ts",
  "terminal/src/keeper/main.ts",
];

/** Packages that are not bundled, because they are binaries for each platform. */
const nativePackages = [/^libsql$/, /^@lydell\/node-pty/];

/** Packages that `ws` would use if somebody had installed them; nobody does. */
const neverThere = ["bufferutil", "utf-8-validate"];

/**
 * Writes the bundle.
 * @param {string} folder the package's
 * @param {readonly string[]} [entries] other programs than those of the package
 * @returns {Promise<{ askers: Set<string>, moduleFiles: string[] }>} who asked for their own address; all files that
 *   are in the bundle
 */
export async function bundleProgram(folder, entries = packageEntries) {
  /** @type {Set<string>} */
  const askers = new Set();
  // Only now: on a fresh clone it is installed when the script has begun.
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => inputOf(entry))),
    platform: "node",
    external: [...nativePackages, ...neverThere],
    resolve: {
      conditionNames: ["@holdfast/source", "node", "import", "default"],
      // Of packages without exports: their ES modules, since what they give to `require` may load its parts by name.
      mainFields: ["module", "main"],
    },
    plugins: [ownAddress(askers)],
    treeshake: {
      // Our modules only declare things, so one of which nothing is used is left out, with all that it would load.
      moduleSideEffects: [{ test: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/, sideEffects: false }],
    },
    onLog(level, log) {
      // A warning is code that would fail, or be missing, at a user's; but a slow machine is no fault.
      if (level === "warn" && log.code !== "PLUGIN_TIMINGS") throw new Error(`rolldown: ${log.message}`);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    comments: { legal: false, annotation: false, jsdoc: false },
    // Less text starts faster. Names stay, so that a stack trace in an issue can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  refuseImportedEntries(output);
  const moduleFiles = output.flatMap((part) => (part.type === "chunk" ? Object.keys(part.modules) : []));
  return { askers, moduleFiles: moduleFiles.filter((file) => path.isAbsolute(file)) };
}

/**
 * A program runs when it is loaded, so none may be where the others find code that they share with it.
 * @param {readonly (import("rolldown").OutputChunk | import("rolldown").OutputAsset)[]} output
 */
function refuseImportedEntries(output) {
  const chunks = output.filter((part) => part.type === "chunk");
  const entries = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const { fileName, imports, dynamicImports } of chunks) {
    const entry = [...imports, ...dynamicImports].find((each) => entries.has(each));
    if (entry !== undefined) throw new Error(`${fileName} imports ${entry}, which is a program`);
  }
}

/** @returns {[string, string]} the name that puts an entry where the others look for it, and its file */
function inputOf(/** @type {string} */ entry) {
  const file = path.join(root, "packages", entry);
  const place = placeInPackage(file);
  if (place === undefined) throw new Error(`${file} is no source of a package`);
  return [place.replace(/\.js$/, ""), file];
}
