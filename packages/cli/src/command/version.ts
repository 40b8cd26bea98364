// `holdfast version`: which Holdfast this is, and what runs it.
import process from "node:process";
import type { Command } from "commander";
import { VERSION } from "../version.ts";
import { localCommand, type Runner } from "./command.ts";

/** Adds `version`, and `--version` for the program itself. */
export function addVersion(program: Command, run: Runner): void {
  program.version(VERSION, "-V, --version", "print the version");
  localCommand(program, "version", "print version and platform").action(
    run(async ({ console }) => {
      const { version: node, platform, arch } = process;
      if (console.json) return console.printJson({ version: VERSION, node, platform, arch });
      return console.print(`holdfast ${VERSION} (Node ${node}, ${platform} ${arch})`);
    }),
  );
}
