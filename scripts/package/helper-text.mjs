// The spawn helper as one text inside the published `@holdfast/terminal`, so that a bundle of an app carries it along.
import { writeFileSync } from "node:fs";
import path from "node:path";

/** Bundles the helper of a laid-out package and writes it into the module that is empty in the repository. */
export async function embedHelper(/** @type {string} */ packageFolder) {
  // Only now: on a fresh clone it is installed when the script has begun.
  const { rolldown } = await import("rolldown");
  const folder = path.join(packageFolder, "dist", "process", "helper");
  const bundle = await rolldown({ input: path.join(folder, "main.js"), platform: "node" });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false, minify: true });
  await bundle.close();
  const [program] = output;
  // The text runs from a data: address, which can load nothing but Node's own modules.
  const foreign = program.imports.filter((name) => !name.startsWith("node:"));
  if (output.length !== 1 || foreign.length > 0) {
    throw new Error(`the spawn helper is not one file: it loads ${foreign.join(", ")}`);
  }
  const code = `export const programText = ${JSON.stringify(program.code)};\n`;
  writeFileSync(path.join(folder, "program-text.js"), code);
}
