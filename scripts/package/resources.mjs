// What modules of the program look for beside themselves, and the check that the package has all of it.
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "../setup.mjs";

/**
 * @typedef {{ module: string, finds: string, from?: string }} Resource
 * A module that asks for its own address, by its path below `packages/`; what it finds, by its path in the package;
 * and, for what is copied, where that lies below `packages/`.
 */

/** @type {readonly Resource[]} */
const resources = [
  { module: "agent-shell/src/program-path.ts", finds: "agent-shell/dist/main.js" },
  { module: "cli/src/main.ts", finds: "cli/dist/main.js" },
  { module: "cli/src/serve/agents.ts", finds: "cli/dist/main.js" },
  { module: "cli/src/serve/watchdog.ts", finds: "cli/dist/serve/watchdog-thread.js" },
  { module: "cli/src/serve/compose.ts", finds: "web/dist/page/index.html", from: "web/dist/page" },
  {
    module: "core/src/agent/agent-entry.ts",
    finds: "core/dist/agent/catalogue.json",
    from: "core/src/agent/catalogue.json",
  },
  { module: "storage-sqlite/src/repair/child-program.ts", finds: "storage-sqlite/dist/repair/main.js" },
  { module: "terminal/src/keeper/connect.ts", finds: "terminal/dist/keeper/main.js" },
  { module: "terminal/src/process/helper-launcher.ts", finds: "terminal/dist/process/helper/main.js" },
  // It finds a dependency, by the rules for all modules below a package's manifest.
  { module: "terminal/src/process/pty.ts", finds: "package.json" },
  {
    module: "terminal/src/shell-integration/prepare-shell.ts",
    finds: "terminal/src/shell-integration/scripts/zsh/.zshenv",
    from: "terminal/src/shell-integration/scripts",
  },
];

/** Puts everything that is not made by the bundler into the package's folder. */
export function copyResources(/** @type {string} */ folder) {
  for (const { finds, from } of resources) {
    if (from === undefined) continue;
    // What is found may lie inside what is copied: a page is found by its first file.
    const end = finds.indexOf(from) === 0 ? from : finds;
    cpSync(path.join(root, "packages", from), path.join(folder, end), { recursive: true });
  }
  copyEnterProgram(folder);
}

/** The program by which commands enter sandboxes, for the machine that it was built on; others compile their own. */
function copyEnterProgram(/** @type {string} */ folder) {
  const built = path.join(root, "packages", "terminal", "dist", "sandbox");
  const age = (/** @type {string} */ name) => statSync(path.join(built, name)).mtimeMs;
  const programs = readdirSync(built).filter((name) => /^enter-[0-9a-f]{16}-/.test(name));
  const [newest] = programs.toSorted((one, other) => age(other) - age(one));
  if (newest === undefined) return;
  cpSync(path.join(built, newest), path.join(folder, "terminal", "dist", "sandbox", newest));
}

/**
 * One sentence for everything that would not be found: a module that asks and is not known here, one that is known
 * and no longer asks, and a file that is not there.
 * @param {string} folder the package's
 * @param {ReadonlySet<string>} askers modules that asked for their address
 */
export function resourceFaults(folder, askers) {
  const known = new Set(resources.map(({ module }) => module));
  return [
    ...[...askers]
      .filter((module) => !known.has(module))
      .map(
        (module) =>
          `packages/${module} looks for files beside itself; name them in scripts/package/resources.mjs.`,
      ),
    ...[...known]
      .filter((module) => !askers.has(module))
      .map((module) => `scripts/package/resources.mjs names packages/${module}, which looks for nothing.`),
    ...resources
      .filter(({ finds }) => !existsSync(path.join(folder, finds)))
      .map(({ module, finds }) => `packages/${module} would not find ${finds} in the package.`),
  ];
}
