// Checks where a session is to work before anything is started there.
import { stat } from "node:fs/promises";
import { HostError } from "@holdfast/protocol";

/** Resolves when there is such a directory; else an error that names it. */
export async function checkWorkingDirectory(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new HostError(
    "ACP_INVALID_OPTION",
    `cwd: there is no directory ${folder}. Create it, or name another.`,
  );
}
