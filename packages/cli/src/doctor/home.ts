// Examines the home: whether the host can write to it, and whether others are kept out.
import { mkdtempSync, readdirSync, rmdirSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import process from "node:process";
import { systemCode } from "../serve/start-error.ts";
import { TOKEN_FILE } from "../serve/token.ts";
import { quote } from "../shell-word.ts";
import { asRoot } from "./find-program.ts";
import { mend, note, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const rightsOfOthers = 0o077;
const writableByAll = 0o002;
const elsewhere = "Another folder can be chosen with --home.";

/** Whether the home can be used, or made. */
export async function examineHome({ home }: Pick<Surroundings, "home">): Promise<Verdict> {
  const found = statOf(home);
  if (found instanceof Error) {
    return mend(`${home} cannot be reached (${systemCode(found) ?? found.message})`, {
      remedy: "Choose a folder of your own.",
      command: "holdfast serve --home ~/holdfast",
    });
  }
  if (found === undefined) return examineUnmade(home);
  if (!found.isDirectory()) {
    const command = "holdfast serve --home ~/holdfast";
    return mend(`${home} is not a folder`, { remedy: "Move it away, or choose another home.", command });
  }
  const fault = tryWriting(home);
  if (fault !== undefined) return unwritable(home, found, fault);
  return process.platform === "win32" ? ok(`${home} is writable`) : examineRights(home, found);
}

/** The nearest folder above that is there. */
export function existingFolder(folder: string): string {
  const found = statOf(folder);
  const parent = path.dirname(folder);
  return (found !== undefined && !(found instanceof Error)) || parent === folder
    ? folder
    : existingFolder(parent);
}

function examineUnmade(home: string): Verdict {
  const parent = existingFolder(home);
  const fault = tryWriting(parent);
  if (fault === undefined) return ok(`${home} is made at the first start`);
  const owner = process.getuid?.() ?? 0;
  return mend(`${home} is not there, and cannot be made in ${parent} (${fault})`, {
    remedy: elsewhere,
    command: `sudo install -d -m 700 -o ${owner} ${quote(home)}`,
  });
}

function unwritable(home: string, { uid }: Stats, fault: string): Verdict {
  const summary = `${home} is not writable (${fault})`;
  const place = quote(home);
  if (fault === "EROFS") {
    const command = asRoot(`mount -o remount,rw "$(findmnt -no TARGET -T ${place})"`);
    return mend(summary, {
      remedy: `It lies on a file system that is mounted read-only. ${elsewhere}`,
      command,
    });
  }
  if (fault === "ENOSPC" || fault === "EDQUOT") {
    return mend(summary, { remedy: "There is no room left in it.", command: `df -h ${place}` });
  }
  const isOurs = uid === process.getuid?.();
  const command = isOurs ? `chmod 700 ${place}` : `sudo chown -R "$(id -u)" ${place}`;
  return mend(summary, { remedy: isOurs ? elsewhere : `It belongs to another user. ${elsewhere}`, command });
}

function examineRights(home: string, { mode }: Stats): Verdict {
  if ((mode & rightsOfOthers) === 0) return ok(`${home} is writable, and yours alone`);
  const rights = (mode & 0o777).toString(8);
  const command = `chmod 700 ${quote(home)}`;
  const names = readdirSync(home);
  const isHome = names.length === 0 || names.includes(TOKEN_FILE);
  if (!isHome && (mode & writableByAll) !== 0) {
    return mend(`everybody may write to ${home} (${rights}), so it cannot be a home`, {
      remedy: elsewhere,
      command,
    });
  }
  const what = isHome ? "the next start closes it to them" : "its files are yours alone all the same";
  return note(`others may look into ${home} (${rights}); ${what}`, { command });
}

/** The code of what stands in the way; undefined when nothing does. Nothing is left behind. */
function tryWriting(folder: string): string | undefined {
  try {
    rmdirSync(mkdtempSync(path.join(folder, ".doctor-")));
    return undefined;
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}

function statOf(file: string): Stats | Error | undefined {
  try {
    return statSync(file);
  } catch (error) {
    return systemCode(error) === "ENOENT" ? undefined : (error as Error);
  }
}
