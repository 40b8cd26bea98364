// Builds the program, its helper and the page before the first test: they run as they do for users.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "../../scripts/build.mjs";

/** Brings what is compiled up to date; a no-op takes part of a second. Type errors are for `npm run check`. */
export default function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/cli"], {
    cwd: root,
    stdio: "ignore",
  });
  buildPage();
  const helper = join(root, "packages/terminal/dist/process/helper/main.js");
  if (!existsSync(helper)) throw new Error(`${helper} was not built; run npm run build to see why`);
}
