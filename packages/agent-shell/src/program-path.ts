// Where the agent's program is, for a host that starts it.
import { fileURLToPath } from "node:url";

/** The path of the compiled program, also where this file is source. */
export const shellProgramPath: string = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../dist/main.js" : "./main.js", import.meta.url),
);
