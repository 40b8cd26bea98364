#!/usr/bin/env node
// The program: an ACP agent on stdin and stdout that runs the commands it is sent.
import process from "node:process";
import { ShellAgent } from "./agent.ts";
import { within } from "./timeout.ts";

/** How long an end waits for the client to read the last messages. */
const LAST_WRITES_MS = 200;

const stateFolder = process.env["HOLDFAST_SHELL_STATE"];
const agent = new ShellAgent({
  input: process.stdin,
  output: process.stdout,
  stateFolder: stateFolder === "" ? undefined : stateFolder,
  hasTestCommands: process.env["HOLDFAST_SHELL_TEST_COMMANDS"] === "1",
  onFault: (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`holdfast-shell: ${text}\n`);
  },
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => void agent.close());
}
await agent.closed;
const written = new Promise<void>((resolve) => {
  if (process.stdout.writableFinished || process.stdout.destroyed) resolve();
  else process.stdout.once("finish", resolve).once("close", resolve);
});
await within(written, LAST_WRITES_MS);
process.exit(0);
