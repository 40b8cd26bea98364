// How large a command may be: what the kernel takes at most for one string, and what one request may hold (T240).
import { TerminalError } from "./terminal-error.ts";

/** The bounds of a request to run a command. */
const COMMAND_LIMITS = {
  /** Of the command, of each argument and of each variable with its name; Linux takes 128 KiB with the final NUL. */
  stringBytes: 128 * 1024 - 1,
  /** Of all of them together. */
  totalBytes: 1024 * 1024,
  /** How many arguments and variables. */
  count: 16_384,
} as const;

/** The strings of a command, each with the field it came from. */
export type CommandStrings = Iterable<readonly [field: string, text: string]>;

/** Refuses a command that is too large, naming the field; gives its size. */
export function checkCommandSize(strings: CommandStrings): number {
  let totalBytes = 0;
  let count = 0;
  for (const [field, text] of strings) {
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > COMMAND_LIMITS.stringBytes) {
      throw tooLarge(field, `${sizeBytes} bytes, and at most ${COMMAND_LIMITS.stringBytes} can be passed`);
    }
    totalBytes += sizeBytes;
    count += 1;
    if (totalBytes > COMMAND_LIMITS.totalBytes) {
      throw tooLarge("args", `more than ${COMMAND_LIMITS.totalBytes} bytes together with command and env`);
    }
    if (count > COMMAND_LIMITS.count) {
      throw tooLarge("args", `more than ${COMMAND_LIMITS.count} strings together with command and env`);
    }
  }
  return totalBytes;
}

function tooLarge(field: string, what: string): TerminalError {
  const advice = "Write it to a file and pass the file's path.";
  return new TerminalError("invalid_request", `${field} is too large: ${what}. ${advice}`, { field });
}
