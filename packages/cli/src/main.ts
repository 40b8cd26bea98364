#!/usr/bin/env node
// The program `holdfast`.
import { fileURLToPath } from "node:url";
import { runProgram } from "./program.ts";

await runProgram({
  programPath: fileURLToPath(import.meta.url),
  loadHost: async () => (await import("./serve/wire.ts")).startHost,
});
