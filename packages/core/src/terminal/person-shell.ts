// The shell that a person gets: their own, in their own environment, reporting its commands where it can.
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { ProcessPort, ScreenSize } from "@holdfast/terminal/port";
import { HostError } from "@holdfast/protocol";
import { accountShell, type PreparedShell, prepareShell } from "@holdfast/terminal/shell-integration";
import type { NewShell } from "../submit/submission.ts";

/** A shell as it was asked for. */
export interface PersonShell {
  readonly prepared: PreparedShell;
  readonly cwd: string;
  readonly size: ScreenSize;
}

const defaultSize = { columns: 80, rows: 24 };

/** Prepares a shell; the caller that starts it removes its folder. */
export async function preparePersonShell(processPort: ProcessPort, request: NewShell): Promise<PersonShell> {
  const cwd = readFolder(request.cwd);
  const size = readSize(request.size);
  const env = await processPort.buildEnvironment({ audience: "person", hasScreen: true });
  const { command, args } = request.program ?? { command: loginShell(env), args: loginArguments };
  const prepared = await prepareShell({ shell: command, env, ...(args !== undefined && { args }) });
  return { prepared, cwd, size };
}

/** The user's own shell; an account without one gets the shell that every system has. */
function loginShell(env: Readonly<Record<string, string>>): string {
  return env["SHELL"] ?? accountShell();
}

/** On macOS every window of a terminal is a login shell, and start-up files are written for that. */
const loginArguments: readonly string[] = process.platform === "darwin" ? ["-l"] : [];

/** The folder that a path or a `file:` URI names; the home folder if there is none. */
export function readFolder(cwd: string | undefined): string {
  if (cwd === undefined) return homedir();
  if (!cwd.startsWith("file:")) return cwd;
  try {
    return fileURLToPath(cwd);
  } catch (cause) {
    throw new HostError("INVALID_REQUEST", `cwd: ${cwd} is not a folder on this machine.`, { cause });
  }
}

/** The size of a screen, completed where only a part was requested. */
export function readSize({ cols, rows }: NewShell["size"] = {}): ScreenSize {
  const size = { columns: cols ?? defaultSize.columns, rows: rows ?? defaultSize.rows };
  for (const side of [size.columns, size.rows]) {
    if (!Number.isSafeInteger(side) || side < 1) {
      throw new HostError("INVALID_REQUEST", "A terminal must have at least one whole column and row.");
    }
  }
  return size;
}
