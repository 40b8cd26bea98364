// Downloads VS Code's reducers of AHP for `npm run test:reducers`, unless they are there. Nothing of them is part of Holdfast.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./setup.mjs";

const wanted = "@codingame/monaco-vscode-api@37.6.1";
const inPackage = "package/vscode/src/vs/platform/agentHost/common/state/protocol";
/** Where they are kept between runs; the test reads the same variable. */
const folder =
  process.env["HOLDFAST_REDUCERS_FOLDER"] ?? path.join(root, "node_modules/.cache/holdfast-reducers");

if (!existsSync(path.join(folder, "protocol"))) fetchReducers();

function fetchReducers() {
  const temporary = `${folder}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  runIn(temporary, "npm", ["pack", "--silent", wanted]);
  const archive = `${wanted.slice(1).replace("/", "-").replace("@", "-")}.tgz`;
  runIn(temporary, "tar", ["-xzf", archive, inPackage]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  renameSync(path.join(temporary, inPackage), path.join(folder, "protocol"));
  rmSync(temporary, { recursive: true });
}

/** @param {string} cwd @param {string} program @param {string[]} args */
function runIn(cwd, program, args) {
  const { status } = spawnSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (status === 0) return;
  throw new Error(`${program} ${args.join(" ")} failed. Check the connection to the npm registry.`);
}
