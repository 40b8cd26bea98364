// Lays out what is published, in folders that `npm pack` and `npm publish` take as they are.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fail, root } from "../setup.mjs";
import { bundleProgram } from "./bundle.mjs";
import { embedHelper } from "./helper-text.mjs";
import { libraryManifest, programManifest, readManifest } from "./manifest.mjs";
import { writeOwnTypes } from "./own-types.mjs";
import { copyResources, resourceFaults } from "./resources.mjs";
import { thirdPartyNotices } from "./third-party.mjs";

/** Lays out the program in `folder`: bundle, page, scripts, manifest, notices. The page must have been built. */
export async function stageProgram(/** @type {string} */ folder) {
  rmSync(folder, { recursive: true, force: true });
  const { askers, moduleFiles } = await bundleProgram(folder);
  writeManifest(folder, programManifest());
  copyResources(folder);
  const faults = resourceFaults(folder, askers);
  if (faults.length > 0) fail(`the package would not work:\n  ${faults.join("\n  ")}`);
  for (const file of ["LICENSE", "README.md", "CHANGELOG.md"]) {
    copyFileSync(path.join(root, file), path.join(folder, file));
  }
  writeFileSync(path.join(folder, "THIRD-PARTY"), thirdPartyNotices(moduleFiles));
}

/**
 * Lays out every library, compiled, with its sources for those who follow a stack trace. They must have been compiled.
 * @param {string} parentFolder
 * @returns {Promise<string[]>} a folder for each
 */
export async function stageLibraries(parentFolder) {
  rmSync(parentFolder, { recursive: true, force: true });
  const folders = libraryNames().map((name) => {
    const folder = path.join(parentFolder, name);
    const manifest = readManifest(name);
    const source = path.join(root, "packages", name);
    writeManifest(folder, { ...libraryManifest(manifest), files: ["dist", "src", ...extraFiles(source)] });
    cpSync(path.join(source, "src"), path.join(folder, "src"), {
      recursive: true,
      filter: isPublishedSource,
    });
    cpSync(path.join(source, "dist"), path.join(folder, "dist"), {
      recursive: true,
      filter: (file) => hasSource(source, file),
    });
    for (const file of extraFiles(source)) copyFileSync(path.join(source, file), path.join(folder, file));
    copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
    copyFileSync(path.join(source, "README.md"), path.join(folder, "README.md"));
    return folder;
  });
  await embedHelper(path.join(parentFolder, "terminal"));
  writeOwnTypes(path.join(parentFolder, "sdk"));
  return folders;
}

/** Folders in `packages/` of what is published for programs; the program itself is published as a bundle. */
function libraryNames() {
  return readdirSync(path.join(root, "packages")).filter(
    (name) => name !== "cli" && readManifest(name).private !== true,
  );
}

/** Files beside the sources that an entry of the manifest names. */
function extraFiles(/** @type {string} */ source) {
  return ["config.schema.json", "policy.schema.json"].filter((file) => existsSync(path.join(source, file)));
}

function isPublishedSource(/** @type {string} */ file) {
  return !/\.test\.tsx?$|[\\/]src[\\/](?:.*[\\/])?(?:testing|fixtures)$/.test(file);
}

/** The compiler leaves output of deleted sources, and its own build info. */
function hasSource(/** @type {string} */ packageFolder, /** @type {string} */ file) {
  const relative = path.relative(path.join(packageFolder, "dist"), file);
  const source = path.join(packageFolder, "src", relative);
  if (existsSync(source)) return true;
  return (
    existsSync(source.replace(/(?:\.d\.ts|\.js|\.js\.map)$/, ".ts")) && !relative.endsWith(".tsbuildinfo")
  );
}

function writeManifest(/** @type {string} */ folder, /** @type {object} */ manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
