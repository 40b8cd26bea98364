// Why the host cannot start, in words that tell a person what to do, with the exit code.
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";

/** A reason not to start that somebody can do something about; shown without a stack. */
export class StartError extends CommandError {
  override readonly name = "StartError";

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(exitCode === EXIT_CODES.address ? "ADDRESS_NOT_AVAILABLE" : "CANNOT_START", message, {
      ...options,
      exitCode,
    });
  }
}

/** The code that Node gives an operating system's error (`ENOENT`), if it is one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
