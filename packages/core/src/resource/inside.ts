// The test whether a path lies in a folder, by the paths alone.
import { sep } from "node:path";

/** True when a path without links lies in one of the folders, or is one; `/a` does not hold `/ab`. */
export function liesIn(realPath: string, realRoots: readonly string[]): boolean {
  return realRoots.some(
    (root) => realPath === root || realPath.startsWith(root.endsWith(sep) ? root : root + sep),
  );
}
