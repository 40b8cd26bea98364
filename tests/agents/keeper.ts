// Whether the program that is tested keeps agents and commands running when the host is killed.
import { spawnSync } from "node:child_process";
import process from "node:process";
import type { TestContext } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";

/** Skips a scenario that needs the keeper, in a build that has none: `serve` of a build that has one can do without it. */
export function needsKeeper({ skip }: TestContext): void {
  const { stdout } = spawnSync(process.execPath, [testedProgram, "serve", "--help"], { encoding: "utf8" });
  skip(!stdout.includes("--no-keeper"), "this build has no keeper");
}
