#!/usr/bin/env node
// The program `holdfast`.
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { keepCompiledCode } from "./compile-cache.ts";
import { EXIT_CODES } from "./exit-codes.ts";

/** The program's own files, its database and a few terminals. */
const neededFiles = 256;

checkOpenFiles();
keepCompiledCode();
// Not among the commands for people, and without the code that reads those: agents start it with each session (C831).
if (process.argv[2] === "client-tools") {
  const { runToolBridge } = await import("./client-tools/run-bridge.ts");
  process.exit(await runToolBridge());
}
// Only now: what is loaded before is compiled at every start.
const { runProgram } = await import("./program.ts");
await runProgram({
  programPath: fileURLToPath(import.meta.url),
  loadHost: async () => (await import("./serve/compose.ts")).startHost,
});

/** Ends the program where it may open too few files: it would break anywhere, while it loads its own code (C227). */
function checkOpenFiles(): void {
  const limit = openFileLimit();
  if (limit === undefined || limit >= neededFiles) return;
  const error = {
    code: "TOO_FEW_OPEN_FILES",
    message: `This process may open only ${limit} files, and holdfast needs ${neededFiles}.`,
    remedy: "Raise the limit with `ulimit -n 1024`, or `LimitNOFILE=` in a systemd unit, and start again.",
    exitCode: EXIT_CODES.setup,
  };
  const line = process.argv.includes("--json")
    ? JSON.stringify({ error })
    : `holdfast: ${error.message} (${error.code})\n  ${error.remedy}`;
  process.stderr.write(`${line}\n`);
  process.exit(error.exitCode);
}

/** The limit, after Node has raised it as far as it may; undefined where the system does not report it. */
function openFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
