// Builds the spawn helper before the first test: it is a program of its own and runs compiled, as it does for users.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Brings `packages/terminal/dist` up to date; a no-op takes a tenth of a second. Type errors are for `npm run check`. */
export default function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-b", "packages/terminal", "packages/agent-shell"],
    {
      cwd: root,
      stdio: "ignore",
    },
  );
  const helper = join(root, "packages/terminal/dist/process/helper/main.js");
  if (!existsSync(helper)) throw new Error(`${helper} was not built; run npm run build to see why`);
}
