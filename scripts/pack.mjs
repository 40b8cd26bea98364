// `npm run pack`: builds the program's package and packs it; `--libraries` packs the libraries as well.
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { stageLibraries, stageProgram } from "./package/staging.mjs";
import { fail, isProgram, root, runNpm, setup } from "./setup.mjs";

/**
 * @typedef {{ folder: string, file: string, sizeBytes: number, unpackedBytes: number, fileCount: number }} Packed
 * A package, laid out in a folder, and its tarball.
 *
 * @typedef {{ filename: string, size: number, unpackedSize: number, entryCount: number }} NpmPacked
 * What npm says of a tarball.
 */

/** Size limit of the program on a user's disk, without its native dependencies. */
const maxUnpackedBytes = 15_000_000;

/**
 * Builds and packs the program, and the libraries if they are wanted.
 * @param {{ into?: string, withLibraries?: boolean }} [options] by default into `dist` in the repository
 * @returns {Promise<Packed[]>} the program comes first
 */
export async function pack({ into = path.join(root, "dist"), withLibraries = false } = {}) {
  mkdirSync(into, { recursive: true });
  // The program is bundled from its sources, but its helpers and the page are taken as they were built.
  build();
  const folder = path.join(into, "package");
  await stageProgram(folder);
  const program = packFolder(folder, into);
  if (program.unpackedBytes > maxUnpackedBytes) {
    const [taken, allowed] = [program.unpackedBytes, maxUnpackedBytes].map(megabytes);
    fail(`the package takes ${taken} unpacked; ${allowed} are allowed.`);
  }
  if (!withLibraries) return [program];
  return [program, ...(await packLibraries(into))];
}

/**
 * Packs the libraries, which must have been built.
 * @param {string} into
 * @param {readonly string[]} [names] of the folders in `packages`; by default all
 * @returns {Promise<Packed[]>}
 */
export async function packLibraries(into, names) {
  const folders = await stageLibraries(path.join(into, "libraries"));
  return folders
    .filter((folder) => names?.includes(path.basename(folder)) ?? true)
    .map((folder) => packFolder(folder, into));
}

/**
 * Packs a package that is laid out in a folder.
 * @param {string} folder
 * @param {string} into
 * @returns {Packed}
 */
export function packFolder(folder, into) {
  const npmArguments = ["pack", "--json", "--ignore-scripts", "--pack-destination", into];
  const outcome = runNpm(npmArguments, { cwd: folder, stdio: ["ignore", "pipe", process.stderr.fd] });
  if (outcome.status !== 0) fail(`\`npm pack\` failed in ${folder}; its message is above.`);
  // npm 11 answers with a list, npm 12 with an object by the package's name.
  const answer = /** @type {Record<string, NpmPacked>} */ (JSON.parse(String(outcome.stdout)));
  const [packed] = Object.values(answer);
  if (packed === undefined) throw new Error(`npm pack did not say what it packed: ${String(outcome.stdout)}`);
  return {
    folder,
    file: path.join(into, packed.filename),
    sizeBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    fileCount: packed.entryCount,
  };
}

function megabytes(/** @type {number} */ bytes) {
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}

if (isProgram(import.meta.url)) {
  const { values } = parseArgs({
    options: { into: { type: "string" }, libraries: { type: "boolean" }, json: { type: "boolean" } },
  });
  setup();
  const packages = await pack({
    ...(values.into !== undefined && { into: path.resolve(values.into) }),
    withLibraries: values.libraries === true,
  });
  if (values.json === true) console.log(JSON.stringify(packages));
  else {
    for (const { file, sizeBytes, unpackedBytes, fileCount } of packages) {
      const sizes = `${megabytes(sizeBytes)}, unpacked ${megabytes(unpackedBytes)} in ${fileCount} files`;
      console.log(`${file}  ${sizes}`);
    }
  }
}
