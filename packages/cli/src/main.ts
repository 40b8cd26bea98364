#!/usr/bin/env node
// The program `holdfast`.
import { fileURLToPath } from "node:url";
import { keepCompiledCode } from "./compile-cache.ts";

keepCompiledCode();
// Only now: what is loaded before is compiled at every start.
const { runProgram } = await import("./program.ts");
await runProgram({
  programPath: fileURLToPath(import.meta.url),
  loadHost: async () => (await import("./serve/wire.ts")).startHost,
});
