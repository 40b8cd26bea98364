// Finds or starts the host of `--home`, prints where it is, and ends; for tests of what a command leaves running.
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Console } from "../console.ts";
import { describeFailure, failureOf } from "../failure.ts";
import { findHost } from "../link/find-host.ts";

const { stdin, stdout, stderr, env: environment } = process;
const console = new Console({ streams: { stdin, stdout, stderr }, environment, json: true });
const home = process.argv[process.argv.indexOf("--home") + 1];

try {
  const programPath = fileURLToPath(new URL("serve-program.js", import.meta.url));
  const place = await findHost({ choice: { home }, environment: {}, console, mayStart: true, programPath });
  await console.printJson({ url: place.url });
} catch (error) {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  stderr.write(describeFailure(failure));
  process.exit(failure.exitCode);
}
