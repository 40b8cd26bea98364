// The notices of other people's packages that are part of the program or its page, as their licences ask.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../setup.mjs";
import { readManifest, readManifestIn } from "./manifest.mjs";

/** @typedef {{ name: string, version: string, license: string, text: string }} Notice */

const installed = path.join(root, "node_modules");
const licenseFile = /^(?:licen[cs]e|copying|notice)/i;

/**
 * The text of the file with all notices.
 * @param {readonly string[]} moduleFiles all files in the bundle
 */
export function thirdPartyNotices(moduleFiles) {
  const folders = new Set([...moduleFiles.flatMap(packageFolderOf), ...pageFolders()]);
  const notices = [...folders].map(noticeOf).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return [
    "Holdfast contains these packages, each under the licence that follows its name.\n",
    ...notices.map(
      ({ name, version, license, text }) => `${"-".repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`,
    ),
  ].join("\n");
}

/** @returns {string[]} the folder of the package that a file belongs to; none for one of our files */
function packageFolderOf(/** @type {string} */ file) {
  const [, name] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file) ?? [];
  return name === undefined ? [] : [name];
}

/** Folders of all packages that the page may contain: those its sources name, and what these depend on. */
function pageFolders() {
  const sources = sourcesBelow(path.join(root, "packages", "web", "src"));
  const named = Object.keys(readManifest("web").devDependencies ?? {}).filter((name) =>
    sources.some((text) => text.includes(`"${name}"`) || text.includes(`"${name}/`)),
  );
  /** @type {Set<string>} */
  const folders = new Set();
  const follow = (/** @type {string} */ name, /** @type {string} */ from) => {
    const folder = findPackage(name, from);
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = readManifestIn(folder);
    for (const dependency of Object.keys(dependencies)) follow(dependency, folder);
  };
  for (const name of named) follow(name, root);
  // Types are no code, so nothing of them is in the page.
  return [...folders].filter((folder) => !path.relative(installed, folder).startsWith("@types"));
}

/** The folder that Node would find a package in, from a folder that depends on it. */
function findPackage(/** @type {string} */ name, /** @type {string} */ from) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", name);
    if (existsSync(path.join(candidate, "package.json"))) return candidate;
    if (folder === root) throw new Error(`${name} is not installed, but ${from} depends on it`);
  }
}

/** @returns {Notice} */
function noticeOf(/** @type {string} */ folder) {
  const { name, version, license } = readManifestIn(folder);
  const file = readdirSync(folder).find((each) => licenseFile.test(each));
  // A few packages ship no text; then their manifest's word is all there is to pass on.
  const text =
    file === undefined
      ? "(The package comes without the text of its licence.)"
      : readFileSync(path.join(folder, file), "utf8").trim();
  // Old packages have a list of licences there, or nothing.
  if (typeof license !== "string") throw new Error(`${name} names no licence: look before shipping it`);
  return { name, version, license, text };
}

/** @returns {string[]} the text of every source file in `folder` and the folders in it */
function sourcesBelow(/** @type {string} */ folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
}
