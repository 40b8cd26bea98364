// Makes a release: tests, versions, packs, tries the tarball. It is published by hand, or with `--publish`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { changelogWith, readChanges } from "./package/changelog.mjs";
import { readManifest } from "./package/manifest.mjs";
import { fail, root, runNpm, setup } from "./setup.mjs";

/** @import { Packed } from "./pack.mjs" */

/** Files that say the version as a constant, because a bundle has no manifest beside it. */
const versionFiles = ["packages/agent-shell/src/version.ts", "packages/cli/src/version.ts"];

const { values: options } = parseArgs({
  options: {
    /** Also gives the packages to the registry. */
    publish: { type: "boolean", default: false },
    /** Ends when everything has its new version. */
    "version-only": { type: "boolean", default: false },
  },
});

requireCleanTree();
setup();
step("the tests", () => runNpm(["test"]));
const version = makeVersion();
if (options["version-only"]) process.exit(0);

const { pack } = await import("./pack.mjs");
const [program, ...libraries] = await pack({ withLibraries: true });
if (program === undefined) throw new Error("Nothing was packed");
step("the packed program", () => tryProgram(program));
// Libraries first: the moment a package can be installed, what it depends on must be there.
const publishing = [...libraries, program].map(({ file }) => ["publish", "--access", "public", file]);
if (options.publish) {
  for (const npmArguments of publishing) step(npmArguments.join(" "), () => runNpm(npmArguments));
}
console.log(lastWords().join("\n"));

/** Whatever is not in a commit would be in the package and nowhere else. */
function requireCleanTree() {
  const { status, stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (status !== 0) fail("a release is made from a git repository, and this is none.");
  if (stdout !== "") fail(`a release is made from what is committed; this is not:\n${stdout}`);
}

/** Gives every package its next version, and takes the changesets into the changelog. */
function makeVersion() {
  const changes = readChanges(path.join(root, ".changeset"));
  if (changes.length === 0) fail("nothing to release; `npm run changeset` writes down what changed.");
  const before = readManifest("cli").version;
  const changesets = path.join(root, "node_modules", "@changesets", "cli", "bin.js");
  step("changeset version", () =>
    spawnSync(process.execPath, [changesets, "version"], { cwd: root, stdio: ["ignore", 2, 2] }),
  );
  const { version: next } = readManifest("cli");
  for (const file of versionFiles) {
    edit(file, (text) => text.replace(`VERSION = "${before}"`, `VERSION = "${next}"`), `VERSION = "${next}"`);
  }
  const date = new Date().toISOString().slice(0, 10);
  edit(
    "CHANGELOG.md",
    (text) => changelogWith(text, { version: next, date, changes }),
    `## ${next} – ${date}`,
  );
  step("the lockfile", () => runNpm(["install", "--package-lock-only", "--ignore-scripts", "--no-audit"]));
  console.log(`holdfast: version ${before} is now ${next}.`);
  return next;
}

/** The very tarball that will be published, installed and used as a newcomer would. */
function tryProgram(/** @type {Packed} */ packed) {
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  return spawnSync(process.execPath, [vitest, "run", "tests/package/program.test.ts"], {
    cwd: root,
    env: { ...process.env, HOLDFAST_PACKED: JSON.stringify(packed) },
    stdio: ["ignore", 2, 2],
  });
}

/**
 * @param {string} file below the repository's folder
 * @param {(text: string) => string} change
 * @param {string} wanted what the file must hold afterwards
 */
function edit(file, change, wanted) {
  const filePath = path.join(root, file);
  const text = change(readFileSync(filePath, "utf8"));
  if (!text.includes(wanted)) fail(`${file} does not say the version where it is expected; look at it.`);
  writeFileSync(filePath, text);
}

/**
 * Ends the program when something that must work did not.
 * @param {string} name
 * @param {() => { status: number | null }} work
 */
function step(name, work) {
  console.error(`holdfast: ${name} …`);
  if (work().status !== 0) fail(`the release stops here: ${name} failed. Its own words are above.`);
}

function lastWords() {
  const record = `git commit --all --message "Release ${version}" && git tag v${version}`;
  if (options.publish) return [`holdfast: ${version} is published. Now record it:`, `  ${record}`];
  return [
    `holdfast: ${version} is packed and tried. To publish it:`,
    `  ${record}`,
    ...publishing.map((npmArguments) => `  npm ${npmArguments.join(" ")}`),
  ];
}
