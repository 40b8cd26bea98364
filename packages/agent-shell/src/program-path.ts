// Where the agent's program is, for a host that starts it.
import { fileURLToPath } from "node:url";

/** The path of the program: compiled beside this file, or from source where this file is source. */
export const shellProgramPath: string = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.js", import.meta.url),
);
