// Where a path leads after symbolic links, also if its last parts do not exist yet.
import { realpathSync } from "node:fs";
import path from "node:path";

/** The real path of the nearest folder that exists, with the rest appended. */
export function followLinks(target: string): string {
  try {
    return realpathSync(target);
  } catch {
    // A path that does not exist, or is closed to us, leads where its folder leads.
    const parent = path.dirname(target);
    return parent === target ? target : path.join(followLinks(parent), path.basename(target));
  }
}
