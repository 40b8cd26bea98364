// Where the built page lies: beside this package in the repository.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the built page; undefined where it was not built, and then there is none. */
export function findWebRoot(): string | undefined {
  const folder = fileURLToPath(new URL("../../../web/dist/page", import.meta.url));
  return existsSync(path.join(folder, "index.html")) ? folder : undefined;
}
