// Lets bundled modules keep their addresses: what a module finds beside itself in the repository it finds in the package.
import path from "node:path";
import { root } from "../setup.mjs";

/** @import { Plugin } from "rolldown" */

const packagesFolder = path.join(root, "packages");

/** How a library asks that others may bundle as CommonJS; in our own bundle it comes down to the address. */
const commonJsFirst = /typeof __filename === "string" \? __filename : import\.meta\.url/g;

/** Stands for the way from a chunk up to the package's folder, which is known only when the chunk has its name. */
const wayUp = "HOLDFAST_PACKAGE_FOLDER";

/**
 * The path in the package of what a file of the repository is compiled to; undefined for files of other people.
 * The package's folder corresponds to the repository's `packages/`.
 * @param {string} file absolute path
 */
export function placeInPackage(file) {
  const [name, folder, ...rest] = path.relative(packagesFolder, file).split(path.sep);
  if (name === undefined || name === ".." || folder !== "src") return undefined;
  return [name, "dist", ...rest].join("/").replace(/\.ts$/, ".js");
}

/**
 * A plugin that gives each module the address in `import.meta.url` which it would have as a separate file of the
 * package. Modules that ask for it are added to `askers`, by the path below `packages/`; a module that asks in a way
 * that a bundle cannot serve ends the build.
 * @param {Set<string>} askers
 * @returns {Plugin}
 */
export function ownAddress(askers) {
  return {
    name: "own-address",
    transform: {
      filter: { code: /import\.meta|\b__(?:dirname|filename)\b/ },
      handler(code, file) {
        // Rolldown's own runtime asks for the place of its chunk, and means it.
        if (!path.isAbsolute(file)) return null;
        const text = withoutComments(code).replaceAll(commonJsFirst, "import.meta.url");
        if (!/import\.meta|\b__(?:dirname|filename)\b/.test(text)) return null;
        const place = placeInPackage(file);
        if (place === undefined) this.error(`${file} looks for files beside itself; it must stay external.`);
        if (/import\.meta(?!\.(?:url|resolve)\b)|\b__(?:dirname|filename)\b/.test(text)) {
          this.error(
            `${file} must ask for its address by import.meta.url, which is all that a bundle can give.`,
          );
        }
        // To resolve a name is no question for a file beside oneself.
        if (!text.includes("import.meta.url")) return null;
        askers.add(path.relative(packagesFolder, file).split(path.sep).join("/"));
        const address = `new URL(${wayUp} + ${JSON.stringify(place)}, import.meta.url).href`;
        return code.replaceAll(/\bimport\.meta\.url\b/g, address);
      },
    },
    renderChunk(code, { fileName }) {
      const depth = fileName.split("/").length - 1;
      return code.replaceAll(wayUp, JSON.stringify("../".repeat(depth) || "./"));
    },
  };
}

/** Good enough to look for words: an address in a string may lose its end, which hides none of them. */
function withoutComments(/** @type {string} */ code) {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}
