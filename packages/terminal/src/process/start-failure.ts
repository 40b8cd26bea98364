// Why a command could not be started: errors that say what is wrong with it, its folder or the machine (T708).
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, statSync } from "node:fs";
import { TerminalError } from "../terminal-error.ts";

/** Refuses a working directory that is not there, or that this user cannot enter. */
export function checkDirectory(cwd: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) accessSync(cwd, constants.X_OK);
  } catch (error) {
    throw new TerminalError(
      "directory_not_found",
      `The folder ${cwd} cannot be entered (${codeOf(error)}). Check its permissions, or name another`,
      { field: "cwd", cause: error },
    );
  }
  if (isFolder) return;
  throw new TerminalError("directory_not_found", `There is no folder ${cwd}. Create it, or name another`, {
    field: "cwd",
  });
}

/** A child whose folder was checked, once `fork` has started it; rejects when the kernel did not. */
export async function startChild(
  file: string,
  fork: () => ChildProcess,
): Promise<ChildProcess & { pid: number }> {
  let child: ChildProcess;
  try {
    child = fork();
  } catch (error) {
    throw startFailure(file, error);
  }
  // One that nobody listens to would end this process.
  child.on("error", () => {});
  if (child.pid !== undefined) return child as ChildProcess & { pid: number };
  const [error] = (await once(child, "error")) as [unknown];
  throw startFailure(file, error);
}

function startFailure(file: string, cause: unknown): TerminalError {
  const detail = { field: "command", cause };
  switch (codeOf(cause)) {
    case "ENOENT":
      return new TerminalError(
        "program_not_executable",
        `${file} cannot be executed: its interpreter is missing. Check its first line and its line ends`,
        detail,
      );
    case "EACCES":
      return new TerminalError(
        "program_not_executable",
        `${file} cannot be executed: no permission for it or its interpreter. Check the mode of both`,
        detail,
      );
    default:
      return new TerminalError("spawn_failed", `Could not start ${file}: ${explain(cause)}`, detail);
  }
}

function explain(error: unknown): string {
  switch (codeOf(error)) {
    case "E2BIG":
      return "the arguments and environment are too long for this system";
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
      return "too many processes or open files";
    default:
      return String(error);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
