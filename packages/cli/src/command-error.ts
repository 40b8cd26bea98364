// Errors that a person can act on: a code, a sentence, what fixes it, and the exit code.
import { getSystemErrorMap } from "node:util";
import { EXIT_CODES } from "./exit-codes.ts";

interface CommandErrorOptions extends ErrorOptions {
  readonly exitCode: number;
  /** Advice for the person; a command to type, where there is one. */
  readonly remedy?: string | undefined;
}

/** A failure that somebody can do something about; shown without a stack. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: string;
  readonly exitCode: number;
  readonly remedy: string | undefined;

  constructor(code: string, message: string, { exitCode, remedy, ...options }: CommandErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = exitCode;
    this.remedy = remedy;
  }
}

/** A reason not to start that somebody can do something about; shown without a stack. */
export class StartError extends CommandError {
  override readonly name = "StartError";

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(codeFor(exitCode), message, {
      ...options,
      exitCode,
    });
  }
}

/** Reasons with their own exit code. */
const codes = [
  { code: "ADDRESS_NOT_AVAILABLE", exitCode: EXIT_CODES.address },
  { code: "DATABASE_DAMAGED", exitCode: EXIT_CODES.damaged },
] as const;

function codeFor(exitCode: number): string {
  return codes.find((each) => each.exitCode === exitCode)?.code ?? "CANNOT_START";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code that Node gives an operating system's error (`ENOENT`), if it is one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The operating system's words for its error ("no space left on device"). */
export function systemReason(error: unknown): string {
  const { errno = 0 } = error as NodeJS.ErrnoException;
  const [, words] = getSystemErrorMap().get(errno) ?? [];
  return words ?? systemCode(error) ?? messageOf(error);
}
