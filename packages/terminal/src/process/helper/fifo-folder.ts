// Folder of a helper's FIFOs: its name says who owns it, and those of helpers that were killed are removed (T220).
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { privateFolderIn, requirePrivate } from "../../sandbox/private-folder.ts";
import { PRIVATE_FOLDER_VARIABLE } from "../launch.ts";
import { platform } from "../platform.ts";

/** The folder that sandboxes do not see: the host's, else one that all helpers of a user share. */
export function privateFolder(): string {
  return process.env[PRIVATE_FOLDER_VARIABLE] ?? sharedFolder();
}

/** Where helpers without a host keep their FIFOs. */
export function sharedFolder(): string {
  return privateFolderIn(tmpdir());
}

/** Makes the folder of this process. */
export function makeFifoFolder(): string {
  const owner = `${process.pid}-${startTicks(process.pid) ?? 0}`;
  const make = (parent: string): string =>
    mkdtempSync(join(parent, `holdfast-fifos-${owner}-${pidNamespace()}-`));
  const parent = privateFolder();
  return isOurs(parent) ? make(parent) : make(tmpdir());
}

/** False where the folder cannot be made, or where another user was faster to take the name. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    requirePrivate(folder);
    return true;
  } catch {
    // The temporary folder may have room.
    return false;
  }
}

/** Removes the folders of this user whose process, of the same pid namespace, is gone; all others stay. */
export async function removeStaleFifoFolders(): Promise<void> {
  const pattern = new RegExp(`^holdfast-fifos-(\\d+)-(\\d+)-${pidNamespace()}-\\w+$`);
  const names = await Promise.all(
    [...new Set([tmpdir(), privateFolder()])].map(async (parent) =>
      (await readdir(parent).catch(() => [])).map((name) => ({ parent, name })),
    ),
  );
  for (const { parent, name } of names.flat()) {
    const [pid = 0, ticks = 0] = pattern.exec(name)?.slice(1).map(Number) ?? [];
    if (pid === 0 || pid === process.pid) continue;
    const folder = join(parent, name);
    try {
      const { uid } = await lstat(folder);
      if (uid !== process.getuid?.() || isOwnerAlive(pid, ticks)) continue;
      await rm(folder, { recursive: true, force: true });
    } catch {
      // Another helper was faster, or it is not ours to remove.
    }
  }
}

/** Whether the process that made a folder may still run, and its pid is not another's by now. */
function isOwnerAlive(pid: number, ticks: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  const found = startTicks(pid);
  return found === undefined || ticks === 0 || found === ticks;
}

/** When a process started, in ticks since the boot: a clock that nobody sets. Undefined where the system does not report it. */
function startTicks(pid: number): number | undefined {
  if (!platform.hasProcFs) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    return Number.isSafeInteger(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}

/** A pid means something in its namespace only; containers may share the temporary folder. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
