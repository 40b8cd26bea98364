// Why the program cannot start, in words that tell a person what to do, with the exit code.

/** The exit codes of the program: scripts may rely on them. */
export const EXIT_CODES = {
  done: 0,
  /** A fault, or an end that did not wait for the drain. */
  fault: 1,
  /** Wrong arguments, configuration or home. */
  setup: 2,
  /** The address cannot be listened on. */
  address: 3,
} as const;

/** A reason not to start that somebody can do something about; shown without a stack. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The code that Node gives an operating system's error (`ENOENT`), if it is one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
