// A place for tests outside of the temporary folders, which every isolation level lets commands change.
import { accessSync, constants, realpathSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));

/** The repository's `node_modules`, or, for a clone in a temporary folder, a folder of the system or of the user. */
export function lastingFolder(): string {
  const candidates = [path.join(repository, "node_modules"), "/var/lib", "/opt", userInfo().homedir];
  const found = candidates.find((folder) => canWrite(folder) && !isTemporary(folder));
  if (found !== undefined) return found;
  throw new Error(`Clone the repository outside of /tmp: of ${candidates.join(", ")} none can be used`);
}

function isTemporary(folder: string): boolean {
  const real = realpathSync(folder);
  return ["/tmp", "/var/tmp", "/dev/shm", tmpdir()].some((each) => `${real}/`.startsWith(`${each}/`));
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    // It is not there, or is another user's.
    return false;
  }
}
