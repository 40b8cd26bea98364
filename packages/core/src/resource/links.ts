// Where a path leads after symbolic links, also if its last parts do not exist yet.
import { readlinkSync, realpathSync } from "node:fs";
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** As many links to nothing as the system itself would follow. */
const maxDanglingLinks = 40;

/** The path that a path leads to; of a file that is yet to be made, by its folder. */
export async function followLinks(path: string, linksLeft: number = maxDanglingLinks): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // It does not exist: its folder decides, up to one that does. A link to nothing is written through, not over.
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = await followLinks(parent, linksLeft);
    const place = join(folder, basename(path));
    const target = linksLeft === 0 ? undefined : await readlink(place).catch(() => undefined);
    return target === undefined ? place : followLinks(resolve(folder, target), linksLeft - 1);
  }
}

/** The same for decisions that cannot wait; for few paths at a time. */
export function followLinksNow(path: string, linksLeft: number = maxDanglingLinks): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = followLinksNow(parent, linksLeft);
    const place = join(folder, basename(path));
    const target = linksLeft === 0 ? undefined : readLinkNow(place);
    return target === undefined ? place : followLinksNow(resolve(folder, target), linksLeft - 1);
  }
}

function readLinkNow(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link.
    return undefined;
  }
}
