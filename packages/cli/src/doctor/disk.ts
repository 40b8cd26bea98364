// Examines the disk that the home lies on: how much room is left.
import { statfsSync } from "node:fs";
import { quote } from "../shell-word.ts";
import { existingFolder } from "./home.ts";
import { mend, note, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const mebibyte = 1024 * 1024;
/** Below this, a few busy terminals fill the rest within minutes. */
const scarceBytes = 1024 * mebibyte;
/** Below this, SQLite may fail to keep what happens. */
const fullBytes = 64 * mebibyte;

/** Whether there is room for what the host keeps. */
export async function examineDisk({ home, config }: Pick<Surroundings, "home" | "config">): Promise<Verdict> {
  const folder = existingFolder(home);
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  const most = `at most ${inWords(config.retention.maxMebibytes * mebibyte)} are kept`;
  const summary = `${inWords(freeBytes)} free where ${folder} lies; ${most}`;
  // A file system without a table of files says that it has none at all.
  if (files > 0 && ffree === 0) {
    return mend(`no more files can be made where ${folder} lies`, { command: `df -i ${quote(folder)}` });
  }
  if (freeBytes < fullBytes) {
    const remedy = "Make room, or choose a home on another disk with --home.";
    return mend(summary, { remedy, command: `df -h ${quote(folder)}` });
  }
  if (freeBytes < scarceBytes) {
    const remedy =
      "`retention.maxMebibytes` in the configuration keeps less; this lets go of closed sessions:";
    return note(summary, { remedy, command: "holdfast prune" });
  }
  return ok(summary);
}

function inWords(sizeBytes: number): string {
  const mebibytes = sizeBytes / mebibyte;
  return mebibytes < 1024 ? `${Math.floor(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
