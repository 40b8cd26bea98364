// Failures of stdout: a reader that went away is quiet, anything else ends the command with a report (C841).
import { fstatSync, writeSync } from "node:fs";
import process from "node:process";
import { CommandError, systemCode, systemReason } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";

type Stdout = NodeJS.WriteStream & { readonly fd: number };

/** The codes of a pipe or socket whose other side is gone. */
const goneCodes: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** The report of a failed write to stdout; undefined where nobody reads it any more. */
export function stdoutFailure(error: unknown, exitCode: number = EXIT_CODES.setup): CommandError | undefined {
  const code = systemCode(error);
  // A terminal fails only when it is gone.
  if (code === undefined || goneCodes.has(code) || process.stdout.isTTY) return undefined;
  return new CommandError("OUTPUT_NOT_WRITTEN", `Cannot write to stdout: ${systemReason(error)}.`, {
    exitCode,
    cause: error,
  });
}

/** Keeps failures of stdout and stderr from ending the process, and returns what finds the first that is to be reported. */
export function watchOutput(): () => CommandError | undefined {
  let failure: CommandError | undefined;
  const stdout = process.stdout as Stdout;
  stdout.on("error", (error) => (failure ??= stdoutFailure(error)));
  process.stderr.on("error", () => undefined);
  if (isFile(stdout.fd)) writeWhole(stdout);
  return () => failure;
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // A stdout that is closed is none.
    return false;
  }
}

/** Node writes to a file once, and ignores how much of it was written: the last bytes that fit on a full disk. */
function writeWhole(stdout: Stdout): void {
  stdout._write = (chunk: Buffer | string, encoding, done) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(stdout.fd, bytes, written);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}
