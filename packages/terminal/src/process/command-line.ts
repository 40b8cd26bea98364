// Interpretation of a command: a program with arguments, a program alone, or a line for the shell (T3).
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { TerminalError } from "../terminal-error.ts";
import { platform } from "./platform.ts";

/** A program by its absolute path, and its arguments. */
export interface Executable {
  readonly file: string;
  readonly args: readonly string[];
}

/** Where execvp looks when there is no PATH. */
const defaultPath = "/usr/local/bin:/usr/bin:/bin";

/** Windows names a program without its ending. */
const endings = platform.isPosix ? [""] : ["", ...(process.env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";")];

/** Characters that a shell would treat as more than a plain word. */
const shellSyntax = /[\s|&;<>()$`\\"'*?[\]#~=%!{}]/;

/** Finds the program to execute, or throws an error that names what is missing. */
export function resolveCommand(
  command: string,
  args: readonly string[],
  cwd: string,
  pathVariable: string | undefined,
): Executable {
  if (args.length === 0 && needsShell(command, cwd, pathVariable)) {
    return shellLine(command, cwd, pathVariable);
  }
  const found = findProgram(command, cwd, pathVariable);
  if (found.kind === "program") return { file: found.file, args };
  if (found.kind === "forbidden") {
    throw new TerminalError(
      "program_not_executable",
      `${found.file} is not an executable file; chmod +x it, or name another program`,
      {
        field: "command",
      },
    );
  }
  throw new TerminalError(
    "program_not_found",
    `Program not found: ${command}. Check the name, install it, or give its full path; PATH is ${pathVariable ?? defaultPath}`,
    { field: "command" },
  );
}

/** Whether a command without arguments is a line for the shell: it has shell syntax and names no program. */
export function needsShell(command: string, cwd: string, pathVariable: string | undefined): boolean {
  return shellSyntax.test(command) && findProgram(command, cwd, pathVariable).kind !== "program";
}

function shellLine(line: string, cwd: string, pathVariable: string | undefined): Executable {
  if (!platform.isPosix) return { file: process.env["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", line] };
  for (const shell of ["bash", "/bin/bash", "sh", "/bin/sh"]) {
    const found = findProgram(shell, cwd, pathVariable);
    if (found.kind === "program") return { file: found.file, args: ["-c", line] };
  }
  throw new TerminalError("program_not_found", "No shell found: neither bash nor sh is in PATH or in /bin", {
    field: "command",
  });
}

type Found = { kind: "program"; file: string } | { kind: "forbidden"; file: string } | { kind: "missing" };

function findProgram(command: string, cwd: string, pathVariable: string | undefined): Found {
  if (command.includes("/") || isAbsolute(command)) {
    return inspect(isAbsolute(command) ? command : join(cwd, command));
  }
  let forbidden: Found | undefined;
  for (const folder of (pathVariable ?? defaultPath).split(delimiter)) {
    // An empty entry means the working directory, as it does for execvp.
    const found = inspect(join(isAbsolute(folder) ? folder : join(cwd, folder), command));
    if (found.kind === "program") return found;
    if (found.kind === "forbidden") forbidden ??= found;
  }
  return forbidden ?? { kind: "missing" };
}

function inspect(file: string): Found {
  for (const ending of endings) {
    if (!isFile(file + ending)) continue;
    try {
      accessSync(file + ending, constants.X_OK);
      return { kind: "program", file: file + ending };
    } catch {
      // access(2) has one answer for us: this file may not be executed.
      return { kind: "forbidden", file: file + ending };
    }
  }
  return { kind: "missing" };
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A shell line taken as a path may be too long, or lead through a folder that is closed to us: no program either way.
    return false;
  }
}
