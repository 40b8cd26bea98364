// `npm start`: installs and builds what is out of date, then becomes the program; arguments are passed on.
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { root, setup } from "./setup.mjs";

const program = path.join(root, "packages", "cli", "dist", "main.js");

// npm dies of some signals without passing them on; its end then ends the host too (C12).
Object.assign(globalThis, { [Symbol.for("holdfast.parentPid")]: process.ppid });
setup();
build();
// They describe this run of npm, and the host's children would inherit them (C518).
for (const name of Object.keys(process.env)) {
  if (name.startsWith("npm_") || name === "INIT_CWD") delete process.env[name];
}
// In this process: a second Node would add its own start to every run, and a hop for signals and the terminal.
process.argv[1] = program;
await import(pathToFileURL(program).href);
