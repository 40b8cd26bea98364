// Bundles the package's entry from source, as an app's bundler would for a browser or for Node.
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Result of bundling. */
export interface Bundle {
  readonly code: string;
  /** The ids of all modules in it, and of what it imports from outside. */
  readonly modules: readonly string[];
}

/** Bundles into one script that leaves its exports in the global `sdk`. */
export async function bundleEntry(platform: "browser" | "node"): Promise<Bundle> {
  const outcome = await build({
    configFile: false,
    logLevel: "silent",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    resolve: { conditions: ["@holdfast/source", platform, "module", "import", "default"] },
    build: {
      write: false,
      minify: "oxc",
      lib: { entry: fileURLToPath(new URL("../index.ts", import.meta.url)), formats: ["iife"], name: "sdk" },
    },
  });
  const outputs = Array.isArray(outcome) ? outcome : "output" in outcome ? [outcome] : [];
  const chunks = outputs.flatMap(({ output }) => output).filter((each) => each.type === "chunk");
  return {
    code: chunks.map(({ code }) => code).join("\n"),
    modules: chunks.flatMap(({ moduleIds, imports, dynamicImports }) => [
      ...moduleIds,
      ...imports,
      ...dynamicImports,
    ]),
  };
}
