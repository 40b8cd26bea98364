// How the built-in agent, and this very program, are started again: by the same Node with the same flags.
import process from "node:process";
import { VERSION, shellProgramPath } from "@holdfast/agent-shell";
import type { BuiltInProgram } from "@holdfast/core";

/** The program of the built-in agent. */
export function shellAgent(): BuiltInProgram {
  return { command: process.execPath, args: [...nodeFlags(), shellProgramPath], version: VERSION };
}

/** Node's own flags for another start, so that it runs from source where we do. A debugger's port is taken. */
export function nodeFlags(): string[] {
  return process.execArgv
    .filter((flag) => !flag.startsWith("--inspect"))
    .map((flag, index, flags) => {
      // The other program starts in a folder of its own, from where the name of a package leads nowhere.
      return flags[index - 1] === "--import" ? import.meta.resolve(flag) : flag;
    });
}
