#!/usr/bin/env node
// The program `holdfast`.
import { runProgram } from "./program.ts";
import { startHost } from "./wire.ts";

await runProgram(startHost);
