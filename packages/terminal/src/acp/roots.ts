// Keeps working directories inside the folders that a client allows.
import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { TerminalError } from "../terminal-error.ts";

/** Refuses a directory outside the roots. */
export async function checkRoots(cwd: string, roots: readonly string[] | undefined): Promise<void> {
  if (roots === undefined) return;
  const real = await realpath(cwd).catch((error: unknown) => {
    throw new TerminalError("directory_not_found", `There is no folder ${cwd}. Create it, or name another`, {
      field: "cwd",
      cause: error,
    });
  });
  if (isInsideRoots(real, roots)) return;
  throw new TerminalError(
    "outside_roots",
    `${cwd} is outside the folders that commands may run in: ${roots.join(", ")}`,
    { field: "cwd" },
  );
}

/** True when a path, whose links have been followed, lies in a root or is one; `/a` does not hold `/ab`. */
function isInsideRoots(realPath: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const folder = followLinks(root);
    return realPath === folder || realPath.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  });
}

function followLinks(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    // A root that does not exist holds nothing; its own name is as good as any.
    return root;
  }
}
