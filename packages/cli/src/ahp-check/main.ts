#!/usr/bin/env node
// The program `holdfast-ahp-check`: checks any AHP host over its WebSocket.
import process from "node:process";
import { main } from "./command-line.ts";

process.exitCode = await main(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
});
